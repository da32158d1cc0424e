"""Loops, and spin loops: those that may wait for other threads, and so need a scheduler that runs these.

A loop may wait if its branches depend on an atomic or a strong load inside it. An atomic whose result becomes its own
operand, as in a compare-and-swap loop, does not count: some lane succeeds each time. A loop of weak loads waits if it
could not end otherwise: each of its iterations does the same.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence, Set
from functools import cache, cached_property

from openptx.control_flow import END, control
from openptx.engines.native.analysis.cfg import Block, Graph
from openptx.isa.memory_consistency import may_poll, strong
from openptx.isa.semantics.atomic_ops import IDEMPOTENT
from openptx.program import Address, Imm, Reg


def waiting_loops(graph: Graph, touches: Mapping[int, str]) -> Iterator[tuple[int, frozenset[int]]]:
    """The position of an operation that a loop may be waiting on, and the loop.

    `touches`: see `Facts`.
    """
    for cycle in cycles(graph.blocks):
        pc = awaited(graph, touches, cycle)
        if pc is not None:
            yield pc, cycle
        else:
            yield from polls(graph, touches, cycle)


def awaited(graph: Graph, touches: Mapping[int, str], cycle: frozenset[int]) -> int | None:
    """The position of an atomic or a strong load that may decide whether a loop ends."""
    pcs = positions(graph, cycle)
    decides = slice_back(graph, pcs, {c for pc in pcs for c in guard_cells(graph, pc)})
    return next(deciding(graph, touches, pcs, decides), None)


def advances(graph: Graph, touches: Mapping[int, str], cycle: frozenset[int]) -> bool:
    """Whether all that a loop may be waiting on seems to go on by itself: it takes the next item of a queue, or tries
    another place of a hash table. (A semaphore that is taken by a sum is given back by another one at the place.)"""
    pcs, code, cells = positions(graph, cycle), graph.function.code, graph.cells
    decides = slice_back(graph, pcs, {c for pc in pcs for c in guard_cells(graph, pc)})
    found = [*deciding(graph, touches, pcs, decides)]
    places = [next((o for o in code[pc].operands if isinstance(o, Address)), None) for pc in pcs if touches.get(pc)]

    @cache
    def inner_loops() -> list[frozenset[int]]:
        return sorted(natural_loops(graph.blocks, cycle), key=len)

    @cache
    def writers_in(loop: frozenset[int]) -> dict[int, list[int]]:
        return writers(graph, positions(graph, loop))

    @cache
    def tested() -> set[int]:
        return tested_for_equality(graph, pcs, writers_in(cycle))

    def moves(pc: int) -> bool:
        place = next((o for o in code[pc].operands if isinstance(o, Address)), None)
        if place is None or touches[pc] != "atomic":
            return False
        if code[pc].m.values.get("op") not in IDEMPOTENT:
            return places.count(place) == 1 and tested().isdisjoint(cells.writes(code[pc]))
        block = next(b for b in cycle if graph.blocks[b].start <= pc < graph.blocks[b].stop)
        inner = next((loop for loop in inner_loops() if block in loop), cycle)
        own = writers_in(inner)
        carried = graph.blocks[min(inner)].live_in & own.keys()
        base = set(cells.of(place.base)) if isinstance(place.base, Reg) else set[int]()
        return not carried.isdisjoint(slice_of(graph, own, base, without=pc))

    return bool(found) and all(moves(pc) for pc in found)


def tested_for_equality(graph: Graph, pcs: list[int], writing: Mapping[int, list[int]]) -> set[int]:
    """The cells from which a loop computes what must equal something, or must not, as in
    `while (atomicAdd(&word, 2) & 1)`. The items of a queue are compared with their number. `writing`: its `writers`."""
    tests = [op for op in (graph.function.code[pc] for pc in pcs) if op.m.values.get("CmpOp") in ("eq", "ne")]
    return slice_of(graph, writing, {cell for op in tests for cell in graph.cells.reads(op)})


def deciding(graph: Graph, touches: Mapping[int, str], pcs: list[int], decides: set[int]) -> Iterator[int]:
    """The positions, among those of a loop, of atomics and strong loads from which `decides` may be computed."""
    suspects = [
        pc for pc in pcs if touches.get(pc, "load") != "load" or (pc in touches and strong(graph.function.code[pc].m))
    ]
    if not suspects:
        return
    writing = writers(graph, pcs)
    retries, stored = Retries(graph, writing), slice_of(graph, writing, stored_for_others(graph, pcs, decides))
    for pc in suspects:
        op = graph.function.code[pc]
        results = graph.cells.writes(op)
        polls = touches[pc] != "atomic" or op.m.values.get("op") in IDEMPOTENT
        if not results & decides and not (polls and results & stored):
            continue
        if touches[pc] != "atomic" or not retries.has(pc):
            yield pc


class Retries:
    """Which atomics of a loop are retried: their results become their own operands. `writing`: the loop's `writers`."""

    def __init__(self, graph: Graph, writing: Mapping[int, list[int]]) -> None:
        self.code, self.cells, self.writing = graph.function.code, graph.cells, writing
        self.graph, self.numbers = graph, dict[int, frozenset[int]]()

    def has(self, pc: int) -> bool:
        """A compare-and-swap that waits, as for a semaphore, compares with something else: what it found, unless that
        is 0."""
        op = self.code[pc]
        results = {self.groups[cell] for cell in self.cells.writes(op)}
        if results.isdisjoint(self.groups.get(cell) for cell in self.cells.reads(op)):
            return False
        if op.m.values.get("op") != "cas":
            return True
        address = next(i for i, o in enumerate(op.operands) if isinstance(o, Address))
        compared = op.operands[address + 1]
        return isinstance(compared, Reg) and not any(self.has_number(cell, pc) for cell in self.cells.of(compared))

    @cached_property
    def groups(self) -> dict[int, int]:
        """For each cell that the loop writes, a number that those have in common which are computed from each other."""
        order = [*self.writing]
        at = {cell: i for i, cell in enumerate(order)}
        operands = ({c for pc in self.writing[cell] for c in self.cells.reads(self.code[pc])} for cell in order)
        found = components([[at[c] for c in own if c in at] for own in operands])
        return {order[i]: number for number, members in enumerate(found) for i in members}

    @cached_property
    def constant(self) -> dict[int, set[int]]:
        """For each cell, the positions of operations with a number among their operands that write it."""
        return {
            cell: {pc for pc in own if any(isinstance(o, Imm) for o in self.code[pc].operands)}
            for cell, own in self.writing.items()
        }

    def has_number(self, cell: int, pc: int) -> bool:
        """Whether operations other than that at `pc`, which are many where there are many atomics, compute a cell from
        a number."""
        if cell not in self.numbers:
            made = slice_of(self.graph, self.writing, {cell})
            self.numbers[cell] = frozenset[int]().union(*(self.constant.get(c, ()) for c in made))
        if self.numbers[cell] <= {pc}:
            return False
        found, work = {cell}, [cell]
        while work:
            if self.constant.get(work[-1], set[int]()) - {pc}:
                return True
            for other in self.writing.get(work.pop(), ()):
                if other != pc:
                    more = self.cells.reads(self.code[other]) - found
                    found |= more
                    work += more
        return False


def stored_for_others(graph: Graph, pcs: list[int], decides: set[int]) -> set[int]:
    """What a loop stores in memory, if what it loads there decides: a thread that polls for its block tells the others
    so, as in Triton's code. (One that takes the next item of a queue does not wait.)"""
    accesses = [op for op in (graph.function.code[pc] for pc in pcs) if op.form.instruction.access]
    ops = [op for op in accesses if op.m.space in ("generic", "shared", "shared::cta", "global")]
    if not any(graph.cells.writes(op) & decides for op in ops):
        return set()
    return {cell for op in ops if op.form.instruction.access != "load" for cell in graph.cells.reads(op)}


def polls(graph: Graph, touches: Mapping[int, str], cycle: frozenset[int]) -> Iterator[tuple[int, frozenset[int]]]:
    """The loops in one, itself included, that only a change of what weak loads read can end, and such a load."""
    code = graph.function.code
    if not any(touches.get(pc) == "load" and may_poll(code[pc].m) for pc in positions(graph, cycle)):
        return
    for loop in natural_loops(graph.blocks, cycle):
        loads = [pc for pc in positions(graph, loop) if touches.get(pc) == "load" and may_poll(code[pc].m)]
        if loads and spins(graph, touches, loop, barriers=True):
            yield loads[0], loop


def natural_loops(blocks: list[Block], cycle: frozenset[int]) -> Iterator[frozenset[int]]:
    """For each branch back to a header, the blocks from which it is reached without passing the header."""
    before: dict[int, list[int]] = {b: [] for b in cycle}
    for b in sorted(cycle):
        for s in blocks[b].successors:
            if s in cycle:
                before[s].append(b)
    for header, tails in before.items():
        for tail in tails:
            if header <= tail:
                found, work = {header, tail}, [tail]
                while work:
                    b = work.pop()
                    more = [p for p in before[b] if p not in found] if b != header else []
                    found.update(more)
                    work += more
                yield frozenset(found)


def polls_between_barriers(graph: Graph, touches: Mapping[int, str], counted: Container[int]) -> frozenset[int]:
    """The counted headers of loops with a barrier of the block, at which warps suspend in each iteration: of innermost
    loops, and of those around loops that poll a few times, if what was polled, or a call, ends them.

    Around a loop that waits at a barrier of the grid there may be another one, which is not waiting.
    """
    blocks, found = graph.blocks, set[int]()
    loops = {loop for cycle in cycles(blocks) for loop in natural_loops(blocks, cycle)}
    for loop in sorted(loops, key=len, reverse=True):  # of hundreds with one header, the whole one usually tells
        if min(loop) in found or min(loop) not in counted or not any(blocks[b].is_cta_barrier for b in loop):
            continue
        innermost = not any(other < loop and min(other) != min(loop) for other in loops)
        if innermost or ends_by_polls(graph, touches, loop):
            found.add(min(loop))
    return frozenset(found)


def ends_by_polls(graph: Graph, touches: Mapping[int, str], loop: frozenset[int]) -> bool:
    """Whether a loop's exits depend on what it polls, or on a call."""
    pcs, code = positions(graph, loop), graph.function.code
    ends = {
        c
        for b in loop
        if not loop.issuperset(graph.blocks[b].successors)
        for c in guard_cells(graph, graph.blocks[b].stop - 1)
    }
    decides = slice_back(graph, pcs, ends)
    if next(deciding(graph, touches, pcs, decides), None) is not None:
        return True
    if not any(control(code[pc]) == "call" for pc in pcs):
        return False
    returned = [code[pc] for pc in pcs if control(code[pc]) == "call" or code[pc].m.space == "frame"]
    stored = slice_back(graph, pcs, stored_for_others(graph, pcs, decides))
    return any(not graph.cells.writes(op).isdisjoint(decides | stored) for op in returned)


def positions(graph: Graph, cycle: frozenset[int]) -> list[int]:
    """The positions of a loop's operations."""
    return [pc for b in sorted(cycle) for pc in range(graph.blocks[b].start, graph.blocks[b].stop)]


def spins(graph: Graph, touches: Mapping[int, str], cycle: frozenset[int], *, barriers: bool = False) -> bool:
    """Whether each iteration of a waiting loop repeats the one before as long as no other thread changes memory: it
    stores nothing, and what it computes from earlier iterations (a counter, a time) does not decide whether it ends.

    `barriers`: those of the block, at which its other warps run, are allowed."""
    header, code, cells = min(cycle), graph.function.code, graph.cells
    blocks = [graph.blocks[b] for b in sorted(cycle)]
    if any(header < s <= b.index for b in blocks for s in b.successors if s in cycle):  # a loop inside
        return False
    pcs = [pc for b in blocks for pc in range(b.start, b.stop)]
    carried = blocks[0].live_in & frozenset[int]().union(*(cells.writes(code[pc]) for pc in pcs))
    ends = {c for b in blocks if not cycle.issuperset(b.successors) for c in guard_cells(graph, b.stop - 1)}
    decides = slice_back(graph, pcs, ends)
    rest = [pc for pc in pcs if not (barriers and control(code[pc]) == "barrier")]
    return decides.isdisjoint(carried) and all(changes_nothing(graph, touches, pc, carried) for pc in rest)


def changes_nothing(graph: Graph, touches: Mapping[int, str], pc: int, carried: Set[int]) -> bool:
    """Whether an operation leaves memory as it is if it has been executed before; `carried`: registers that change from
    one iteration to the next."""
    op = graph.function.code[pc]
    access = op.form.instruction.access
    if control(op) not in (None, "branch"):
        return False
    if touches.get(pc) in ("load", "probe") and access != "store":
        return True
    if access == "update":
        return op.m.values.get("op") in IDEMPOTENT and carried.isdisjoint(graph.cells.reads(op))
    return not access and pc not in touches and not any(isinstance(o, Address) for o in op.operands)


def is_of_cta(graph: Graph, touches: Mapping[int, str], cycle: frozenset[int]) -> bool:
    """Whether a loop waits for a change of shared memory alone."""
    pcs = [pc for b in cycle for pc in range(graph.blocks[b].start, graph.blocks[b].stop)]
    return all(graph.function.code[pc].m.space in ("shared", "shared::cta") for pc in pcs if pc in touches)


def guard_cells(graph: Graph, pc: int) -> tuple[int, ...]:
    op = graph.function.code[pc]
    found = graph.cells.of(op.guard) if op.guard is not None else ()
    if control(op) == "branch-table":
        found += tuple(graph.cells.reads(op))
    return found


def slice_back(graph: Graph, pcs: Sequence[int], cells: Set[int]) -> set[int]:
    """All cells from which the operations at `pcs` compute `cells`."""
    return slice_of(graph, writers(graph, pcs), cells)


def writers(graph: Graph, pcs: Sequence[int]) -> dict[int, list[int]]:
    """For each cell that the operations at `pcs` write, the positions of those that do."""
    found: dict[int, list[int]] = {}
    for pc in pcs:
        for cell in graph.cells.writes(graph.function.code[pc]):
            found.setdefault(cell, []).append(pc)
    return found


def slice_of(graph: Graph, writing: Mapping[int, list[int]], cells: Set[int], without: int | None = None) -> set[int]:
    """All cells from which operations compute `cells`; `writing`: see `writers`, of which one may be left out."""
    found, work = set(cells), [*cells]
    while work:
        for pc in writing.get(work.pop(), ()):
            if pc != without:
                more = graph.cells.reads(graph.function.code[pc]) - found
                found |= more
                work += more
    return found


def loops_with_calls(graph: Graph) -> list[frozenset[int]]:
    blocks, code = graph.blocks, graph.function.code

    def has_call(loop: frozenset[int]) -> bool:
        return any(control(op) == "call" for i in loop for op in code[blocks[i].start : blocks[i].stop])

    return [loop for loop in cycles(blocks) if has_call(loop)]


def cycles(blocks: list[Block]) -> list[frozenset[int]]:
    """Strongly connected components with at least one internal edge."""

    def has_edge(c: frozenset[int]) -> bool:
        (b, *others) = c
        return bool(others) or b in blocks[b].successors

    return [c for c in components([b.successors for b in blocks]) if has_edge(c)]


def components(successors: Sequence[Sequence[int]]) -> list[frozenset[int]]:
    """Strongly connected components of a graph of nodes 0 to n - 1, by Tarjan's algorithm without recursion."""
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    inside: set[int] = set()
    found: list[frozenset[int]] = []
    for root in range(len(successors)):
        if root in number:
            continue
        path = [(root, iter(successors[root]))]
        number[root] = low[root] = len(number)
        stack.append(root)
        inside.add(root)
        while path:
            b, rest = path[-1]
            s = next((s for s in rest if s != END and (s not in number or s in inside)), None)
            if s is None:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[b])
                if low[b] == number[b]:
                    members = [stack.pop()]
                    while members[-1] != b:
                        members.append(stack.pop())
                    inside.difference_update(members)
                    found.append(frozenset(members))
            elif s in number:
                low[b] = min(low[b], number[s])
            else:
                number[s] = low[s] = len(number)
                stack.append(s)
                inside.add(s)
                path.append((s, iter(successors[s])))
    return found
