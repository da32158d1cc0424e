"""Barriers that for certain only a part of a warp reaches, though every thread of it must (9.7.13.1)."""

from __future__ import annotations

from openptx.isa.control import LEAVES, joins, mnemonics
from openptx.syntax import operands as text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from openptx.check.flow.cfg import ControlFlowGraph, Step

_COMPARISONS = frozenset(("eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"))
_LANES = frozenset(("%tid.x", "%laneid"))
_WARP = 32


def divergent(graph: ControlFlowGraph) -> Iterator[tuple[Step, Step]]:
    """Each such barrier, with the statement (itself, or a branch) whose guard differs between lanes.

    The guard compares `%tid.x` or `%laneid` with a constant below 32, and no label stands between it and the barrier:
    whoever jumps over it does not come back. Where they jump to the end, they wait for nothing, and it is well.
    """
    entries = graph.entries()
    for number, step in enumerate(graph.steps):
        if not joins(step.instruction.opcode) or len(step.instruction.operands) != 1:
            continue
        if step.instruction.guard is not None:
            if _splits(graph, number):
                yield step, step
            continue
        at = number
        while at > 0 and at not in entries:
            at -= 1
            branch = graph.steps[at]
            if branch.jumps and branch.instruction.guarded and _splits(graph, at):
                if not _leaves(graph, at):
                    yield step, branch
                break


def _leaves(graph: ControlFlowGraph, number: int) -> bool:
    """Whether a branch leads straight to the end of the thread."""
    at = next((n for n in graph.successors(number) if n != number + 1), None)
    while at is not None and at < len(graph.steps):
        step = graph.steps[at]
        if step.instruction.mnemonic in mnemonics(*LEAVES):
            return True
        if step.jumps or joins(step.instruction.opcode):
            return False
        at += 1
    return True


def _splits(graph: ControlFlowGraph, number: int) -> bool:
    """Whether the guard of a statement surely differs between the lanes of some warp."""
    guard = graph.steps[number].instruction.guard
    setp = _written_once(graph, guard.name.text) if guard is not None else None
    if setp is None:
        return False
    modifiers = setp.instruction.opcode.split(".")
    operands = setp.instruction.operands
    if modifiers[0] != "setp" or len(modifiers) != 3 or modifiers[1] not in _COMPARISONS or len(operands) != 3:
        return False
    lane, limit = operands[1], operands[2]
    if not isinstance(lane, text.Name) or not isinstance(limit, text.Integer):
        return False
    least = 1 if modifiers[1] in ("lt", "lo", "ge", "hs") else 0  # nothing is below 0
    if not least <= limit.value < _WARP - (modifiers[1] in ("le", "ls", "gt", "hi")):
        return False
    move = _written_once(graph, lane.text)
    if move is None or move.instruction.mnemonic != "mov" or len(move.instruction.operands) != 2:
        return False
    return move.instruction.operands[1].text in _LANES


def _written_once(graph: ControlFlowGraph, name: str) -> Step | None:
    """The only statement that writes a register, if there is only one and it has no guard."""
    found = [step for step in graph.steps if any(key[1] == name for key in step.writes)]
    return found[0] if len(found) == 1 and found[0].instruction.guard is None else None
