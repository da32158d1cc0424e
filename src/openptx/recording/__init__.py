"""Launches recorded on a GPU or here: files of them, and replays that are compared with what they left in memory."""

from openptx.recording.file import Recording, Region, read_recording, write_recording
from openptx.recording.recorder import record
from openptx.recording.replaying import Replay, replay

__all__ = ["Recording", "Region", "Replay", "read_recording", "record", "replay", "write_recording"]
