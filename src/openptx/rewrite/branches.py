"""Branches that machine code does not have: to the next instruction, around nothing, and to another branch.

ptxas removes them before it contracts, so that the code on both sides is one block. Code that ptxas moves next to its
only predecessor stays in place here.
"""

from __future__ import annotations

from dataclasses import replace

from openptx.control_flow import control, successors
from openptx.program import Function, Op, Target
from openptx.rewrite.dead_code import find_dead, without
from openptx.rewrite.edit import Edit


def straighten(function: Function) -> Function:
    """The function without such branches and code that only they reach; the same object if there are none.

    It must have no dead code.
    """
    while (found := shorter(function)) is not function:
        function = found
    return function


def shorter(function: Function) -> Function:
    """One round of removal, which leaves no dead code."""
    code, edit = function.code, Edit(function)
    reached, changed = reachable(function), False
    for position, op in enumerate(code):
        target = destination(op)
        if position not in reached:
            edit.code[position] = None
        elif target is None:
            continue
        elif target == position + 1:
            edit.code[position] = None
        elif target != (last := end_of_chain(code, target)):
            edit.code[position] = replace(op, operands=(Target(last), *op.operands[1:]))
        else:
            continue
        changed = True
    if not changed:
        return function
    found = edit.finish()
    return without(found, find_dead(found))


def destination(op: Op) -> int | None:
    """The target of a branch; None for anything else."""
    target = op.operands[0] if control(op) == "branch" else None
    return target.pc if isinstance(target, Target) else None


def end_of_chain(code: tuple[Op, ...], target: int) -> int:
    """The position that control reaches from a position, following branches without guards."""
    seen: set[int] = set()
    while target < len(code) and target not in seen:
        seen.add(target)
        following = destination(code[target])
        if following is None or code[target].guard is not None:
            break
        target = following
    return target


def reachable(function: Function) -> set[int]:
    """The positions that control may reach."""
    found, waiting = set[int](), [0]
    while waiting:
        position = waiting.pop()
        if position in found or not 0 <= position < len(function.code):
            continue
        found.add(position)
        waiting += successors(function.code[position], position + 1)
    return found
