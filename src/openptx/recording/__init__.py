"""Launches recorded on a GPU or here: their files, and replays compared with the recorded memory."""

from openptx.recording.file import Recording, Region, read_recording, write_recording
from openptx.recording.recorder import record
from openptx.recording.replaying import Replay, replay

__all__ = ["Recording", "Region", "Replay", "read_recording", "record", "replay", "write_recording"]
