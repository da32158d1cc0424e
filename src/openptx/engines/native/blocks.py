"""The code of one block: operations under their guards, loops that ask whether to go on, lanes that are waited for."""

from __future__ import annotations

from openptx.engines.common import fault_text
from openptx.engines.common.cancellation import check_cancelled
from openptx.engines.native.borrower import Borrower
from openptx.engines.native.fallback import Fallback
from openptx.engines.native.flow import Block, control
from openptx.engines.native.spans import Group
from openptx.engines.native.values import ZEROS, N
from openptx.numerics import Bits
from openptx.program import Address, Op, Reg

FUEL, FUEL_LEAST, FUEL_SPENT = 1 << 16, 16, 1 << 18
"""Turns of loops between two polls: at most, at least, and instructions that may be executed meanwhile."""

OFTEN = 5
"""One of so many operations of a loop must be an access that is checked with others, or two copies do not pay."""


class Blocks(Borrower):
    headers: set[int]  # where loops begin: lowest blocks of cycles
    turning: set[int]  # those that may be waiting for other threads

    def make_block(self, b: Block) -> None:
        out, graph = self.out, self.graph
        self.here = b
        self.current: dict[int, Bits] = {}
        self.written: set[int] = set()
        self.unknown = False
        self.doubtful: set[int] = set()  # cells whose value rests on registers that no dry run has seen written
        waiting = self.pending[b.index]
        if self.is_function:
            self.frame_base = self.bits("%base", 64, ZEROS, 4)
        self.kept = frozenset[int]().union(*(graph.blocks[c].live_in for c in waiting)) if waiting else frozenset()
        out.start(f"block{b.index}")
        if not self.dry and self.function.code[b.start : b.start + 1]:
            out.line(f"; {b.start}")
        if not self.partial[b.index]:
            self.here_mask = self.const(1, 1)
        else:
            source = f"%m{b.index}" if waiting else "%live"
            self.here_mask = self.bits(out.emit(f"load <{N} x i1>, ptr {source}, align 4"), 1)
        if b.index in self.masked:
            out.line(f"store <{N} x i1> zeroinitializer, ptr %m{b.index}, align 4")
        self.mask, self.uncertain, self.guard_bits = self.here_mask, False, None
        if b.index in self.headers:
            self.poll(b)
        if waiting and b.parks:
            self.park(b, waiting)
        self.groups = {} if self.dry else self.grouped(b)
        if self.hurries(b):
            self.careful = again = out.fresh()
            self.operations(b)
            out.start(again)
            self.current, self.written, self.doubtful, self.unknown = {}, set(), set(), False
        self.operations(b)

    def hurries(self, b: Block) -> bool:
        """Whether to make the block twice: it is the whole of a loop, and has accesses that are checked together.

        The first time no access of theirs has another way beside it. Where a check fails, before anything was written
        to memory, all begins anew in the second, which is what other blocks are.
        """
        ops = self.function.code[b.start : b.stop]
        if not self.groups or not self.checked or b.index not in b.successors or len(self.groups) * OFTEN < len(ops):
            return False
        plain = all(control(op) is None and op.form.instruction.converges is None for op in ops[:-1])
        return plain and control(ops[-1]) == "branch"

    def operations(self, b: Block) -> None:
        """All that stands in the block, and where it goes on."""
        self.guarded: set[tuple[object, ...]] = set()
        self.group_good, self.rows_here = {}, {}
        lives = self.graph.live_after(b, self.kept)
        self.live_before = b.live_in
        stop = b.stop - 1 if b.last is not None else b.stop
        for pc in range(b.start, stop):
            self.live_behind = lives[pc - b.start]
            self.perform(pc, self.function.code[pc])
            self.live_before = self.live_behind
        self.live_behind = lives[-1]
        self.site = b.stop - 1
        self.careful = ""
        self.finish(b)

    def grouped(self, b: Block) -> dict[int, Group]:
        """The block's accesses that may be checked together, by position."""
        version: dict[int, int] = {}
        accesses: dict[tuple[object, ...], list[tuple[int, int, tuple[str, int, bool]]]] = {}
        for pc in range(b.start, b.stop):
            op = self.function.code[pc]
            places = [o for o in op.operands if isinstance(o, Address)]
            facts = self.sizes.get(pc)
            if len(places) == 1 and isinstance(places[0].base, Reg) and op.guard is None and facts is not None:
                cell = places[0].base.index
                key = (cell, version.get(cell, 0), op.m.space)
                accesses.setdefault(key, []).append((pc, places[0].offset, facts))
            for cell in self.cells.writes(op):
                version[cell] = version.get(cell, 0) + 1
        found: dict[int, Group] = {}
        for some in accesses.values():
            group = Group.of(some)
            if group is not None:
                found |= dict.fromkeys(group.members, group)
        return found

    def poll(self, b: Block) -> None:
        """Where loops begin, somebody is asked once in a while whether to go on."""
        out = self.out
        fuel = out.emit("load i32, ptr %fuel, align 4")
        less = out.emit(f"sub i32 {fuel}, 1")
        out.line(f"store i32 {less}, ptr %fuel, align 4")
        self.site = b.start
        with out.seldom(out.emit(f"icmp eq i32 {less}, 0")):
            out.line(f"store i32 {self.fuel()}, ptr %fuel, align 4")
            self.leave_if(out.emit("call i1 @openptx.poll(ptr %w)"))
        if b.index in self.turning:
            self.turn(b)

    def fuel(self) -> int:
        """How many turns of loops there may be between two polls."""
        return max(FUEL_LEAST, min(FUEL, FUEL_SPENT // max(len(self.function.code), 1)))

    def park(self, b: Block, waiting: frozenset[int]) -> None:
        """Lanes that the first operation names, and that are still elsewhere, are run first."""
        out = self.out
        op = self.function.code[b.start]
        others = [out.emit(f"load <{N} x i1>, ptr %m{c}, align 4") for c in sorted(waiting)]
        away = others[0]
        for other in others[1:]:
            away = out.emit(f"or <{N} x i1> {away}, {other}")
        if b.joins:
            word = out.emit(f"bitcast <{N} x i1> {away} to i{N}")
            stay, on = out.fresh(), out.fresh()
            out.branch(out.emit(f"icmp ne i{N} {word}, 0"), stay, on)
            self.wait_for_lanes(b, waiting, stay, on)
            return
        word = self.bits(out.emit(f"bitcast <{N} x i1> {away} to i{N}"), 32, ZEROS)
        missing = (self.members(op) & word) != 0
        if not self.uniform(missing):
            missing = missing & self.here_mask
        stay, on = out.fresh(), out.fresh()
        out.branch(self.any_of(missing), stay, on)
        self.wait_for_lanes(b, waiting, stay, on)

    def wait_for_lanes(self, b: Block, waiting: frozenset[int], stay: str, on: str) -> None:
        out = self.out
        out.start(stay)
        out.line(f"store <{N} x i1> {self.vector(self.here_mask)}, ptr %m{b.index}, align 4")
        several = any(self.graph.blocks[c].parks for c in waiting)
        if several and self.is_function:
            raise Fallback("lanes of a warp that may wait for each other at different places of a function")
        self.stay(b, waiting)
        out.start(on)
        if several:
            out.line("store i32 0, ptr %tries, align 4")

    def members(self, op: Op) -> Bits:
        """The lanes that an operation wants to be there, as a mask."""
        name = op.form.instruction.converges
        if name is None:
            return self.const(-1, 32)
        i = next(i for i, t in enumerate(t for t in op.form.operands if t.role != "write") if t.name == name)
        return self.sources(op)[i]

    def perform(self, pc: int, op: Op) -> None:
        """One operation that does not decide where to go on."""
        check_cancelled()
        self.site = pc
        if op.guard is None:
            self.act(op)
            return
        p = self.read_register(op.guard)
        if isinstance(p.v, int):
            if p.v:
                self.act(op)
            return
        self.guard_bits = p
        if self.uniform(p):
            # All or none: the guard is a branch only where memory is touched; results are selected.
            self.mask = self.bits(
                self.vector(p & self.here_mask) if self.partial[self.here.index] else self.vector(p), 1
            )
        else:
            self.mask = p & self.here_mask
        self.uncertain = True
        self.act(op)
        self.guard_bits, self.mask, self.uncertain = None, self.here_mask, False

    def act(self, op: Op) -> None:
        instruction = op.form.instruction
        kind = instruction.control
        if kind == "breakpoint":
            return
        if kind == "call":
            self.call_function(op)
            return
        if instruction.converges is not None:
            self.converge(op)
            if kind == "warp-barrier":
                return
        if kind is not None:
            raise Fallback(f"`{instruction.name}`")
        outer, self.unknown = self.unknown, False
        self.execute(op)
        self.unknown = outer

    def store_cell(self, cell: int, value: Bits) -> None:
        (self.doubtful.add if self.unknown else self.doubtful.discard)(cell)
        self.put(cell, value)

    def converge(self, op: Op) -> None:
        """Lanes that the operation names are here together, for `park` has waited for them."""
        members = self.members(op)
        self.require((members >> self.lane() & 1) != 0, "invalid-mask", fault_text.wrong_mask(op), members)

    def finish(self, b: Block) -> None:
        op, out = b.last, self.out
        kind = control(op) if op is not None else None
        waiting = self.pending[b.index]
        if op is None:
            self.spill()
            self.go(b.successors[0], waiting)
            return
        guard = self.read_register(op.guard) if op.guard is not None else self.const(1, 1)
        if kind in ("branch", "return", "exit", "trap"):
            if kind == "trap":
                self.trap(op, guard)
                if isinstance(guard.v, int) and guard.v:
                    return
                self.spill()
                self.go(b.successors[-1], waiting)
                return
            onward = b.successors[-1]
            self.spill()
            if isinstance(guard.v, int):
                self.go(b.successors[0] if guard.v else onward, waiting)
            elif self.uniform(guard):
                yes, no = out.fresh(), out.fresh()
                out.branch(self.scalar(guard), yes, no)
                out.start(yes)
                self.go(b.successors[0], waiting)
                out.start(no)
                self.go(onward, waiting)
            elif b.index in self.together_at:
                self.stay_together(b, onward, guard, waiting)
            else:
                if self.dry and not self.unknown:
                    self.divergent.add(b.index)
                self.part_ways(b.successors[0], onward, guard, waiting)
            return
        if kind == "branch-table":
            self.table(b, op, guard, waiting)
            return
        if kind == "barrier":
            self.barrier(b, op, guard, waiting)
            return
        raise Fallback(f"`{op.form.instruction.name}`")
