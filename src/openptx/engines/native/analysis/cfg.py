"""Basic blocks of a function, which registers live where, and where lanes may be waiting while others run.

Lanes that stand at different blocks run lowest block first. While block b runs, `pending[b]` are the blocks at which
lanes of the warp may be waiting; where it is empty the warp is together. That is all there is to reconvergence.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from openptx.program import Address, Arguments, Function, Op, Operand, Prototype, Reg, Target, Targets, Vector

END = -1
"""The block that lanes go to when they return or exit."""

_LEAVES = frozenset(("return", "exit"))
_ENDS = frozenset(("branch", "branch-table", "return", "exit", "trap", "barrier", "cluster-barrier"))


class Block:
    """Operations `start` to `stop` of a function. `last` is the one that decides where to go on, if one does."""

    __slots__ = (
        "defined",
        "index",
        "is_cta_barrier",
        "last",
        "live_in",
        "live_out",
        "start",
        "stop",
        "successors",
        "syncs_warp",
        "used",
    )

    def __init__(self, index: int, start: int, stop: int) -> None:
        self.index, self.start, self.stop = index, start, stop
        self.last: Op | None = None
        self.successors: tuple[int, ...] = ()  # blocks, END among them; a guarded branch has its target first
        self.syncs_warp = False  # begins with an operation that waits for other lanes
        self.is_cta_barrier = False  # and it is a barrier, which all lanes of the warp that still run must reach
        self.used: frozenset[int] = frozenset()
        self.defined: frozenset[int] = frozenset()
        self.live_in: frozenset[int] = frozenset()
        self.live_out: frozenset[int] = frozenset()


def bits_of(numbers: Collection[int]) -> int:
    """A set of small numbers as the bits of one: where many blocks wait for many, frozensets took minutes."""
    return sum(1 << number for number in numbers)


def set_of(bits: int) -> frozenset[int]:
    """The set again."""
    return frozenset(i for i, bit in enumerate(reversed(f"{bits:b}")) if bit == "1")


def control(op: Op) -> str | None:
    return op.form.instruction.control


def registers(operand: Operand | None) -> Iterator[Reg]:
    """All registers in an operand."""
    if isinstance(operand, Reg):
        yield operand
    elif isinstance(operand, Address):
        yield from registers(operand.base)
        for part in operand.parts:
            yield from registers(part)
    elif isinstance(operand, Vector):
        for element in operand.elements:
            yield from registers(element)
    elif isinstance(operand, Arguments):
        for value in operand.values:
            yield from registers(value)


class Cells:
    """Where a function's registers are kept: one cell each, two for 128 bits, and one for the carry flag."""

    def __init__(self, function: Function) -> None:
        self.widths: list[int] = [min(64, r.type.width) for r in function.registers]
        self.high: dict[int, int] = {}
        for r in function.registers:
            if r.type.width == 128:
                self.high[r.index] = len(self.widths)
                self.widths.append(64)
        self.carry = len(self.widths)
        self.widths.append(1)
        self._reads: dict[Op, frozenset[int]] = {}
        self._writes: dict[Op, frozenset[int]] = {}

    def of(self, r: Reg) -> tuple[int, ...]:
        return (r.index, self.high[r.index]) if r.index in self.high else (r.index,)

    def reads(self, op: Op) -> frozenset[int]:
        found = self._reads.get(op)
        if found is None:
            found = self._reads[op] = frozenset(self._read(op))
        return found

    def writes(self, op: Op) -> frozenset[int]:
        found = self._writes.get(op)
        if found is None:
            found = self._writes[op] = frozenset(self._written(op))
        return found

    def _read(self, op: Op) -> Iterator[int]:
        instruction = op.form.instruction
        if op.guard is not None:
            yield from self.of(op.guard)
        for template, operand in zip(op.form.operands, op.operands, strict=True):
            if template.role not in ("write", "returns") or template.name in instruction.updates:
                for r in registers(operand):
                    yield from self.of(r)
        if "in" in instruction.carry.split():
            yield self.carry

    def _written(self, op: Op) -> Iterator[int]:
        for template, operand in zip(op.form.operands, op.operands, strict=True):
            if template.role in ("write", "returns"):
                for r in registers(operand):
                    yield from self.of(r)
        if "out" in op.form.instruction.carry.split():
            yield self.carry


class Graph:
    """The blocks of a function in the order of its text."""

    def __init__(
        self, function: Function, cells: Cells, more: Collection[int] = (), kept: frozenset[int] = frozenset()
    ) -> None:
        self.kept = kept  # what lives where the function ends
        self.function, self.cells = function, cells
        code = function.code
        leaders = {0, *more}
        for pc, op in enumerate(code):
            for operand in op.operands:
                if isinstance(operand, Target):
                    leaders.add(operand.pc)
                elif isinstance(operand, Targets):
                    leaders.update(operand.pcs)
            if control(op) in _ENDS:
                leaders.add(pc + 1)
        starts = sorted(pc for pc in leaders if pc < len(code))
        self.blocks = [
            Block(i, start, stop) for i, (start, stop) in enumerate(zip(starts, [*starts[1:], len(code)], strict=True))
        ]
        self.at = {b.start: b.index for b in self.blocks}
        for b in self.blocks:
            self._connect(b)
        self._liveness()
        self._lives: dict[tuple[int, frozenset[int]], list[frozenset[int]]] = {}

    def target(self, pc: int) -> int:
        """The block at `pc`; END where it does nothing but leave."""
        code = self.function.code
        if pc >= len(code) or (control(code[pc]) in _LEAVES and code[pc].guard is None):
            return END
        return self.at[pc]

    def _connect(self, b: Block) -> None:
        op = self.function.code[b.stop - 1]
        kind = control(op)
        onward = self.target(b.stop)
        if kind not in _ENDS:
            b.successors = (onward,)
            return
        b.last = op
        if kind == "branch":
            goal = next(self.target(o.pc) for o in op.operands if isinstance(o, Target))
            b.successors = (goal,) if op.guard is None else (goal, onward)
        elif kind == "branch-table":
            goals = next(o.pcs for o in op.operands if isinstance(o, Targets))
            b.successors = tuple(dict.fromkeys(self.target(pc) for pc in goals))
            if op.guard is not None:
                b.successors += (onward,)
        elif kind in ("return", "exit", "trap"):
            b.successors = (END,) if op.guard is None else (END, onward)
        else:
            b.successors = (onward,)

    def _liveness(self) -> None:
        code, cells = self.function.code, self.cells
        for b in self.blocks:
            used: set[int] = set()
            defined: set[int] = set()
            for pc in range(b.start, b.stop):
                used |= cells.reads(code[pc]) - defined
                if code[pc].guard is None:
                    defined |= cells.writes(code[pc])
            b.used, b.defined = frozenset(used), frozenset(defined)
            b.live_in = b.used
        changed = True
        while changed:
            changed = False
            for b in reversed(self.blocks):
                out = frozenset[int]().union(*(self.blocks[s].live_in for s in b.successors if s != END))
                if END in b.successors:
                    out |= self.kept
                live = b.used | (out - b.defined)
                if live != b.live_in or out != b.live_out:
                    b.live_in, b.live_out, changed = live, out, True

    def live_after(self, b: Block, keep: frozenset[int] = frozenset()) -> list[frozenset[int]]:
        """The registers that live behind each operation of the block, where those of `keep` live on in any case."""
        found = self._lives.get((b.index, keep))
        if found is None:
            found = self._lives[b.index, keep] = self._live_after(b, keep)
        return found

    def _live_after(self, b: Block, keep: frozenset[int]) -> list[frozenset[int]]:
        code, live = self.function.code, set(b.live_out | keep)
        found: list[frozenset[int]] = []
        for pc in range(b.stop - 1, b.start - 1, -1):
            found.append(frozenset(live))
            if code[pc].guard is None:
                live -= self.cells.writes(code[pc])
            live |= self.cells.reads(code[pc])
        return found[::-1]

    def pending(self, divergent: Collection[int]) -> list[frozenset[int]]:
        """For each block where lanes may be waiting meanwhile, if the branches that end blocks in `divergent` split."""
        found = [0] * len(self.blocks)  # sets of blocks, as the bits of a number: see `bits_of`
        seen = [False] * len(self.blocks)
        work = [0] if self.blocks else []
        seen[0:1] = [True]

        def reach(candidates: int, last: int = END, also: int = 0) -> None:
            """One of `candidates` is next: the lowest that has lanes, `last` if none before it has."""
            while candidates:
                lowest = candidates & -candidates
                candidates ^= lowest
                c = lowest.bit_length() - 1
                waiting = found[c] | candidates | (also & ~lowest)
                if not seen[c] or waiting != found[c]:
                    seen[c], found[c] = True, waiting
                    if c not in work:
                        work.append(c)
                if c == last:
                    return

        while work:
            b = self.blocks[work.pop()]
            here = 0 if b.is_cta_barrier else found[b.index]
            goals = {s for s in b.successors if s != END}
            if b.index in divergent or len(goals) <= 1:
                leaves = END in b.successors
                if goals or here:
                    reach(here | bits_of(goals), END if leaves else max(goals, default=END))
            else:
                for s in goals:
                    reach(here | 1 << s, s)
            if END in b.successors and b.index not in divergent and here:
                reach(here)
            if b.syncs_warp and (parked := found[b.index]):
                here = set_of(parked)
                if any(self.blocks[c].syncs_warp for c in here):  # those that can run go first, see `Standing`
                    for c in here:
                        reach(1 << c, c, found[b.index] | 1 << b.index)
                else:
                    reach(parked, END, 1 << b.index)
        self.reached = seen
        sets = {bits: set_of(bits) for bits in {*found}}
        return [sets[bits] for bits in found]

    def cyclic(self) -> list[frozenset[int]]:
        """The sets of blocks that lie on cycles together."""
        return [
            c for c in components(self.blocks) if len(c) > 1 or next(iter(c)) in self.blocks[next(iter(c))].successors
        ]


def components(blocks: list[Block]) -> list[frozenset[int]]:
    """Strongly connected components, by Tarjan's algorithm without recursion."""
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    inside: set[int] = set()
    found: list[frozenset[int]] = []
    for root in range(len(blocks)):
        if root in number:
            continue
        path = [(root, iter(blocks[root].successors))]
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
                    cut = stack.index(b)
                    found.append(frozenset(stack[cut:]))
                    inside.difference_update(stack[cut:])
                    del stack[cut:]
            elif s in number:
                low[b] = min(low[b], number[s])
            else:
                number[s] = low[s] = len(number)
                stack.append(s)
                inside.add(s)
                path.append((s, iter(blocks[s].successors)))
    return found


__all__ = ["END", "Arguments", "Block", "Cells", "Graph", "Prototype", "control", "registers"]
