"""The functions of cooperative groups that CUDA's device runtime library defines, written in PTX."""

from __future__ import annotations

from pathlib import Path

from openptx.source import File

_NAMES = "cudaCG"
_PATH = Path(__file__).with_name("device_runtime.ptx")


def device_runtime(files: list[File]) -> list[File]:
    """The library, if one of the files names what it defines. A program's own definitions come before its weak ones."""
    if any(_NAMES in file.text for file in files):
        return [File("device_runtime.ptx", _PATH.read_text(encoding="ascii"))]
    return []
