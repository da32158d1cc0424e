"""PTX of images that Triton loads: it passes only machine code to the driver, and keeps the PTX in its cache."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def folder() -> Path:
    """The folder of Triton's cache."""
    chosen = os.environ.get("TRITON_CACHE_DIR")
    return Path(chosen) if chosen else Path(os.environ.get("TRITON_HOME", Path.home())) / ".triton" / "cache"


def ptx_beside(cubin: bytes) -> str | None:
    """The PTX that a cubin was compiled from, if a file of Triton's cache has the same bytes; else None."""
    for file in folder().glob("*/*.cubin"):
        with contextlib.suppress(OSError):  # another process may clear the cache
            if file.stat().st_size == len(cubin) and file.read_bytes() == cubin:
                return file.with_suffix(".ptx").read_text("utf-8")
    return None
