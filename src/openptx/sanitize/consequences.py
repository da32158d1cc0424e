"""Which statements do something else because of a value that is wrong: those that it addresses, or that a branch on it
decides. What is found there follows from the value."""

from __future__ import annotations

from collections.abc import Collection

from openptx.control_flow import END, control, reachable, read_registers, registers, successors, written_registers
from openptx.isa.instructions import load_store
from openptx.program import Address, Function, Op
from openptx.source import Span


def decided_by(function: Function, branch: Op, span: Span) -> bool:
    """Whether it depends on a branch of the function that the statement at `span` is executed: the function may end
    without it."""
    code = function.code
    at, begin = position(function, span), code.index(branch)
    if at is None or at not in reachable(function, begin):
        return False
    return ends_without(function, begin, at)


def ends_without(function: Function, begin: int, at: int) -> bool:
    """Whether control may go from position `begin` to the end of the function without passing `at`."""
    code = function.code
    without = reachable(function, begin, avoiding=at)
    return any({END, len(code)}.intersection(successors(code[pc], pc + 1)) for pc in without)


def addressed_by(function: Function, load: Op, span: Span) -> bool:
    """Whether the address of the statement at `span` is made of what an instruction of the function has loaded, also if
    one thread gives it to the others through a word of memory: one that both name alike, as that of a variable."""
    at = position(function, span)
    if at is None:
        return False
    made, stored, size = set(written_registers(load)), set[Address](), -1
    while size != len(made) + len(stored):
        size = len(made) + len(stored)
        for op in function.code:
            if not made.isdisjoint(read_registers(op)):
                made.update(written_registers(op))
                stored.update(addresses(op) if op.form.instruction is load_store.st else ())
            elif op.form.instruction is load_store.ld and not stored.isdisjoint(addresses(op)):
                made.update(written_registers(op))
    return any(r.index in made for address in addresses(function.code[at]) for r in registers(address))


def addresses(op: Op) -> list[Address]:
    return [operand for operand in op.operands if isinstance(operand, Address)]


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
