"""A profile as data: the launch, its counters, and those of its lines and instructions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from openptx.errors import Fault, Triple
from openptx.profile.classes import InstructionClass, classes
from openptx.profile.counters import Counters
from openptx.profile.findings import Finding
from openptx.profile.flow import FunctionFlow
from openptx.profile.occupancy import Occupancy
from openptx.profile.operand_costs import OperandCost, operand_costs
from openptx.profile.render import html, nsight, text
from openptx.profile.render.as_json import as_json as json_of
from openptx.program import Op
from openptx.source import File

Place = tuple[str, int, int]
"""File, line, column, from 1."""


@dataclass(frozen=True, slots=True)
class LaunchShape:
    """The launch. `static` and `dynamic` are bytes of shared memory of a block.

    `blocks` of `all_blocks` began: fewer in a sample (`sampled`), after a fault or an interrupt.
    """

    grid: Triple
    block: Triple
    cluster: Triple | None
    static: int
    dynamic: int
    blocks: int
    all_blocks: int
    sampled: bool

    @property
    def threads(self) -> int:
        """The number of threads of a block."""
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def warps(self) -> int:
        """The number of warps of the blocks that began."""
        return self.blocks * -(-self.threads // 32)


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """An instruction as written. `at` is its position in the PTX.

    `source` are positions in the source program, innermost first: where it is written, and where that was inlined; ()
    without `.loc`. `live` is the number of live 32-bit registers.
    """

    op: Op
    function: str
    text: str
    at: Place
    source: tuple[Place, ...]
    live: int

    @property
    def line(self) -> tuple[str, int]:
        """The line that its counters belong to: for inlined calls, the innermost in the kernel's own file."""
        if not self.source:
            return self.at[:2]
        own = self.source[-1][0]
        return next((file, line) for file, line, _ in self.source if file == own)


@dataclass(frozen=True, slots=True, eq=False)
class Instruction(Statement):
    """A statement and its counters."""

    counters: Counters


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A line of the source, or of the PTX without `.loc`. `text` is None if the file does not exist."""

    file: str
    line: int
    text: str | None
    counters: Counters
    instructions: tuple[Instruction, ...]


@dataclass(frozen=True, slots=True)
class Profile:
    """The profile of a launch. `str()` is the report for a terminal, `to_html()` for a browser, `as_json()` for
    programs.

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

    @property
    def totals(self) -> dict[str, int]:
        """The launch's counters under the names of Nsight Compute."""
        return nsight.totals(self)

    def as_json(self) -> dict[str, Any]:
        """The whole profile as objects for `json.dumps`; docs/profile.md describes them."""
        return json_of(self)

    def to_html(self) -> str:
        """The report as one HTML file, which needs no network: source beside PTX, pictures of accesses, tables."""
        return html.page(self)

    def _repr_html_(self) -> str:
        return html.in_notebook(self)

    def __str__(self) -> str:
        return text.text(self)

    def __repr__(self) -> str:
        return f"<profile of {self.kernel}: {self.counters.warps} warp instructions, {self.ended}>"
