"""The debugger: breakpoints, all registers and memory of a stopped launch, and reverse execution."""

from openptx.debug.session import Session
from openptx.debug.stops import Stop

__all__ = ["Session", "Stop"]
