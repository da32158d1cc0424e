"""Which statements do something else because of a value that is wrong: those that it addresses, or that a branch on it
decides. What is found there follows from the value."""

from __future__ import annotations

from collections.abc import Collection

from openptx.control_flow import END, control, reachable, read_registers, registers, successors, written_registers
from openptx.program import Address, Function, Op
from openptx.source import Span


def decided_by(function: Function, branch: Op, span: Span) -> bool:
    """Whether it depends on a branch of the function that the statement at `span` is executed: the function may end
    without it."""
    code = function.code
    at, begin = position(function, span), code.index(branch)
    if at is None or at not in reachable(function, begin):
        return False
    without = reachable(function, begin, avoiding=at)
    return any({END, len(code)}.intersection(successors(code[pc], pc + 1)) for pc in without)


def addressed_by(function: Function, load: Op, span: Span) -> bool:
    """Whether the address of the statement at `span` is made of what an instruction of the function has loaded."""
    at = position(function, span)
    if at is None:
        return False
    made, size = set(written_registers(load)), -1
    while size != len(made):
        size = len(made)
        for op in function.code:
            if not made.isdisjoint(read_registers(op)):
                made.update(written_registers(op))
    operands = function.code[at].operands
    return any(r.index in made for operand in operands if isinstance(operand, Address) for r in registers(operand))


def reaches(function: Function, begin: Op, end: Op, avoiding: Collection[str] = ()) -> bool:
    """Whether control may go from one statement of the function to another without passing a control instruction of
    the kinds `avoiding`."""
    code = function.code
    first, wanted = code.index(begin), code.index(end)
    found, work = set[int](), [*successors(begin, first + 1)]
    while work:
        pc = work.pop()
        if pc == wanted:
            return True
        if pc not in found and 0 <= pc < len(code):
            found.add(pc)
            work += successors(code[pc], pc + 1) if control(code[pc]) not in avoiding else ()
    return False


def position(function: Function, span: Span) -> int | None:
    return next((pc for pc, op in enumerate(function.code) if op.span == span), None)
