"""The functions that CUDA's device runtime library defines for cooperative groups and graphs, written in PTX."""

from __future__ import annotations

import re
from pathlib import Path

from openptx.source import File

_DECLARED = re.compile(r"\.extern\s+\.func\b[^;{]*\bcuda(CG|GraphSet)\w", re.A)
_PATH = Path(__file__).with_name("device_runtime.ptx")


def device_runtime(files: list[File]) -> list[File]:
    """The library, if a file declares any of its functions. A program's own definitions take precedence over its weak
    ones."""
    if any("cuda" in file.text and _DECLARED.search(file.text) for file in files):
        return [File("device_runtime.ptx", _PATH.read_text(encoding="ascii"))]
    return []
