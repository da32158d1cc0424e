"""A profile as data, which the renderers draw."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from openptx.errors import Fault
from openptx.profile.counters import Counters
from openptx.profile.findings import Finding
from openptx.profile.flow import FunctionFlow
from openptx.profile.lines import Instruction, LaunchShape, Line
from openptx.profile.occupancy import Occupancy
from openptx.profile.operand_costs import OperandCost, operand_costs
from openptx.source import File


@dataclass(frozen=True, slots=True)
class InstructionClass:
    """Executed instructions of a section of the manual: `name` as `openptx isa` lists it; executions by warps, and the
    active lanes of these."""

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


@dataclass(frozen=True, slots=True)
class CountedLaunch:
    """A launch, its counters, and those of its lines and instructions.

    `ended` is "finished", "fault" (see `fault`) or "interrupted": then the counters cover what came before. `notes` say
    what was omitted.
    """

    kernel: str
    file: str
    target: str
    launch: LaunchShape
    ended: str
    fault: Fault | None
    notes: tuple[str, ...]
    counters: Counters
    instructions: tuple[Instruction, ...]
    lines: tuple[Line, ...]
    live: int
    occupancy: Occupancy
    findings: tuple[Finding, ...]
    functions: tuple[FunctionFlow, ...]
    ptx: File

    @property
    def classes(self) -> tuple[InstructionClass, ...]:
        """Executed instructions by section of the manual, the most frequent first."""
        return classes(self.instructions)

    @property
    def operand_costs(self) -> tuple[OperandCost, ...]:
        """The costs of the operands by Table 19 of the manual."""
        return operand_costs(self.instructions)
