"""The log of launches: which engine runs a kernel, why, and how long each step takes.

    openptx.logging.show("info")        on standard error; OPENPTX_LOG=info does the same for an unmodified program

Messages go to Python's logger "openptx"; a program with handlers of its own does not need this module.
"""

from __future__ import annotations

import logging
import os
import sys
from typing import TextIO

LOGGER = logging.getLogger("openptx")
LEVELS = ("debug", "info", "warning", "error")
_shown: list[logging.Handler] = []


def show(level: str = "info", stream: TextIO | None = None) -> None:
    """Writes messages of `level` and above to a stream, by default to standard error, with seconds since the start.

    "info" logs events that occur once for a kernel and shape of blocks, "debug" each launch as well. Raises ValueError
    for any other level. A second call replaces the first.
    """
    if level.lower() not in LEVELS:
        raise ValueError(f"no level is called `{level}`; there are {', '.join(LEVELS)}")
    for old in _shown:
        LOGGER.removeHandler(old)
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(Elapsed("openptx %(elapsed)8.3f s  %(message)s"))
    _shown[:] = [handler]
    LOGGER.addHandler(handler)
    LOGGER.setLevel(level.upper())


class Elapsed(logging.Formatter):
    """Formats records with the seconds since Python's logging was imported."""

    def format(self, record: logging.LogRecord) -> str:
        record.elapsed = record.relativeCreated / 1000
        return super().format(record)


def from_environment() -> None:
    """Sets the level in OPENPTX_LOG. An unknown level is reported once, and the program continues."""
    level = os.environ.get("OPENPTX_LOG", "")
    if level.lower() in LEVELS:
        show(level)
    elif level not in ("", "0"):
        LOGGER.warning("OPENPTX_LOG=%s is not a level; the levels are %s", level, ", ".join(LEVELS))
