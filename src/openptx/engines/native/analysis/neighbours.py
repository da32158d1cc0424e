"""Loads of neighbouring elements at a separate address per lane, as unrolled loops over rows have them: `[%rd1]`,
`[%rd1+4]`, `[%rd1+8]`, `[%rd1+12]`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from openptx.engines.native.analysis.cfg import Block
from openptx.engines.native.analysis.context import FunctionContext
from openptx.engines.native.analysis.fixpoint import Facts
from openptx.engines.native.analysis.operation_order import only_reads
from openptx.isa.memory_consistency import strong
from openptx.program import Address, Op, Reg

RUN = 16
"""The bytes of a run, which a processor loads at once."""

WIDEST = 8
"""The bytes of the largest elements."""

Run = tuple[int, ...]
"""The positions of loads, in the order of their addresses."""


def runs_of(c: FunctionContext, facts: Facts, b: Block) -> list[Run]:
    """The runs among a block's weak loads of global memory from one base register, which is not written between them,
    as memory is not."""
    code, apart = c.function.code, [pc for pc in range(b.start, b.stop) if pc not in facts.accesses]
    addresses = {pc: address for pc in apart if (address := neighbour(code[pc])) is not None}
    if len(addresses) < RUN // WIDEST:
        return []
    found: list[Run] = []
    pending: dict[tuple[object, ...], dict[int, int]] = {}  # positions by offset; keys begin with the base register
    for pc in range(min(addresses), max(addresses) + 1):
        op, address = code[pc], addresses.get(pc)
        if address is not None:
            assert isinstance(address.base, Reg)
            pending.setdefault((address.base.index, op.form, op.m), {}).setdefault(address.offset, pc)
        ends, written = not only_reads(c, facts, pc), c.cells.writes(op)
        for key in [key for key in pending if ends or key[0] in written]:
            found += complete(pending.pop(key), code)
    for by_offset in pending.values():
        found += complete(by_offset, code)
    return found


def neighbour(op: Op) -> Address | None:
    """The address of a load that may be part of a run: without guard, of one element of 32 or 64 bits."""
    m = op.m
    if op.form.instruction.access != "load" or op.guard is not None or m.values.get("space") != "global" or strong(m):
        return None
    if m.values.get("vec") or m.type.width // 8 not in (WIDEST // 2, WIDEST):
        return None
    found = [o for o in op.operands if isinstance(o, Address)]
    return found[0] if len(found) == 1 and isinstance(found[0].base, Reg) else None


def complete(by_offset: Mapping[int, int], code: tuple[Op, ...]) -> Iterator[Run]:
    """Those of exactly `RUN` bytes."""
    step = next(code[pc].m.type.width for pc in by_offset.values()) // 8
    offsets = sorted(by_offset)
    while offsets:
        run = [offsets[0] + i for i in range(0, RUN, step)]
        if offsets[: len(run)] == run:
            yield tuple(by_offset[offset] for offset in run)
            offsets = offsets[len(run) :]
        else:
            offsets = offsets[1:]
