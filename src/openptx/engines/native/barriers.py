"""Barriers: a warp saves what changed in its frame and makes room for the next one, and comes back behind them."""

from __future__ import annotations

from openptx.engines.native import layout
from openptx.engines.native.fallback import Fallback
from openptx.engines.native.flow import END, Block, control
from openptx.engines.native.frames import writes
from openptx.engines.native.paths import Paths
from openptx.engines.native.values import ZEROS, N
from openptx.numerics import Bits
from openptx.program import Op


class Barriers(Paths):
    numbers: set[int] | None  # barriers that are used; None: nobody knows
    suspends: frozenset[int]  # blocks that end with one

    def counts(self) -> bool:
        """Whether barriers count anything but threads that have not ended."""

        def given(op: Op) -> set[str]:
            return {t.name for t, o in zip(op.form.operands, op.operands, strict=True) if o is not None}

        return any(not given(op) <= {"a"} for op in self.function.code if control(op) == "barrier")

    def barrier(self, b: Block, op: Op, guard: Bits, waiting: frozenset[int]) -> None:
        out = self.out
        waiting = frozenset()  # `park` has waited for them
        if not (isinstance(guard.v, int) and guard.v):
            raise Fallback("a guarded barrier")
        if self.dry:
            self.spill_barrier(op, None)
            self.go(b.successors[0], waiting)
            return
        named = dict(zip([t.name for t in op.form.operands if t.role != "write"], self.sources(op), strict=True))
        number, count = named["a"], named.get("b")
        for value in (number, count):
            if value is not None and not self.uniform(value):
                raise Fallback("a barrier whose operands differ between lanes")
        if isinstance(number.v, int) and number.v < 16:
            if self.numbers is not None:
                self.numbers.add(number.v)
        else:
            self.numbers = None
            self.require(number < 16, "invalid-barrier", "a barrier's number is 0 to 15")
        if count is not None:
            right = ((count & 31) == 0) & (count != 0)
            self.require(right, "invalid-barrier", "a barrier's thread count is a multiple of 32, and not 0")
        mode = op.m.mode
        yes = "0" if mode != "red" else self.scalar(self.ballot(named["c"]))
        wanted = self.scalar(count) if count is not None else "0"
        live = self.mask_word()
        ticket = out.emit(
            f"call i32 @openptx.arrive(ptr %w, i32 {self.scalar(number)}, i32 {wanted}, i32 {live}, i32 {yes})"
        )
        if mode == "arrive":
            self.spill()
            self.go(b.successors[0], waiting)
            return
        self.spill()
        self.suspend(b, self.scalar(number), ticket)
        self.restore(b, op, b.successors[0])

    def spill_barrier(self, op: Op, value: Bits | None) -> None:
        for place in self.destinations(op):
            if place is not None:
                w = 1 if op.m.op != "popc" else 32
                self.write(place, self.bits("%none", w, ZEROS))
        self.spill()

    def suspend(self, b: Block, number: str, ticket: str) -> None:
        """Saves what lives behind the barrier, and leaves."""
        out = self.out

        def field(offset: int) -> str:
            return out.emit(f"getelementptr i8, ptr %frame, i64 {offset}")

        out.line(f"store i32 {b.stop}, ptr {field(layout.RESUME)}, align 4")
        out.line(f"store i32 {int(bool(self.enters))}, ptr {field(layout.VERSION)}, align 4")
        out.line(f"store i32 {number}, ptr {field(layout.WAITS)}, align 4")
        out.line(f"store i32 {ticket}, ptr {field(layout.GENERATION)}, align 4")
        live = out.emit(f"load <{N} x i1>, ptr %live, align 4")
        word = out.emit(f"bitcast <{N} x i1> {live} to i{N}")
        out.line(f"store i32 {word}, ptr {field(layout.LIVE)}, align 4")
        changed = self.traffic.changed[b.index] | writes(self.graph, b.index, b.stop - 1)
        for cell, offset in self.saved(b):
            if cell in changed:
                t = self.cell_type(cell)
                name = out.emit(f"load {t}, ptr %r{cell}, align 4")
                out.line(f"store {t} {name}, ptr {field(offset)}, align 8")
        self.keeps(b, self.saved(b), self.live_behind_barrier(b))
        if not self.takes_turns:
            out.line(f"ret i32 {layout.SUSPENDED}")
            return
        if self.partial[b.index]:  # if lanes have ended since, others may be waiting for nobody
            fewer, on = out.fresh(), out.fresh()
            now = out.emit(f"call i32 @llvm.ctpop.i32(i32 {word})")
            before = out.emit(f"load i32, ptr {field(layout.HERE)}, align 4")
            out.unlikely(out.emit(f"icmp ne i32 {now}, {before}"), fewer, on)
            out.start(fewer)
            self.return_with(layout.SUSPENDED)
            out.start(on)
        out.jump("onward")

    def restore(self, b: Block, op: Op, goal: int) -> None:
        """What happens when the barrier lets the warp go on."""
        out = self.out
        out.start(f"resume{b.stop}")

        def field(offset: int) -> str:
            return out.emit(f"getelementptr i8, ptr %frame, i64 {offset}")

        word = out.emit(f"load i32, ptr {field(layout.LIVE)}, align 4")
        live = out.emit(f"bitcast i{N} {word} to <{N} x i1>")
        out.line(f"store <{N} x i1> {live}, ptr %live, align 4")
        wanted = self.traffic.wanted[goal] if goal != END else frozenset[int]()
        for cell, offset in self.saved(b):
            if cell in wanted:
                t = self.cell_type(cell)
                name = out.emit(f"load {t}, ptr {field(offset)}, align 8")
                out.line(f"store {t} {name}, ptr %r{cell}, align 4")
        self.current, self.written = {}, set()
        if op.m.mode == "red":
            number = out.emit(f"load i32, ptr {field(layout.WAITS)}, align 4")
            ticket = out.emit(f"load i32, ptr {field(layout.GENERATION)}, align 4")
            kind = {"popc": 0, "and": 1, "or": 2}[str(op.m.op)]
            value = out.emit(f"call i32 @openptx.verdict(ptr %w, i32 {number}, i32 {ticket}, i32 {kind})")
            result = self.bits(value, 32, ZEROS)
            if kind:
                result = self.resize(result, 1)
            before, self.pending = self.pending, [frozenset()] * len(self.pending)  # all lanes of the warp are here
            for place in self.destinations(op):
                if place is not None:
                    self.write(place, result)
            self.pending = before
            self.spill()
        if goal == END:
            out.line(f"store <{N} x i1> zeroinitializer, ptr %live, align 4")
            out.jump("ended")
        else:
            if goal in self.masked:
                out.line(f"store <{N} x i1> {live}, ptr %m{goal}, align 4")
            out.jump(f"block{goal}")

    def places(self) -> dict[int, int]:
        """Where the frame keeps registers that live behind barriers; makes it large enough for all as vectors."""
        cells: set[int] = set()
        for index in self.suspends:
            cells |= self.live_behind_barrier(self.graph.blocks[index])
        offset, slots = layout.SAVED, dict[int, int]()
        for cell in sorted(cells, key=lambda c: (self.size_of(c), c)):
            shape = self.shapes[cell]
            if shape is not None and shape.known is None:
                size = self.size_of(cell)
                offset = -(-offset // min(size, 64)) * min(size, 64)
                slots[cell] = offset
                offset += size
        widest = layout.SAVED + sum(max(64, self.cells.widths[cell] * N // 8) for cell in cells)
        self.frame_size = max(self.frame_size, offset, widest)  # the version that knows nothing of lanes shares it
        return slots

    def live_behind_barrier(self, b: Block) -> frozenset[int]:
        """Registers that live behind the barrier that ends a block, but for those that it writes."""
        return b.live_out - (self.cells.writes(b.last) if b.last is not None else frozenset[int]())

    def saved(self, b: Block) -> list[tuple[int, int]]:
        """Registers that live behind a barrier, and where the frame keeps them."""
        behind = self.live_behind_barrier(b)
        return [(cell, offset) for cell, offset in self.slots.items() if cell in behind]

    def size_of(self, cell: int) -> int:
        shape, w = self.shapes[cell], max(self.cells.widths[cell], 8) // 8
        if self.cells.widths[cell] == 1:
            return 4 if shape is not None and shape.lanes is None else 1
        return w * N if shape is not None and shape.lanes is None else w


def suspends(b: Block) -> bool:
    """Whether warps stop behind the block until others come."""
    return b.last is not None and control(b.last) == "barrier" and b.last.m.mode != "arrive"
