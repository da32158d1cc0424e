"""The log of launches: which engine runs a kernel, why, and how long each step takes.

    openptx.logging.show("info")        on standard error; OPENPTX_LOG=info does the same for an unmodified program

Messages go to Python's logger "openptx"; a program with handlers of its own does not need this module.
"""

from __future__ import annotations

import logging
import os
import sys
from typing import TextIO

from openptx.errors import ArgumentError, require_choice
from openptx.forks import wait_at_forks

wait_at_forks()
LOGGER = logging.getLogger("openptx")
LEVELS = ("debug", "info", "warning", "error")
_shown: list[logging.Handler] = []


def show(level: str = "info", stream: TextIO | None = None) -> None:
    """Writes messages of `level` and above to a stream, by default to standard error, with seconds since the start.

    "info" logs events that occur once for a kernel and shape of blocks, "debug" each launch as well. Raises
    ArgumentError for any other level, and for a stream without `write`. A second call replaces the first.
    """
    require_choice("level", level.lower() if hasattr(level, "lower") else level, LEVELS)
    if stream is not None and not hasattr(stream, "write"):
        raise ArgumentError(f"the log is written to a stream such as sys.stderr, not to {type(stream).__name__}")
    for old in _shown:
        LOGGER.removeHandler(old)
    handler = logging.StreamHandler(sys.stderr if stream is None else stream)
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
