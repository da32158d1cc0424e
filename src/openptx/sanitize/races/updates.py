"""Whether a thread stores what it computes from what it has loaded from the same address: `x[i] += 1`."""

from __future__ import annotations

from openptx.control_flow import control, reachable, read_registers, written_registers
from openptx.isa.instructions import load_store
from openptx.program import Address, Function, Op, Reg, Symbol


def updates(function: Function | None, op: Op, other: Op) -> bool:
    """Whether one statement loads what a later one stores, at the same address, and what is stored, or whether it is,
    depends on it."""
    load, store = sorted((op, other), key=lambda each: each.span)
    if (load.form.instruction, store.form.instruction) != (load_store.ld, load_store.st):
        return False
    mine, theirs = ([a for a in each.operands if isinstance(a, Address)] for each in (load, store))
    same = mine == theirs and all(isinstance(a.base, Reg | Symbol) for a in mine)
    return same and (function is None or depends(function, load, store))


def depends(function: Function, load: Op, store: Op) -> bool:
    """Whether an instruction depends on the result of an earlier one, as far as the text order between them shows."""
    code = function.code
    if load not in code or store not in code:
        return False
    first, last = code.index(load), code.index(store)
    path = reachable(function, first)
    if last not in path:
        return False
    known = set(written_registers(load))
    for pc in range(first + 1, last):
        op = code[pc]
        if pc in path and uses(op, known):
            if control(op) == "branch":
                return True
            known.update(written_registers(op))
    return uses(store, known)


def uses(op: Op, known: set[int]) -> bool:
    """Whether an instruction's operands or guard are among these registers."""
    return not known.isdisjoint(read_registers(op)) or (op.guard is not None and op.guard.index in known)
