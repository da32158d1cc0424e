"""Symbolic execution of a kernel: the state with the lowest position goes on, states that meet are merged.

So do the engines: control flow is theirs, meanings are shared. Both sides of a branch are executed, each under its
condition. A loop whose condition stays open is executed as often as the bound allows.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import z3

from openptx.control_flow import control, converges
from openptx.device.shared_layout import shared_layout
from openptx.engines.native.analysis.cells import Cells
from openptx.engines.native.analysis.operand_binder import OperandBinder
from openptx.engines.native.analysis.unsupported import InterpretInstruction
from openptx.numerics import Bits
from openptx.program import Op, Reg, Target
from openptx.prove.machine import SymbolicThread
from openptx.prove.memory import Access, Regions
from openptx.prove.paths import EVERYWHERE, Path
from openptx.prove.terms import known, same
from openptx.prove.unprovable import Unprovable

if TYPE_CHECKING:
    from openptx.prove.inputs import Inputs
    from openptx.runtime import Kernel

STOPS = {
    "barrier": "barrier",
    "warp-barrier": "barrier",
    "cluster-barrier": "barrier",
    "call": "call",
    "branch-table": "branch-table",
    "trap": "trap",
}
"""Kinds of control that end a proof, and the reason by name."""


@dataclass(slots=True)
class State:
    path: Path
    cells: list[Bits]
    visits: dict[int, tuple[int, Path]] = field(default_factory=dict[int, tuple[int, "Path"]])
    """By positions that the way here went back to: how often an open condition decided that, and the last path."""


@dataclass(frozen=True, slots=True)
class Execution:
    """What a kernel does in one thread."""

    regions: Regions
    open: tuple[Path, ...]
    """Where loops would go on beyond the bound."""
    uninterpreted: int
    """How many operations have no meaning to the solver."""

    @property
    def accesses(self) -> list[Access]:
        return self.regions.accesses


class Executor:
    """One execution. `feasible` tells whether a path can be taken at all; it may say yes where nobody knows."""

    def __init__(
        self, kernel: Kernel, inputs: Inputs, exact: bool, unroll: int, deadline: float,
        feasible: Callable[[z3.BoolRef], bool],
    ) -> None:  # fmt: skip
        self.function, self.deadline, self.feasible = kernel.function, deadline, feasible
        self.unroll = unroll
        self.regions = Regions(inputs)
        self.x = SymbolicThread(inputs, self.regions, exact)
        self.image = kernel.module.image
        self.address_size = kernel.module.program.address_size
        self.shared_layout = shared_layout(kernel.module.program, kernel.name)
        self.cells = Cells(self.function)
        self.binder = OperandBinder(self.x, self, self)
        self.state = State(EVERYWHERE, [self.x.const(0, w) for w in self.cells.widths])
        self.pending: dict[int, State] = {}
        self.open = list[Path]()

    # What the binder asks for

    @property
    def frame_base(self) -> Bits | None:
        return None

    def get(self, cell: int) -> Bits:
        return self.state.cells[cell]

    def store_cell(self, cell: int, value: Bits) -> None:
        self.state.cells[cell] = value

    def variable(self, name: str) -> Bits:
        raise Unprovable("variable", f"`{name}`")

    # Control flow

    def run(self) -> Execution:
        """Executes from the entry to all ends. Raises Unprovable."""
        self.pending[0] = self.state
        code = self.function.code
        while self.pending:
            if time.monotonic() > self.deadline:
                raise Unprovable("time")
            pc = min(self.pending)
            self.state = self.pending.pop(pc)
            if pc < len(code):
                try:
                    self.step(pc, code[pc])
                except Unprovable as found:
                    raise named(found, code[pc]) from None
                except InterpretInstruction as found:
                    raise named(Unprovable("instruction", str(found)), code[pc]) from None
        return Execution(self.regions, tuple(self.open), self.x.uninterpreted)

    def step(self, pc: int, op: Op) -> None:
        """One instruction, and where its state goes on."""
        kind, state = control(op), self.state
        if converges(op):
            raise Unprovable("warp-exchange")
        taken, other = self.divided(state, op.guard)
        if kind is None or kind == "breakpoint":
            self.guarded(op, taken)
            self.arrive(pc + 1, state, pc)
            return
        if taken is not None and kind in STOPS and self.feasible(taken.condition()):
            raise Unprovable(STOPS[kind])
        if kind == "branch":
            target = op.operands[0]
            assert isinstance(target, Target)
            if taken is not None:
                self.arrive(target.pc, State(taken, list(state.cells), dict(state.visits)), pc)
        if other is not None:
            self.arrive(pc + 1, State(other, state.cells, state.visits), pc)

    def divided(self, state: State, guard: Reg | None) -> tuple[Path | None, Path | None]:
        """The path where the guard holds, and where not; None for what cannot be."""
        if guard is None:
            return state.path, None
        p = known(state.cells[guard.index].v)
        if isinstance(p, int):
            return (state.path, None) if bool(p) != guard.negated else (None, state.path)
        return state.path.extended(p, not guard.negated), state.path.extended(p, guard.negated)

    def guarded(self, op: Op, taken: Path | None) -> None:
        """Executes an instruction where its guard holds, in the present state."""
        if taken is None:
            return
        state = self.state
        self.x.path = taken
        if op.guard is None or taken is state.path:
            self.binder.execute(op)
            return
        before = list(state.cells)
        p = self.binder.register(op.guard, None)
        self.binder.execute(op)
        for cell in self.cells.writes(op):
            state.cells[cell] = self.x.select(p, state.cells[cell], before[cell])

    def arrive(self, pc: int, state: State, origin: int) -> None:
        """Puts a state where it goes on, merged with one that is there."""
        if pc <= origin and not self.goes_back(pc, state):
            return
        there = self.pending.get(pc)
        self.pending[pc] = state if there is None else self.merged(state, there)

    def goes_back(self, pc: int, state: State) -> bool:
        """Whether a loop goes on; it does as often as it must while no open condition decides."""
        times, last = state.visits.get(pc, (0, None))
        if last is None or state.path.literals.keys() != last.literals.keys():
            if not self.feasible(state.path.condition()):
                return False
            times += 1
            if times > self.unroll:
                self.open.append(state.path)
                return False
        inner = {header: visit for header, visit in state.visits.items() if header < pc}
        state.visits = {**inner, pc: (times, state.path)}
        return True

    def merged(self, a: State, b: State) -> State:
        path, selector = a.path.joined(b.path)
        p = Bits(self.x, 1, selector)
        cells = [
            mine if mine is other or same(mine.v, other.v) else self.x.select(p, mine, other)
            for mine, other in zip(a.cells, b.cells, strict=True)
        ]
        visits = dict(a.visits)
        for pc, visit in b.visits.items():
            visits[pc] = max(visit, visits.get(pc, visit), key=lambda v: v[0])
        return State(path, cells, visits)


def named(found: Unprovable, op: Op) -> Unprovable:
    """The reason, with the instruction that it is about."""
    return Unprovable(found.reason, f"`{op.text}`" + (f": {found.detail}" if found.detail else ""))
