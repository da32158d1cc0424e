"""Whether a thread stores what it computes from what it has loaded from the same address: `x[i] += 1`."""

from __future__ import annotations

from enum import Enum, auto

from openptx.control_flow import control, reachable, read_registers, written_registers
from openptx.isa.instructions import load_store
from openptx.program import Address, Function, Op, Reg, Symbol


class Dependence(Enum):
    """How a store depends on what was loaded from the same address."""

    NONE = auto()
    VALUE = auto()
    """The stored value was computed from it. If one thread alone stores, as of a sum, that is no update that several
    threads make."""
    DECISION = auto()
    """It decides whether there is a store, as for a maximum."""


def dependence(function: Function | None, op: Op, other: Op) -> Dependence:
    """How the later of two statements depends on the earlier one, if it stores where that loads."""
    load, store = sorted((op, other), key=lambda each: each.span)
    if (load.form.instruction, store.form.instruction) != (load_store.ld, load_store.st):
        return Dependence.NONE
    mine, theirs = ([a for a in each.operands if isinstance(a, Address)] for each in (load, store))
    if mine != theirs or not all(isinstance(a.base, Reg | Symbol) for a in mine):
        return Dependence.NONE
    return Dependence.VALUE if function is None else between(function, load, store)


def between(function: Function, load: Op, store: Op) -> Dependence:
    """How a store depends on an earlier load, as far as the text order between them shows."""
    code = function.code
    if load not in code or store not in code:
        return Dependence.NONE
    first, last = code.index(load), code.index(store)
    path = reachable(function, first)
    if last not in path:
        return Dependence.NONE
    known = set(written_registers(load))
    for pc in range(first + 1, last):
        op = code[pc]
        if pc in path and uses(op, known):
            if control(op) == "branch":
                return Dependence.DECISION
            known.update(written_registers(op))
    if store.guard is not None and store.guard.index in known:
        return Dependence.DECISION
    return Dependence.VALUE if uses(store, known) else Dependence.NONE


def uses(op: Op, known: set[int]) -> bool:
    """Whether an instruction's operands or guard are among these registers."""
    return not known.isdisjoint(read_registers(op)) or (op.guard is not None and op.guard.index in known)
