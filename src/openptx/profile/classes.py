"""Executed instructions by class: the section of the manual that declares them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openptx.profile.lines import Instruction


@dataclass(frozen=True, slots=True)
class InstructionClass:
    """`name` as `openptx isa` lists it; executions by warps, and the active lanes of these."""

    name: str
    warps: int
    active: int


def class_of(each: Instruction) -> str:
    """`floating point`, `load store`."""
    return each.op.form.instruction.module.replace("_", " ")


def classes(instructions: Iterable[Instruction]) -> tuple[InstructionClass, ...]:
    """The classes that were executed, the most frequent first."""
    found: dict[str, tuple[int, int]] = {}
    for each in instructions:
        if each.counters.warps:
            warps, active = found.get(class_of(each), (0, 0))
            found[class_of(each)] = warps + each.counters.warps, active + each.counters.active
    return tuple(
        InstructionClass(name, warps, active)
        for name, (warps, active) in sorted(found.items(), key=lambda item: -item[1][0])
    )
