"""Traces of launches: each instruction that a warp executes, with its operands and results, and coverage."""

from openptx.trace.compare import Difference, first_difference
from openptx.trace.entry import trace
from openptx.trace.record import Record, Trace, Value

__all__ = ["Difference", "Record", "Trace", "Value", "first_difference", "trace"]
