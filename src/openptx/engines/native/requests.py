"""What compiled code may request of Python, by number (`abi.REQUEST`)."""

from __future__ import annotations

from openptx.engines.interp.builtins import EXTERNALS

TIME, INSTRUCTION, FLUSH = "time", "instruction", "flush"
UPCALLS = (TIME, INSTRUCTION, *EXTERNALS, FLUSH)
"""Nanoseconds, an instruction, system functions, and the flushing of an observer's log."""
