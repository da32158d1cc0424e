"""Barriers that certainly only a part of a warp reaches, though all of its threads must (9.7.13.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from openptx.check.flow.cfg import ControlFlowGraph, Step
from openptx.isa.control import LEAVES, joins, mnemonics
from openptx.isa.notation import Modifiers, resolve
from openptx.syntax import operands as text

_COMPARISONS = frozenset(("eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"))
_LANES = frozenset(("%tid.x", "%laneid"))
_WARP = 32


def divergent(graph: ControlFlowGraph) -> Iterator[tuple[Step, Step]]:
    """Each such barrier, with the statement (itself, or a branch) whose guard differs between lanes.

    The guard compares `%tid.x` or `%laneid` with a constant below 32, and there is no label between it and the barrier,
    so threads that jump over it do not return. Threads that jump to the end never wait, which is correct.
    """
    if not any(joins(step.instruction.opcode) for step in graph.steps):
        return
    entries, writers = graph.entries(), _writers(graph)
    branches: list[int] = []  # guarded barriers since the last label
    split: Step | None = None  # the last other one that splits a warp, if its threads wait for something
    for number, step in enumerate(graph.steps):
        if number in entries:
            branches.clear()
            split = None
        if step.jumps and step.guarded:
            branches.append(number)
        if not joins(step.instruction.opcode) or len(step.instruction.operands) != 1:
            continue
        if step.guarded:
            if _splits(step, writers):
                yield step, step
            continue
        while branches:
            branch = branches.pop()
            if _splits(graph.steps[branch], writers):
                split = None if _leaves(graph, branch) else graph.steps[branch]
                branches.clear()
        if split is not None:
            yield step, split


def _leaves(graph: ControlFlowGraph, number: int) -> bool:
    """Whether a branch leads straight to the thread's exit."""
    at = next((n for n in graph.successors(number) if n != number + 1), None)
    while at is not None and at < len(graph.steps):
        step = graph.steps[at]
        if step.instruction.mnemonic in mnemonics(*LEAVES):
            return True
        if step.jumps or joins(step.instruction.opcode):
            return False
        at += 1
    return True


def _splits(step: Step, writers: Mapping[str, Step | None]) -> bool:
    """Whether the guard of a statement certainly differs between lanes of some warp."""
    guard = step.instruction.guard
    setp = writers.get(guard.name.text) if guard is not None else None
    if setp is None:
        return False
    m, operands = _declared_as("comparison", setp), setp.instruction.operands
    if m is None or len(m.written) != 2 or m.CmpOp not in _COMPARISONS or len(operands) != 3:
        return False
    lane, limit = operands[1], operands[2]
    if not isinstance(lane, text.Name) or not isinstance(limit, text.Integer):
        return False
    least = 1 if m.CmpOp in ("lt", "lo", "ge", "hs") else 0  # nothing is below 0
    if not least <= limit.value < _WARP - (m.CmpOp in ("le", "ls", "gt", "hi")):
        return False
    move = writers.get(lane.text)
    if move is None or _declared_as("copy", move) is None or len(move.instruction.operands) != 2:
        return False
    return move.instruction.operands[1].text in _LANES


def _declared_as(algebra: str, step: Step) -> Modifiers | None:
    """The modifiers of a statement whose instruction is declared with this algebra."""
    return next((m for form, m in resolve(step.instruction.opcode) if form.instruction.algebra == algebra), None)


def _writers(graph: ControlFlowGraph) -> dict[str, Step | None]:
    """The only statement that writes a register, by its name; None if there are several, or if it has a guard."""
    found: dict[str, Step | None] = {}
    for step in graph.steps:
        for name in step.writes:
            found[name] = None if name in found or step.guarded else step
    return found
