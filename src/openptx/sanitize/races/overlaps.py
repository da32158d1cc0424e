"""Whether blocks store to the same elements because of how their index is computed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from openptx.control_flow import read_registers, registers, written_registers
from openptx.errors import Triple
from openptx.isa.instructions import (
    addressing,
    comparison_selection,
    convert,
    integer_arithmetic,
    integer_bits,
    load_store,
    logic_shift,
    move,
)
from openptx.isa.notation import Instruction
from openptx.program import Address, Function, Op, Special

_MODULES = addressing, comparison_selection, convert, integer_arithmetic, integer_bits, logic_shift, move
ARITHMETIC = frozenset(v for module in _MODULES for v in vars(module).values() if isinstance(v, Instruction))

BLOCK, SAME = "ctaid", frozenset(("tid", "ntid", "nctaid", "laneid"))
"""The position of a block, and special registers that do not differ between blocks."""


def overlap(function: Function, store: Op, block: Triple, other: Triple) -> str:
    """The help if two blocks compute the same address for a store from nothing but special registers, parameters and
    constants; empty if the address depends on data, or if it is none of a store."""
    differing = {f"{BLOCK}.{axis}" for axis, a, b in zip("xyz", block, other, strict=True) if a != b}
    (address,) = [a for a in store.operands if isinstance(a, Address)] or [None]
    if store.form.instruction is not load_store.st or address is None:
        return ""
    needed = computation(function, {r.index for r in registers(address)})
    if not all(op.form.instruction in ARITHMETIC or is_parameter(op) for op in needed):
        return ""
    names = special_registers(needed)
    if {name.partition(".")[0] for name in names} - SAME - {BLOCK}:
        return ""
    if names & differing:
        return (
            "blocks overlap: two of them compute the same address from `%ctaid`. Correct the index"
            " (`ctaid * ntid + tid`, in steps of `nctaid * ntid`), so that no two blocks store to one element"
        )
    if store.guard is not None and differing & special_registers(computation(function, {store.guard.index})):
        return ""  # its blocks are to store one after the other
    return (
        f"blocks that differ in `%{min(differing)}` store to one address, which does not depend on it. Let the index"
        " contain it (`ctaid * ntid + tid`), or combine what the blocks compute by an atomic operation"
    )


def shared_index(function: Function, op: Op, *places: tuple[Triple, Triple]) -> str:
    """The help if two threads, by their blocks and their positions there, compute one address from these positions;
    empty if it depends on data, or on nothing in which they differ."""
    (address,) = [a for a in op.operands if isinstance(a, Address)] or [None]
    if address is None:
        return ""
    needed = computation(function, {r.index for r in registers(address)})
    if not all(each.form.instruction in ARITHMETIC or is_parameter(each) for each in needed):
        return ""
    (block, thread), (other_block, other_thread) = places
    names = special_registers(needed)
    differing = [f"{name}.{axis}" for name, ours, theirs in (("tid", thread, other_thread), (BLOCK, block, other_block))
                 for axis, a, b in zip("xyz", ours, theirs, strict=True) if a != b]  # fmt: skip
    if not names.issuperset(differing) or {name.partition(".")[0] for name in names} - SAME - {BLOCK}:
        return ""
    registers_named = " and ".join(f"`%{name}`" for name in differing)
    return (
        f"two threads compute one address from {registers_named}: correct the index or the stride, if each is to have"
        " elements of its own"
    )


def is_parameter(op: Op) -> bool:
    return op.form.instruction is load_store.ld and op.m.space == "param"


def special_registers(code: Iterable[Op]) -> set[str]:
    """The special registers that instructions read, with their components."""
    operands = (each for op in code for each in op.operands if isinstance(each, Special))
    return {each.name.lstrip("%") for each in operands}


def computation(function: Function, needed: set[int]) -> Iterable[Op]:
    """All instructions of which registers may depend, in any order of execution."""
    writers = defaultdict[int, list[Op]](list)
    for op in function.code:
        for register in written_registers(op):
            writers[register].append(op)
    found, known, work = dict[Op, None](), set(needed), list(needed)
    while work:
        for op in writers[work.pop()]:
            if op not in found:
                found[op] = None
                read = {*read_registers(op)} | ({op.guard.index} if op.guard is not None else set[int]())
                work += read - known
                known |= read
    return found
