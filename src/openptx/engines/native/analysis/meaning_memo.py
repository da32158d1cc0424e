"""Memo of meanings on the abstract machine: an instruction whose operands are unchanged has the same results.

A fixpoint returns to a block whenever one of its registers has changed, and most of its instructions read others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from openptx.engines.native.analysis.abstract_machine import AbstractMachine
from openptx.engines.native.analysis.accesses import Access
from openptx.engines.native.analysis.lane_patterns import Pattern
from openptx.engines.native.analysis.lattice import V, Value
from openptx.numerics import Bits

Stored = tuple[int, Bits]
"""A cell, and the value that an instruction left in it."""


class Effect(NamedTuple):
    """The effect of an instruction."""

    stored: list[tuple[int, int, V | None, int]]
    """Cells with the widths of values and the values; None stands for the operand of that number itself (transfer
    functions depend on the identity of `Bits.v`)."""
    access: Access | None
    pattern: Pattern | None
    touches: str | None
    touches_others: str | None
    may_leave: bool


class MeaningMemo:
    """Valid for one function, whichever branches are assumed uniform."""

    def __init__(self) -> None:
        self._effects: dict[object, Effect] = {}

    def key(self, x: AbstractMachine, operands: Sequence[Bits]) -> object:
        """Everything that an instruction's effect depends on."""
        first: dict[int, int] = {}
        same = [first.setdefault(id(a.v), i) for i, a in enumerate(operands)]
        return (x.site, form(x.mask), *map(form, operands), *same)

    def repeat(
        self, x: AbstractMachine, key: object, operands: Sequence[Bits], store: Callable[[int, Bits], None]
    ) -> bool:
        """Replays the instruction's effect; False if it is not known."""
        effect = self._effects.get(key)
        if effect is None:
            return False
        if effect.access is not None:
            x.accesses[x.site] = effect.access
        if effect.pattern is not None:
            x.patterns[x.site] = effect.pattern
        if effect.touches is not None:
            x.touches[x.site] = effect.touches
        if effect.touches_others is not None:
            x.touches_others[x.site] = effect.touches_others
        if effect.may_leave:
            x.may_leave.add(x.site)
        for cell, width, v, operand in effect.stored:
            store(cell, Bits(x, width, operands[operand].v if v is None else v))
        return True

    def remember(self, x: AbstractMachine, key: object, operands: Sequence[Bits], stored: Sequence[Stored]) -> None:
        if x.has_tensor_memory:  # recorded once for a function
            return
        found: list[tuple[int, int, V | None, int]] = []
        for cell, value in stored:
            operand = next((i for i, a in enumerate(operands) if a.v is value.v), -1)
            found.append((cell, value.width, value.v if operand < 0 else None, operand))
        site = x.site
        touches, others = x.touches.get(site), x.touches_others.get(site)
        self._effects[key] = Effect(
            found, x.accesses.get(site), x.patterns.get(site), touches, others, site in x.may_leave
        )


def form(a: Bits) -> object:
    """Equal for values with equal facts."""
    v = a.v
    if not isinstance(v, Value):
        return a.width, v
    return a.width, v.name, v.raw, v.lanes, v.tz, v.high, v.bound, v.flushed, v.reduced, v.origin, v.near, v.pattern
