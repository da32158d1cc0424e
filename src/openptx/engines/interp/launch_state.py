"""The state shared by all batches of a launch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from openptx.engines.interp.decode import DecodedFunction, plan

if TYPE_CHECKING:
    from openptx.device.image import Image
    from openptx.device.memory_view import MemoryView
    from openptx.engines.interp.geometry import Shape
    from openptx.engines.interp.limits import Limits
    from openptx.program import Function, Program


@dataclass(frozen=True, slots=True)
class LaunchState:
    """What is launched, on what memory, within which limits."""

    program: Program
    function: Function
    shape: Shape
    memory: MemoryView
    image: Image
    limits: Limits
    initcheck: bool

    def decoded(self, function: Function) -> DecodedFunction:
        """A function as it is executed."""
        return plan(function)
