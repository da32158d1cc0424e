"""Breakpoints and watchpoints."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openptx.debug.expressions import Expression
    from openptx.debug.places import Place


@dataclass(slots=True)
class Breakpoint:
    """Stops where lanes come to one of `places` and, in one of them, `condition` holds.

    `threads` restricts it to one thread by its number in the launch. `skip` arrivals are let pass. A `once` breakpoint
    is gone after its first stop. `hits` counts stops.
    """

    number: int
    text: str
    places: frozenset[Place]
    condition: Expression | None = None
    thread: int | None = None
    skip: int = 0
    once: bool = False
    enabled: bool = True
    hits: int = 0


@dataclass(slots=True)
class Watchpoint:
    """Stops after an instruction that changed what an expression comes to in one thread; for memory, whoever did.

    `old` is what it came to before; None as long as it comes to nothing.
    """

    number: int
    text: str
    expression: Expression
    thread: int
    enabled: bool = True
    hits: int = 0
    old: object = field(default=None, repr=False)
