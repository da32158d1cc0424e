"""Symbolic execution of a function: the state at the lowest position continues, and states that meet are merged.

This is also the engines' order; control flow is reimplemented here, meanings are shared. Both sides of a branch are
executed, each under its condition. A loop with an undecided condition is executed as often as the bound allows.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from openptx.control_flow import control, converges
from openptx.engines.common.call_site import CallSite, operand_of
from openptx.engines.native.analysis.cfg import Cells
from openptx.engines.native.analysis.operand_binder import OperandBinder
from openptx.engines.native.analysis.unsupported import InterpretInstruction
from openptx.numerics import Bits
from openptx.program import FunctionName, Op, Reg, Sink, Symbol, Target
from openptx.prove.paths import EVERYWHERE, Path
from openptx.prove.terms import same, simplify
from openptx.prove.unprovable import Unprovable

if TYPE_CHECKING:
    from openptx.program import Function, Operand
    from openptx.prove.execution import Thread


def hand_over(sender: Activation, given: Operand, receiver: Activation, taken: Operand) -> None:
    """Copies a value: words of `.param` variables one by one, else a register or an immediate."""
    if isinstance(taken, Sink):
        return
    if not (isinstance(given, Symbol) and isinstance(taken, Symbol)):
        receive(receiver, taken, value_of(sender, given))
        return
    for at, size in words(min(given.variable.size, taken.variable.size)):
        (word,) = sender.x.load("frame", place(sender, given, at), 8 * size)
        receiver.x.store("frame", place(receiver, taken, at), (word,))


def value_of(activation: Activation, operand: Operand) -> Bits:
    if isinstance(operand, Symbol) and operand.variable.space == "frame":
        return activation.x.load("frame", place(activation, operand, 0), 8 * operand.variable.size)[0]
    return activation.binder.source(operand, None)


def receive(activation: Activation, operand: Operand, value: Bits) -> None:
    if isinstance(operand, Symbol):
        width = 8 * operand.variable.size
        activation.x.store("frame", place(activation, operand, 0), (activation.x.resize(value, width),))
    else:
        activation.binder.write((operand, None), value)


def place(activation: Activation, operand: Symbol, at: int) -> Bits:
    """The address of a byte of a variable of the activation's frame."""
    return activation.x.const(activation.base + operand.variable.offset + at, 64)


def words(size: int) -> Iterator[tuple[int, int]]:
    """Offsets and sizes of words of eight bytes, and smaller ones at the end."""
    at = 0
    while at < size:
        word = min(8, 1 << (size - at).bit_length() - 1)
        yield at, word
        at += word


STOPS = {
    "barrier": "barrier",
    "warp-barrier": "barrier",
    "cluster-barrier": "barrier",
    "branch-table": "branch-table",
    "trap": "trap",
}
"""Kinds of control instructions that end a proof, with the reason."""


@dataclass(slots=True)
class State:
    path: Path
    cells: list[Bits]
    visits: dict[int, tuple[int, Path]] = field(default_factory=dict[int, tuple[int, "Path"]])
    """By target positions of backward branches on this path: how often an undecided condition took them, and the last
    path."""


class Activation:
    """One execution of a function, whose `.local` and `.param` variables are at `base` in local memory.

    `depth` counts the calls that led here.
    """

    def __init__(self, thread: Thread, function: Function, depth: int = 0) -> None:
        self.thread, self.function, self.depth = thread, function, depth
        self.x, self.image, self.address_size = thread.x, thread.image, thread.program.address_size
        self.shared_layout = thread.shared_layout
        self.base = thread.allocate_frame(function.frame_size)
        self.cells = Cells(function)
        self.binder = OperandBinder(self.x, self, self)
        self.state = State(EVERYWHERE, [self.x.const(0, w) for w in self.cells.widths])
        self.pending: dict[int, State] = {}

    # Required by the binder

    @property
    def frame_base(self) -> Bits | None:
        return self.x.const(self.base, 64) if self.base else None

    def get(self, cell: int) -> Bits:
        return self.state.cells[cell]

    def store_cell(self, cell: int, value: Bits) -> None:
        self.state.cells[cell] = value

    def variable(self, name: str) -> Bits:
        raise Unprovable("variable", f"`{name}`")

    # Control flow

    def run(self) -> State | None:
        """Executes `state` from the entry to the return; None if it never returns. Raises Unprovable."""
        self.pending[0] = self.state
        code = self.function.code
        while self.pending:
            if time.monotonic() > self.thread.deadline:
                raise Unprovable("time")
            pc = min(self.pending)
            self.state = self.pending.pop(pc)
            if pc == len(code):
                return self.state
            try:
                self.step(pc, code[pc])
            except Unprovable as found:
                raise found if found.placed else with_instruction(found, code[pc]) from None
            except InterpretInstruction as found:
                raise with_instruction(Unprovable("instruction", str(found)), code[pc]) from None
        return None

    def step(self, pc: int, op: Op) -> None:
        """Executes one instruction, and yields where its state continues. Raises Unprovable for an exchange between
        lanes, a trap, and what the machine refuses."""
        kind, state = control(op), self.state
        if converges(op):
            raise Unprovable("warp-exchange")
        taken, other = self.divided(state, op.guard)
        if kind is None or kind == "breakpoint":
            self.execute_guarded(op, taken)
            self.arrive(pc + 1, state, pc)
            return
        if taken is not None:
            if kind in STOPS and self.thread.feasible(taken.condition()):
                raise Unprovable(STOPS[kind])
            taken_state = State(taken, list(state.cells), dict(state.visits))
            if kind == "branch":
                target = op.operands[0]
                assert isinstance(target, Target)
                self.arrive(target.pc, taken_state, pc)
            elif kind == "return" and self.depth:  # the state at a kernel's end is not needed
                self.arrive(len(self.function.code), taken_state, pc)
            elif kind == "call" and (after := self.execute_call(op, taken_state)) is not None:
                self.arrive(pc + 1, after, pc)
        if other is not None:
            self.arrive(pc + 1, State(other, state.cells, state.visits), pc)

    def execute_call(self, op: Op, state: State) -> State | None:
        """The state after a call; None if the callee does not return."""
        site, thread = CallSite(op), self.thread
        problem = self.uncallable(site)
        if problem is not None:
            if not thread.feasible(state.path.condition()):
                return None
            raise problem
        assert isinstance(site.target, FunctionName)
        callee = Activation(thread, thread.program.function(site.target.name), self.depth + 1)
        self.state, callee.state.path, self.x.path = state, state.path, state.path
        for formal, argument in zip(callee.function.parameters, site.arguments, strict=True):
            hand_over(self, argument, callee, operand_of(formal))
        left = callee.run()
        if left is None:
            return None
        self.state, callee.state, self.x.path = state, left, left.path
        for formal, wanted in zip(callee.function.returns, site.results, strict=False):
            hand_over(callee, operand_of(formal), self, wanted)
        return State(left.path, state.cells, state.visits)

    def uncallable(self, site: CallSite) -> Unprovable | None:
        """Why the callee cannot be executed, if it cannot."""
        if not isinstance(site.target, FunctionName):
            return Unprovable("call", "through a register")
        if site.target.name not in self.thread.program.functions:
            return Unprovable("call", f"`{site.target.name}` is not defined in the module")
        if self.depth >= self.thread.unroll:
            return Unprovable("loop-bound", f"calls more than {self.thread.unroll} deep")
        return None

    def divided(self, state: State, guard: Reg | None) -> tuple[Path | None, Path | None]:
        """The paths on which the guard holds and does not hold; None for an impossible one."""
        if guard is None:
            return state.path, None
        p = simplify(state.cells[guard.index].v)
        if isinstance(p, int):
            return (state.path, None) if bool(p) != guard.negated else (None, state.path)
        return state.path.extended(p, not guard.negated), state.path.extended(p, guard.negated)

    def execute_guarded(self, op: Op, taken: Path | None) -> None:
        """Executes an instruction under its guard, in the current state."""
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
        """Adds a state at its next position, merged with an existing one."""
        if pc <= origin and not self.goes_back(pc, state):
            return
        waiting = self.pending.get(pc)
        self.pending[pc] = state if waiting is None else self.merged(state, waiting)

    def goes_back(self, pc: int, state: State) -> bool:
        """Whether a loop continues; always, as long as no undecided condition controls it."""
        times, last = state.visits.get(pc, (0, None))
        if last is None or state.path.literals.keys() != last.literals.keys():
            if not self.thread.feasible(state.path.condition()):
                return False
            times += 1
            if times > self.thread.unroll:
                self.thread.open.append(state.path)
                return False
        inner = {header: visit for header, visit in state.visits.items() if header < pc}
        state.visits = {**inner, pc: (times, state.path)}
        return True

    def merged(self, a: State, b: State) -> State:
        path, selector = a.path.join(b.path)
        p = Bits(self.x, 1, selector)
        cells = [
            mine if mine is other or same(mine.v, other.v) else self.x.select(p, mine, other)
            for mine, other in zip(a.cells, b.cells, strict=True)
        ]
        visits = dict(a.visits)
        for pc, visit in b.visits.items():
            visits[pc] = max(visit, visits.get(pc, visit), key=lambda v: v[0])
        return State(path, cells, visits)


def with_instruction(found: Unprovable, op: Op) -> Unprovable:
    """The reason, with the instruction that it concerns."""
    text = op.one_line
    return Unprovable(found.reason, f"`{text}`" + (f": {found.detail}" if found.detail else ""), placed=True)
