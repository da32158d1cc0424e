"""Loops that may be waiting though nothing marks them as waits: around weak loads, with stores, counters, other loops.

Such a loop waits if it comes back to its header as it was there before: no register has changed from which any of its
branches is computed. Code tests that now and then (deopt/side_exits.py). Candidates are loops that need not end by a
counter, and in which a branch depends on a load at an address that the loop's iterations have in common. Where a store
of the loop may change what decides, the registers say less, so such a loop iterates longer before it is tested.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Set
from functools import cache, cached_property
from itertools import chain, product
from typing import NamedTuple

from openptx.control_flow import control
from openptx.engines.native.analysis.cfg import Block, Graph
from openptx.engines.native.analysis.spin_loops import (
    cycles,
    guard_cells,
    natural_loops,
    positions,
    slice_back,
    slice_of,
    writers,
)
from openptx.isa.instructions.integer_arithmetic import add, sub
from openptx.isa.memory_consistency import may_poll
from openptx.isa.types import Type
from openptx.program import Address, Op, Reg, Symbol

OF_THREAD = ("local", "frame", "param", "param::func", "param::entry", "const")


class PossibleWait(NamedTuple):
    header: int
    cells: frozenset[int]
    """The registers that change at the header if the loop goes on."""
    evolves: bool
    """Whether a store or a called function may change the memory from which branches are computed."""


class Called(NamedTuple):
    """Whether functions that are called access memory of other threads."""

    reads: bool
    writes: bool


def possible_waits(
    graph: Graph, touches: Mapping[int, str], counted: Container[int], called: Called
) -> Iterator[PossibleWait]:
    """The loops of a function, but for those with headers in `counted`, and those with barriers, at which other warps
    run."""
    code = graph.function.code
    for cycle in cycles(graph.blocks):
        pcs, progress = positions(graph, cycle), Progress(graph, cycle)
        loads = {pc for pc in pcs if touches.get(pc) in ("load", "probe") and may_poll(code[pc].m)}
        if not loads and not (called.reads and any(control(code[pc]) == "call" for pc in pcs)):
            continue
        decides = deciding_cells(graph, pcs)
        loads = {pc for pc in loads if not graph.cells.writes(code[pc]).isdisjoint(decides)}
        for loop in natural_loops(graph.blocks, cycle):
            header, own = min(loop), positions(graph, loop)
            if header in counted or any(graph.blocks[b].is_cta_barrier for b in loop) or is_bounded(graph, loop):
                continue
            calls = any(control(code[pc]) == "call" for pc in own)
            if (calls and called.reads) or any(polls_one_place(graph, loop, pc) for pc in loads.intersection(own)):
                evolves = (calls and called.writes) or evolves_by_stores(graph, own, decides)
                yield PossibleWait(header, progress.at(header), evolves)


class Progress:
    """The registers that change at the headers of a cycle if their loops go on: branches are computed from them, and
    they are written around the loop, or what it loads decides how. (A counter changes while it waits, too.)"""

    def __init__(self, graph: Graph, cycle: frozenset[int]) -> None:
        self.graph, self.cycle = graph, cycle

    @cached_property
    def changing(self) -> frozenset[int]:
        """Those that the cycle writes and from which its branches are computed."""
        around = positions(self.graph, self.cycle)
        return frozenset(deciding_cells(self.graph, around, one_base=True) & writers(self.graph, around).keys())

    @cached_property
    def loops(self) -> dict[int, frozenset[int]]:
        """The blocks of all loops that have a header."""
        found: dict[int, frozenset[int]] = {}
        for loop in natural_loops(self.graph.blocks, self.cycle):
            found[min(loop)] = found.get(min(loop), frozenset()) | loop
        return found

    def at(self, header: int) -> frozenset[int]:
        graph, loop = self.graph, self.loops.get(header, frozenset())
        code, blocks = graph.function.code, graph.blocks
        block_of = {pc: b for b in loop for pc in range(blocks[b].start, blocks[b].stop)}
        writing = writers(graph, sorted(block_of))
        loaded = {cell for pc in block_of if code[pc].form.instruction.access for cell in graph.cells.writes(code[pc])}

        @cache
        def optional(b: int) -> bool:
            return avoidable(blocks, loop, b)

        def tells(cell: int) -> bool:
            own = writing.get(cell, ())
            at_will = any(code[pc].guard is not None or optional(block_of[pc]) for pc in own)
            return not own or at_will or not loaded.isdisjoint(slice_of(graph, writing, {cell}))

        return frozenset(filter(tells, self.changing & blocks[header].live_in))


def deciding_cells(graph: Graph, pcs: list[int], *, one_base: bool = False) -> set[int]:
    """The registers from which a loop's branches are computed, also by way of memory: a load may be of what a store has
    written, with `one_base` only if `same_base` is true of them."""
    code, cells = graph.function.code, graph.cells
    writing = writers(graph, pcs)
    decides = slice_of(graph, writing, {cell for pc in pcs for cell in guard_cells(graph, pc)})
    stores = [code[pc] for pc in pcs if code[pc].form.instruction.access == "store"]
    while True:
        loaded: dict[Reg | None, list[Op]] = {}
        for load in deciding_loads(graph, pcs, decides):
            loaded.setdefault(base_of(load) if one_base else None, []).append(load)
        met: list[Op] = []
        for store in stores:
            base = base_of(store) if one_base else None
            groups = loaded.values() if base is None else (loaded.get(base, ()), loaded.get(None, ()))
            if not cells.reads(store) <= decides and any(
                may_meet(graph, store, load, writing.keys()) for load in chain(*groups)
            ):
                met.append(store)
        if not met:
            return decides
        decides = slice_of(graph, writing, decides.union(*(cells.reads(store) for store in met)))


def deciding_loads(graph: Graph, pcs: list[int], decides: Set[int]) -> list[Op]:
    ops = [graph.function.code[pc] for pc in pcs]
    return [
        op
        for op in ops
        if op.form.instruction.access in ("load", "update") and not graph.cells.writes(op).isdisjoint(decides)
    ]


def evolves_by_stores(graph: Graph, pcs: list[int], decides: Set[int]) -> bool:
    """Whether a store of one iteration may be what a later one's branches depend on."""
    code = graph.function.code
    written = frozenset[int]().union(*(graph.cells.writes(code[pc]) for pc in pcs))
    ops = [code[pc] for pc in pcs]
    wanted = [op for op in deciding_loads(graph, pcs, decides) if not is_forwarded(graph, op, ops)]
    writers = [op for op in ops if op.form.instruction.access in ("store", "update")]
    return any(may_meet(graph, *pair, written) and same_base(*pair) for pair in product(writers, wanted))


def may_meet(graph: Graph, store: Op, load: Op, written: Set[int]) -> bool:
    """Whether two accesses of a loop, which writes the registers `written`, may be to the same memory."""
    return may_alias(store, load) and not apart(graph, store, load, written)


def same_base(store: Op, load: Op) -> bool:
    """Whether two accesses have one base. (Pointers to different things are taken to be different.)"""
    a, b = base_of(store), base_of(load)
    return a == b or a is None or b is None


def base_of(op: Op) -> Reg | None:
    """The register to which an access adds a constant; None if there is none."""
    base = next((o.base for o in op.operands if isinstance(o, Address)), None)
    return base if isinstance(base, Reg) else None


def is_forwarded(graph: Graph, load: Op, ops: list[Op]) -> bool:
    """Whether a thread's own store comes just before a load of the same place: code without optimisation."""
    at, place = ops.index(load), place_of(load)
    for op in reversed(ops[:at]):
        if op.form.instruction.access in ("store", "update"):
            return place is not None and op.guard is None and place_of(op) == place
        if control(op) is not None or not graph.cells.writes(op).isdisjoint(graph.cells.reads(load)):
            return False
    return False


class Place(NamedTuple):
    """Where an access is; `size` in bytes."""

    base: object
    offset: int
    size: int


def place_of(op: Op) -> Place | None:
    place = next((o for o in op.operands if isinstance(o, Address)), None)
    declared = op.m.values.get("type")
    if place is None or not isinstance(declared, Type):
        return None
    count = {"v2": 2, "v4": 4, "v8": 8}.get(str(op.m.values.get("vec")), 1)
    return Place(place.base, place.offset, declared.width // 8 * count)


def apart(graph: Graph, store: Op, load: Op, written: Set[int]) -> bool:
    """Whether two accesses at constant distances from one base do not overlap."""
    a, b = place_of(store), place_of(load)
    if a is None or b is None or a.base != b.base:
        return False
    if isinstance(a.base, Reg) and not written.isdisjoint(graph.cells.of(a.base)):
        return False
    return a.offset + a.size <= b.offset or b.offset + b.size <= a.offset


def may_alias(store: Op, load: Op) -> bool:
    """Whether two accesses may be to the same memory, by their spaces and variables."""
    a, b = (str(op.m.space or "generic").partition("::")[0] for op in (store, load))
    if a != b and ("generic" not in (a, b) or not {"param", "frame", "const"}.isdisjoint((a, b))):
        return False
    bases = [next((o.base for o in op.operands if isinstance(o, Address)), None) for op in (store, load)]
    variables = [base.variable for base in bases if isinstance(base, Symbol)]
    return len(variables) < 2 or variables[0] is variables[1]


def polls_one_place(graph: Graph, loop: frozenset[int], pc: int) -> bool:
    """Whether a load's address does not depend on what the loop's iterations pass on to each other."""
    op, pcs = graph.function.code[pc], positions(graph, loop)
    carried = graph.blocks[min(loop)].live_in & frozenset[int]().union(
        *(graph.cells.writes(graph.function.code[i]) for i in pcs)
    )
    place = next((o for o in op.operands if isinstance(o, Address)), None)
    if place is None or not isinstance(place.base, Reg):
        return True
    return carried.isdisjoint(slice_back(graph, pcs, set(graph.cells.of(place.base))))


def is_bounded(graph: Graph, loop: frozenset[int]) -> bool:
    """Whether a loop ends by itself: each iteration changes a counter by the same amount, and ends the loop if a
    comparison of this one says so."""
    code, cells = graph.function.code, graph.cells
    always = [b for b in loop if not avoidable(graph.blocks, loop, b)]
    own = positions(graph, frozenset(always))
    written = [cell for pc in positions(graph, loop) for cell in cells.writes(code[pc])]
    steps = [pc for pc in own if code[pc].form.instruction in (add, sub) and code[pc].guard is None]
    counters = {
        cell
        for pc in steps
        for cell in cells.writes(code[pc]) & cells.reads(code[pc])
        if written.count(cell) == 1 and {*written}.isdisjoint(cells.reads(code[pc]) - {cell})
    }
    stays = {
        (guard.index, (b.successors[0] in loop) != guard.negated)
        for b in (graph.blocks[i] for i in always)
        if not loop.issuperset(b.successors) and b.last is not None and (guard := b.last.guard) is not None
    }
    return any(
        op.guard is None
        and not counters.isdisjoint(cells.reads(op))
        and any(
            (cell, True) in stays or ((cell, False) in stays and op.m.values.get("BoolOp") is None)
            for cell in cells.writes(op)
        )
        for op in (code[pc] for pc in own)
        if op.m.values.get("CmpOp") is not None and op.m.values.get("BoolOp") in (None, "and")
    )


def avoidable(blocks: list[Block], loop: frozenset[int], b: int) -> bool:
    """Whether an iteration may pass a block by."""
    header = min(loop)
    if b == header:
        return False
    seen, work = {header}, [header]
    while work:
        for s in blocks[work.pop()].successors:
            if s == header:
                return True
            if s in loop and s != b and s not in seen:
                seen.add(s)
                work.append(s)
    return False
