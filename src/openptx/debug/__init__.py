"""The debugger: a launch that stops where one asks, with every register and all memory live, and goes back."""

from openptx.debug.session import Session
from openptx.debug.stops import Stop

__all__ = ["Session", "Stop"]
