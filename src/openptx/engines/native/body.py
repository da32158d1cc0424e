"""The code of one kernel: registers kept by what is known of them, blocks run lowest first, waits at barriers.

The text is made twice or more: dry runs find what is known of each register and which branches split the warp, until
nothing changes; the last run is kept.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from openptx.engines.native import layout
from openptx.engines.native.calls import SLOT, Callees
from openptx.engines.native.cpu import CPU
from openptx.engines.native.emitter import vector_type
from openptx.engines.native.float_bits import FLOAT
from openptx.engines.native.flow import END, Block, Cells, Graph, control, registers
from openptx.engines.native.frames import Traffic, writes
from openptx.engines.native.memory import Fallback, Group
from openptx.engines.native.outline import Outlined
from openptx.engines.native.standing import TURNS, Kept, Stand, Standing
from openptx.engines.native.values import ZEROS, N, Shape, join, shape_of, varying
from openptx.engines.native.waiting import slice_back, waiting_loops
from openptx.engines.native.writer import Writer
from openptx.engines.sites import Site
from openptx.isa.consistency import strong
from openptx.numerics import Bits
from openptx.program import Address, Function, Op, Program, Reg, Register, Symbol, Targets
from openptx.runtime.image import Image

if TYPE_CHECKING:
    from openptx.isa.machine import Update, Word

Triple = tuple[int, int, int]
FUEL = 1 << 16
"""Turns of loops between two polls."""

TRIES = 4
PASSES = 40
SETTLE = 3  # dry runs after which bounds that still grow are given up


class Options:
    """What a kernel is compiled for."""

    __slots__ = ("block", "checks", "locked", "shapes", "speculates", "turns")

    def __init__(
        self, block: Triple, locked: bool, shapes: bool = True, checks: bool = True, speculates: bool = True,
        turns: int = 0,
    ) -> None:  # fmt: skip
        self.turns = turns
        self.block, self.locked, self.shapes, self.checks = block, locked, shapes, checks
        self.speculates = speculates and shapes

    def key(self) -> tuple[object, ...]:
        return (self.block, self.locked, self.shapes, self.checks, self.speculates, self.turns)


class Stack(NamedTuple):
    """Local memory that a thread needs for all frames: `size` bytes at most, or the kernel's own where calls recur."""

    size: int
    recursive: bool

    @staticmethod
    def of(bodies: list[Body]) -> Stack:
        known = {b.function.name: b for b in bodies}
        depth: dict[str, int] = {}

        def below(name: str, path: frozenset[str]) -> int:
            if name in path:
                raise RecursionError
            if name not in depth:
                b = known[name]
                calls = [c for c in b.function.callees if c in known]
                depth[name] = b.local_size + max((below(c, path | {name}) for c in calls), default=0)
            return depth[name]

        kernel = bodies[0]
        try:
            indirect = any(b.calls_indirectly() for b in bodies)
            return (
                Stack(below(kernel.function.name, frozenset()), False)
                if not indirect
                else Stack(kernel.local_size, True)
            )
        except RecursionError:
            return Stack(kernel.local_size, True)


class Exit(NamedTuple):
    """Where a warp leaves for the version that knows nothing of lanes; what it takes along, in the frame's order."""

    cells: tuple[int, ...]
    waiting: tuple[int, ...]  # positions of the blocks where lanes wait


class Body(Standing):
    """Makes the text of one kernel, or of a function that it calls."""

    def __init__(
        self, program: Program, function: Function, image: Image, options: Options, cpu: CPU, name: str,
        functions: dict[object, Outlined], messages: list[tuple[str, str]], entries: Mapping[int, Exit] | None = None,
        callees: Callees | None = None,
    ) -> None:  # fmt: skip
        super().__init__(functions)
        self.program, self.function, self.image, self.options, self.cpu = program, function, image, options, cpu
        self.address_size = program.address_size
        self.block, self.locked = options.block, options.locked
        self.messages = messages
        self.globals: list[str] = []
        self.touches: dict[int, str] = {}
        self.sizes = {}
        self.shared_range = shared_range(program, function)
        self.static_shared = program.shared_size
        self.parameter_size = function.parameter_size
        self.local_size = -(-function.frame_size // 16) * 16
        self.checked = options.checks
        self.has_local = function.frame_size > 0 or bool(function.callees)
        self.callees = callees or Callees()
        self.is_function = function.kind != "entry"
        self.frame_size_here = self.local_size
        if self.is_function:
            self.has_local = True
            self.site_base = (self.callees.names.index(function.name) + 1) << 20
        self.label_name = name
        self.enters = entries or {}
        self.exits: dict[int, Exit] = {}
        self.version, self.stands = int(entries is not None), dict[int, Stand]()
        self.turning: set[int] = set()  # where loops begin that may be waiting for other threads
        self.cells = Cells(function)
        self.graph = Graph(function, self.cells, self.extra_leaders(), frozenset(self.result_cells()))
        self.together_at: dict[int, set[int]] = {}  # blocks whose branch is assumed not to part lanes, and for what
        self.addressing = address_cells(self.graph)
        for b in self.graph.blocks:
            b.parks, b.joins = waits_for_lanes(function.code[b.start]), control(function.code[b.start]) == "barrier"
        self.headers = {
            s for b in self.graph.blocks for s in b.successors if s != END and s <= b.index
        }  # where loops begin: lowest blocks of cycles
        self.shapes: list[Shape | None] = [None] * len(self.cells.widths)
        self.divergent: set[int] = set()
        self.kept: frozenset[int] = frozenset()  # what lanes that wait elsewhere will want
        self.pending: list[frozenset[int]] = []
        self.threads = options.block[0] * options.block[1] * options.block[2]
        self.warps = -(-self.threads // N)
        self.takes_turns = (
            not self.enters and not self.is_function
        )  # whether the code itself goes on with the next warp
        self.suspends = frozenset(b.index for b in self.graph.blocks if suspends(b))
        self.numbers: set[int] | None = set()  # barriers that are used; None: nobody knows
        self.traffic = Traffic(self.graph, [frozenset()] * len(self.graph.blocks), (), ())
        self.slots: dict[int, int] = {}  # where a waiting warp's frame keeps registers
        self.whole = self.threads % N == 0 and not self.is_function
        self.check_supported()

    @property
    def rounds(self) -> bool:
        """Whether warps wait for each other."""
        return self.hands_over or any(control(op) == "barrier" for op in self.function.code)

    needs = Stack(0, False)  # of local memory, with all that it calls
    free_order = False  # CTAs may run in any order with the same results

    def calls_indirectly(self) -> bool:
        return any(control(op) == "call" and isinstance(Site(op).target, Reg) for op in self.function.code)

    def calls_in_loops(self) -> bool:
        """Whether a call lies on a cycle."""
        return any(self.calls_in(loop) for loop in self.graph.cyclic())

    def calls_in(self, loop: frozenset[int]) -> bool:
        blocks = [self.graph.blocks[i] for i in loop]
        return any(control(self.function.code[pc]) == "call" for b in blocks for pc in range(b.start, b.stop))

    def touches_others(self) -> bool:
        """Whether atomics or strong loads are among the operations."""
        return any(kind == "atomic" or strong(self.function.code[pc].m) for pc, kind in self.touches.items())

    def extra_leaders(self) -> set[int]:
        """Positions where a block must begin: behind them lanes may have to be waited for."""
        waits = {pc for pc, op in enumerate(self.function.code) if waits_for_lanes(op)}
        ends = {pc for pc, op in enumerate(self.function.code) if self.is_end(op)}
        return waits | set(self.enters) | ends

    def check_supported(self) -> None:
        for op in self.function.code:
            kind = control(op)
            if op.form.instruction.meaning is None and kind in (None, "cluster-barrier"):
                raise Fallback(f"`{op.form.instruction.name}`")
            if self.is_function and kind in ("exit", "barrier"):
                raise Fallback(f"`{op.form.instruction.name}` in a function")

    def result_cells(self) -> list[int]:
        """Where a function's results are when it returns."""
        returns = self.function.returns if self.is_function else ()
        return [c for r in returns if isinstance(r, Register) for c in self.cells.of(Reg(r.index, r.type.width))]

    def argument_cells(self) -> list[int]:
        parameters = self.function.parameters if self.is_function else ()
        return [c for r in parameters if isinstance(r, Register) for c in self.cells.of(Reg(r.index, r.type.width))]

    # Leaving for the other version

    def guard(self, base: str, top: int, w: int, signed: bool) -> bool:
        if not self.options.shapes or self.out is not self.main or self.is_function:
            return False
        if self.dry:
            return True
        key = (base, top, w, signed)
        if key in self.guarded:
            return True
        out = self.out
        if not out.aside:
            self.guarded.add(key)
        kind = "sadd" if signed else "uadd"
        pair = out.emit(f"call {{ i{w}, i1 }} @llvm.{kind}.with.overflow.i{w}(i{w} {base}, i{w} {top})")
        wraps = out.emit(f"extractvalue {{ i{w}, i1 }} {pair}, 1")
        away, on = out.fresh(), out.fresh()
        out.unlikely(wraps, away, on)
        out.start(away)
        out.aside += 1
        self.leave_for_slow()
        out.aside -= 1
        out.start(on)
        return True

    def leave_for_slow(self) -> None:
        """Saves registers as vectors, and who waits where."""
        b = self.here
        waiting = tuple(sorted(self.pending[b.index]))
        cells = tuple(sorted(self.live_before | self.kept))
        self.exits[self.site] = Exit(cells, tuple(self.graph.blocks[c].start for c in waiting))
        self.save(-2 - self.site, waiting, cells)
        self.return_with(layout.LEFT)

    def save(self, position: int, waiting: tuple[int, ...], cells: tuple[int, ...]) -> tuple[Kept, ...]:
        out, kept = self.out, list[Kept]()
        values = [self.vector(self.held_value(cell)) for cell in cells]  # all are read before any is written

        def field(offset: int) -> str:
            return out.emit(f"getelementptr i8, ptr %frame, i64 {offset}")

        out.line(f"store i32 {position}, ptr {field(layout.RESUME)}, align 4")
        live = out.emit(f"load <{N} x i1>, ptr %live, align 4")
        out.line(f"store <{N} x i1> {live}, ptr {field(layout.LIVE)}, align 4")
        offset = layout.SAVED
        masks = [self.vector(self.here_mask), *(out.emit(f"load <{N} x i1>, ptr %m{c}, align 4") for c in waiting)]
        for mask in masks:
            out.line(f"store <{N} x i1> {mask}, ptr {field(offset)}, align 4")
            offset += 4
        offset = -(-offset // 64) * 64
        for cell, value in zip(cells, values, strict=True):
            w = self.cells.widths[cell]
            out.line(f"store {vector_type(w)} {value}, ptr {field(offset)}, align 4")
            kept.append(Kept(cell, w, offset))
            offset += 64 if w == 1 else w * N // 8
            offset = -(-offset // 64) * 64
        self.frame_size = max(self.frame_size, offset)
        return tuple(kept)

    def held_value(self, cell: int) -> Bits:
        """A register; from the frame if that is where it has stayed since the last barrier."""
        changed = cell in self.traffic.changed[self.here.index] or cell in self.written
        if changed or cell in self.current or cell not in self.slots:
            return self.get(cell)
        where = self.out.emit(f"getelementptr i8, ptr %frame, i64 {self.slots[cell]}")
        return self.loaded(cell, where)

    def return_with(self, status: int) -> None:
        """Leaves the function, saying for which warp."""
        if self.takes_turns:
            self.out.line(f"store i32 %index, ptr {self.field(layout.WARP)}, align 4")
        self.out.line(f"ret i32 {status}")

    def enter(self, pc: int, saved: Exit) -> None:
        """Takes over where the other version left."""
        out = self.out
        out.start(f"enter{pc}")

        def field(offset: int) -> str:
            return out.emit(f"getelementptr i8, ptr %frame, i64 {offset}")

        def mask(offset: int) -> str:
            return out.emit(f"load <{N} x i1>, ptr {field(offset)}, align 4")

        out.line(f"store <{N} x i1> {mask(layout.LIVE)}, ptr %live, align 4")
        offset = layout.SAVED
        for at in (pc, *saved.waiting):
            block = self.graph.at[at]
            if block in self.masked:
                out.line(f"store <{N} x i1> {mask(offset)}, ptr %m{block}, align 4")
            offset += 4
        offset = -(-offset // 64) * 64
        for cell in saved.cells:
            w, shape = self.cells.widths[cell], self.shapes[cell]
            if shape is not None and shape.known is None:
                value = self.bits(out.emit(f"load {vector_type(w)}, ptr {field(offset)}, align 4"), w)
                self.keep_in(cell, value)
            offset += 64 if w == 1 else w * N // 8
            offset = -(-offset // 64) * 64
        out.jump(f"block{self.graph.at[pc]}")

    # What operations touch

    def atomic(self, space: str, address: Bits, w: int, update: Update, *operands: Word) -> Word:
        self.touches[self.site] = "atomic"
        return super().atomic(space, address, w, update, *operands)

    def load(self, space: str, address: Bits, w: int, count: int = 1) -> tuple[Bits, ...]:
        self.touches.setdefault(self.site, "load")
        return super().load(space, address, w, count)

    # Making it

    def make(self) -> str:
        graph = self.graph
        entry_live = graph.blocks[0].live_in if graph.blocks else frozenset[int]()
        for cell, w in enumerate(self.cells.widths):
            if cell in entry_live:
                self.shapes[cell] = Shape(0, ZEROS, w, 0, False)
        for cell in self.argument_cells():
            self.shapes[cell] = varying()
        entry_shapes = list(self.shapes)
        refused: set[int] = set()
        for _ in range(TRIES):
            self.settle()
            vain = {b for b, cells in self.together_at.items() if not any(self.has_offsets(c) for c in cells)}
            refused |= vain
            more = {b: cells for b, cells in self.wishes.items() if b not in refused}
            if not vain and not more.keys() - self.together_at.keys():
                break
            # Once more, on the assumption that lanes do not part there.
            self.together_at = {b: c for b, c in {**self.together_at, **more}.items() if b not in refused}
            self.shapes, self.divergent = list(entry_shapes), set()
        else:
            self.together_at = {}
            self.shapes, self.divergent = list(entry_shapes), set()
            self.settle()
        for pc, loop in waiting_loops(graph, self.touches):
            self.turns_at(loop, f"a loop that may wait for other threads, at `{self.function.code[pc].text}`")
        if self.calls_wait:
            for loop in graph.cyclic():
                if self.calls_in(loop):
                    self.turns_at(loop, "a loop with calls of functions that may wait for other threads")
        if self.options.turns and not self.is_function:
            self.turning = set(self.headers)
        self.traffic = Traffic(graph, self.pending, self.suspends, {graph.at[pc] for pc in self.enters})
        self.slots = self.places()
        self.run(dry=False)
        self.hands_over |= bool(self.exits) and self.may_wait_twice()
        if self.hands_over:
            if any(op.m.values.get("mode") == "arrive" for op in self.function.code):
                raise Fallback("warps that only arrive at barriers, in a kernel that may wait in other ways")
            if self.exits:
                self.frame_size = max(self.frame_size, self.most_saved())
        return self.text()

    def may_wait_twice(self) -> bool:
        """Whether in the version that takes over, where more lanes may part, they may wait at different places."""
        graph = self.graph
        pending = graph.pending([b.index for b in graph.blocks if len(b.successors) > 1])
        return any(b.parks and any(graph.blocks[c].parks for c in pending[b.index]) for b in graph.blocks)

    def turns_at(self, loop: frozenset[int], reason: str) -> None:
        """Turns of the loop are counted: after many the reference engine goes on. In a function it can not."""
        if self.is_function:
            raise Fallback(reason)
        self.turning |= self.headers & loop

    calls_wait = False  # called functions do what loops around their calls may be waiting for

    def has_offsets(self, cell: int) -> bool:
        shape = self.shapes[cell]
        return shape is not None and shape.lanes is not None

    def settle(self) -> None:
        """Dry runs until nothing more is learnt."""
        graph = self.graph
        self.wishes: dict[int, set[int]] = {}
        for attempt in range(PASSES):
            before, split = list(self.shapes), set(self.divergent)
            self.widen = attempt >= SETTLE
            self.pending = graph.pending(self.divergent)
            self.run(dry=True)
            if before == self.shapes and split == self.divergent:
                break
        else:
            raise Fallback("registers that do not settle")

    def run(self, dry: bool) -> None:
        self.dry = dry
        self.out = self.main = Writer()
        self.entries, self.known, self.rows = {}, {}, {}
        graph = self.graph
        self.masked = sorted(
            {c for waiting in self.pending for c in waiting} | {i for i, waiting in enumerate(self.pending) if waiting}
        )
        self.partial = self.partial_blocks()
        self.dispatches: dict[tuple[int, ...], str] = {}
        self.tails: list[tuple[str, list[str]]] = []
        for b in graph.blocks:
            if graph.reached[b.index]:
                self.make_block(b)
        if not dry:
            self.make_dispatches()
            for pc, saved in self.enters.items():
                self.enter(pc, saved)

    def partial_blocks(self) -> list[bool]:
        """Blocks where lanes of the warp may have ended, or wait elsewhere."""
        graph = self.graph
        work: list[int] = []
        for b in graph.blocks:
            if END in b.successors and (b.index in self.divergent or self.pending[b.index]):
                work += [s for s in b.successors if s != END]
                work += self.pending[b.index]
        lost: set[int] = set()
        while work:
            b = work.pop()
            if b not in lost:
                lost.add(b)
                work += [s for s in graph.blocks[b].successors if s != END]
        self.lost = lost
        return [not self.whole or bool(self.pending[b.index]) or b.index in lost for b in graph.blocks]

    def ended(self) -> Bits | None:
        if self.is_function or self.here.index not in self.lost:
            return None
        out = self.out
        live = out.emit(f"load <{N} x i1>, ptr %live, align 4")
        gone = self.bits(out.emit(f"bitcast <{N} x i1> {live} to i{N}"), 32, ZEROS) ^ 0xFFFFFFFF
        if self.whole:
            return gone
        last = self.bits("%index", 32, ZEROS) == self.threads // N
        return gone & self.pick(last, (1 << self.threads % N) - 1, self.const(-1, 32))

    # Registers

    def cell_type(self, cell: int) -> str:
        shape, w = self.shapes[cell], self.cells.widths[cell]
        assert shape is not None
        t = FLOAT[w] if shape.raw else f"i{w}"
        return t if shape.lanes is not None else f"<{N} x {t}>"

    def get(self, cell: int) -> Bits:
        found = self.current.get(cell)
        if found is not None:
            self.unknown |= cell in self.doubtful
            return found
        shape, w = self.shapes[cell], self.cells.widths[cell]
        if shape is None:  # nothing has been written yet, on any way seen so far
            self.unknown = True
            return self.const(0, w)
        found = Bits(self, w, shape.known) if shape.known is not None else self.loaded(cell, f"%r{cell}")
        if not self.out.aside:
            self.current[cell] = found
        return found

    def loaded(self, cell: int, where: str) -> Bits:
        """A register's value from where it is kept."""
        shape, w = self.shapes[cell], self.cells.widths[cell]
        assert shape is not None
        name = self.out.emit(f"load {self.cell_type(cell)}, ptr {where}, align 4")
        if shape.raw:
            return self.raw(name, w, shape.lanes is not None)
        return self.come_from(self.bits(name, w, shape.lanes, shape.tz, shape.high), shape.origin)

    def put(self, cell: int, new: Bits) -> None:
        """Writes to a register, in the lanes that execute; the others keep what they need."""
        if not self.options.shapes:
            new = self.bits(self.vector(new), new.width)
        needed = self.guard_bits is not None and cell in self.live_behind
        waited = any(cell in self.graph.blocks[c].live_in for c in self.pending[self.here.index])
        if needed or waited:
            old = self.get(cell)
            if waited:
                p = self.mask
                self.wish(cell, new, old)
            else:
                p = self.guard_bits
                assert p is not None
            new = self.select(p, new, old)
        self.current[cell] = new
        self.written.add(cell)

    def wish(self, cell: int, new: Bits, old: Bits) -> None:
        """A register that addresses are made of would lose its offsets, for lanes wait that need its old value: it pays
        to assume that lanes do not part there, and to leave for the slow version where they do."""
        if (
            not self.options.speculates
            or self.is_function
            or cell not in self.addressing
            or isinstance(self.mask.v, int)
        ):
            return
        parts = self.parts(new.v, new.width), self.parts(old.v, old.width)
        if parts[0] is None or parts[1] is None or parts[0][1] != parts[1][1]:
            return
        wanting = {c for c in self.pending[self.here.index] if cell in self.graph.blocks[c].live_in}
        for b in self.graph.blocks:
            branches = b.last is not None and control(b.last) == "branch"
            if branches and b.index in self.divergent and wanting & set(b.successors):
                self.wishes.setdefault(b.index, set()).add(cell)

    def spill(self) -> None:
        """At the block's end, registers go where other blocks find them."""
        keep = self.here.live_out | self.kept
        for cell in sorted(self.written):
            if cell not in keep:
                continue
            value, w = self.current[cell], self.cells.widths[cell]
            if self.dry:
                if cell not in self.doubtful:
                    found = shape_of(value.v, w)
                    old = self.shapes[cell]
                    self.shapes[cell] = found if old is None else join(old, found, w, self.widen)
                continue
            self.keep_in(cell, value)

    def keep_in(self, cell: int, value: Bits) -> None:
        shape = self.shapes[cell]
        assert shape is not None
        if shape.known is not None:
            return
        name = self.conformed(value, shape)
        self.out.line(f"store {self.cell_type(cell)} {name}, ptr %r{cell}, align 4")

    def conformed(self, a: Bits, shape: Shape) -> str:
        """The value in a register's form."""
        if shape.lanes is None:
            return self.float(a, False) if shape.raw else self.vector(a)
        if shape.raw:
            return self.float(a, True)
        if shape.lanes is ZEROS:
            return self.scalar(a)
        parts = self.parts(a.v, a.width)
        assert parts is not None
        assert parts[1] == shape.lanes
        return self.texts(parts[0], a.width)

    # Blocks

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
        if not b.parks and self.is_end(self.function.code[b.start]):
            self.give_up(b, self.function.code[b.start])
        self.guarded: set[tuple[object, ...]] = set()
        self.groups, self.group_good, self.rows_here = ({} if self.dry else self.grouped(b)), {}, {}
        lives = graph.live_after(b, self.kept)
        self.live_before = b.live_in
        stop = b.stop - 1 if b.last is not None else b.stop
        for pc in range(b.start, stop):
            self.live_behind = lives[pc - b.start]
            self.perform(pc, self.function.code[pc])
            self.live_before = self.live_behind
        self.live_behind = lives[-1]
        self.site = b.stop - 1
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
            out.line(f"store i32 {FUEL}, ptr %fuel, align 4")
            self.leave_if(out.emit("call i1 @openptx.poll(ptr %w)"))
        if b.index in self.turning:
            self.turn(b)

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
            if not self.is_end(op):
                self.call_function(op)
            return
        if instruction.converges is not None:
            self.converge(op)
            if kind == "warp-barrier":
                return
        if kind is not None:
            raise Fallback(f"`{instruction.name}`")
        outer, self.unknown = self.unknown, False
        self.results(op, self.meaning_of(op))
        self.unknown = outer

    def results(self, op: Op, found: Any) -> None:
        places = self.destinations(op)
        if len(places) == 1:
            found = (found,)
        for place, value in zip(places, found or (), strict=False):
            if place is not None:
                self.write(place, value)

    def store_cell(self, cell: int, value: Bits) -> None:
        (self.doubtful.add if self.unknown else self.doubtful.discard)(cell)
        self.put(cell, value)

    def converge(self, op: Op) -> None:
        """Lanes that the operation names are here together, for `park` has waited for them."""
        named = (self.members(op) >> self.lane() & 1) != 0
        self.require(named, "invalid-mask", "the member mask leaves out the thread that executes it")

    # Going on

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

    def go(self, goal: int, waiting: frozenset[int]) -> None:
        """All lanes that are here go to `goal`."""
        out = self.out
        if goal == END:
            self.lose(self.here_mask)
            if waiting:
                self.dispatch(waiting, ending=True)
            else:
                out.jump("ended")
            return
        if goal in self.masked:
            self.add_mask(goal, self.vector(self.here_mask), goal in waiting)
        if not waiting or goal < min(waiting):
            out.jump(f"block{goal}")
        else:
            self.dispatch(waiting | {goal})

    def stay_together(self, b: Block, onward: int, guard: Bits, waiting: frozenset[int]) -> None:
        """All lanes go the same way, or leave for the slow version."""
        out = self.out
        taken, here = guard & self.here_mask, self.mask_word()
        word = out.emit(f"bitcast <{N} x i1> {self.vector(taken)} to i{N}")
        every = out.emit(f"icmp eq i{N} {word}, {here}")
        some, yes, no, mixed = out.emit(f"icmp ne i{N} {word}, 0"), out.fresh(), out.fresh(), out.fresh()
        other = out.fresh()
        out.branch(every, yes, other)
        out.start(other)
        out.unlikely(some, mixed, no)
        out.start(mixed)
        out.aside += 1
        if not self.dry:
            self.leave_for_slow()
        out.aside -= 1
        out.start(yes)
        self.go(b.successors[0], waiting)
        out.start(no)
        self.go(onward, waiting)

    def part_ways(self, yes: int, no: int, guard: Bits, waiting: frozenset[int]) -> None:
        """Lanes part."""
        here = self.here_mask
        taken, rest = guard & here, self.invert(guard) & here
        for goal, mask in ((yes, taken), (no, rest)):
            if goal == END:
                self.lose(mask)
            elif goal in self.masked:
                self.add_mask(goal, self.vector(mask), goal in waiting or yes == no)
        goals = {g for g in (yes, no) if g != END}
        candidates = waiting | goals
        if yes == no and yes != END:
            self.go_masked(candidates)
        elif END in (yes, no) and not waiting:
            # Those that stay are all that is left; their block's mask is that of the living.
            (goal,) = goals or {END}
            if goal == END:
                self.out.jump("ended")
                return
            word = self.out.emit(f"bitcast <{N} x i1> {self.vector(rest if no == goal else taken)} to i{N}")
            some = self.out.emit(f"icmp ne i{N} {word}, 0")
            self.out.branch(some, f"block{goal}", "ended")
        else:
            self.dispatch(candidates, ending=END in (yes, no))

    def go_masked(self, candidates: frozenset[int] | set[int]) -> None:
        self.dispatch(frozenset(candidates))

    def add_mask(self, goal: int, mask: str, joined: bool) -> None:
        out = self.out
        if joined:
            old = out.emit(f"load <{N} x i1>, ptr %m{goal}, align 4")
            mask = out.emit(f"or <{N} x i1> {old}, {mask}")
        out.line(f"store <{N} x i1> {mask}, ptr %m{goal}, align 4")

    def lose(self, mask: Bits) -> None:
        """Lanes end. What a function gives them is handed over now, for others may go on."""
        out = self.out
        for i, cell in enumerate(self.result_cells()):
            w = self.cells.widths[cell]
            value, where = self.vector(self.get(cell)), self.buffer("%results", i)
            if w == 1:
                old = out.emit(f"load <{N} x i1>, ptr {where}, align 64")
                value = out.emit(f"select <{N} x i1> {self.vector(mask)}, <{N} x i1> {value}, <{N} x i1> {old}")
                out.line(f"store <{N} x i1> {value}, ptr {where}, align 64")
                continue
            t = vector_type(w)
            out.line(
                f"call void @llvm.masked.store.v{N}i{w}.p0({t} {value}, ptr align 64 {where},"
                f" <{N} x i1> {self.vector(mask)})"
            )
        if not self.pending[self.here.index] and mask is self.here_mask:
            out.line(f"store <{N} x i1> zeroinitializer, ptr %live, align 4")
            return
        live = out.emit(f"load <{N} x i1>, ptr %live, align 4")
        left = out.emit(f"xor <{N} x i1> {self.vector(mask)}, splat (i1 true)")
        left = out.emit(f"and <{N} x i1> {live}, {left}")
        out.line(f"store <{N} x i1> {left}, ptr %live, align 4")

    def dispatch(self, candidates: frozenset[int] | set[int], ending: bool = False) -> None:
        """Goes to the lowest block that has lanes."""
        self.out.jump(self.dispatcher(tuple(sorted(candidates)), ending))

    def dispatcher(self, order: tuple[int, ...], ending: bool) -> str:
        if not order:
            return "ended"
        if len(order) == 1 and not ending:
            return f"block{order[0]}"
        key = (*order, END) if ending else order
        found = self.dispatches.get(key)
        if found is None:
            found = self.dispatches[key] = f"way{len(self.dispatches)}"
            self.dispatcher(order[1:], ending)
        return found

    def make_dispatches(self) -> None:
        out = self.out
        for key, label in self.dispatches.items():
            ending = key[-1] == END
            order = key[:-1] if ending else key
            out.start(label)
            mask = out.emit(f"load <{N} x i1>, ptr %m{order[0]}, align 4")
            word = out.emit(f"bitcast <{N} x i1> {mask} to i{N}")
            some = out.emit(f"icmp ne i{N} {word}, 0")
            out.branch(some, f"block{order[0]}", self.dispatcher(order[1:], ending))

    def trap(self, op: Op, guard: Bits) -> None:
        out = self.out
        word = self.mask_word()
        if not (isinstance(guard.v, int) and guard.v):
            mask = guard & self.here_mask
            word = out.emit(f"bitcast <{N} x i1> {self.vector(mask)} to i{N}")
            yes, no = out.fresh(), out.fresh()
            out.branch(out.emit(f"icmp ne i{N} {word}, 0"), yes, no)
            out.start(yes)
        else:
            no = ""
        self.report(layout.TRAP, word)
        out.line(f"store i32 {self.site + self.site_base}, ptr {self.field(layout.SITE)}, align 4")
        out.jump("failed")
        if no:
            out.start(no)

    def table(self, b: Block, op: Op, guard: Bits, waiting: frozenset[int]) -> None:
        """brx.idx: each lane by its index."""
        out = self.out
        index, targets = (
            self.source(op.operands[0], op.types[0]),
            next(o for o in op.operands if isinstance(o, Targets)),
        )
        if not (isinstance(guard.v, int) and guard.v):
            raise Fallback("a guarded branch by index")
        goals = [self.graph.target(pc) for pc in targets.pcs]
        self.require(index < len(goals), "branch-index", f"an index beyond the {len(goals)} labels of the list")
        self.spill()
        if self.uniform(index):
            labels = [out.fresh() for _ in goals]
            cases = " ".join(f"i32 {i}, label %{label}" for i, label in enumerate(labels))
            out.line(f"switch i32 {self.scalar(index)}, label %{labels[0]} [ {cases} ]")
            for goal, label in zip(goals, labels, strict=True):
                out.start(label)
                self.go(goal, waiting)
            return
        if self.dry and not self.unknown:
            self.divergent.add(b.index)
        done: set[int] = set()
        for goal in dict.fromkeys(goals):
            chosen = self.const(0, 1)
            for i, g in enumerate(goals):
                if g == goal:
                    chosen = chosen | (index == i)
            mask = chosen & self.here_mask
            if goal == END:
                self.lose(mask)
            elif goal in self.masked:
                self.add_mask(goal, self.vector(mask), goal in waiting or goal in done)
            done.add(goal)
        self.dispatch(waiting | {g for g in goals if g != END}, ending=END in goals)

    # Barriers

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
        return b.live_out - (self.cells.writes(b.last) if b.last is not None else set[int]())

    def saved(self, b: Block) -> list[tuple[int, int]]:
        """Registers that live behind a barrier, and where the frame keeps them."""
        behind = self.live_behind_barrier(b)
        return [(cell, offset) for cell, offset in self.slots.items() if cell in behind]

    frame_size = layout.SAVED

    def size_of(self, cell: int) -> int:
        shape, w = self.shapes[cell], max(self.cells.widths[cell], 8) // 8
        if self.cells.widths[cell] == 1:
            return 4 if shape is not None and shape.lanes is None else 1
        return w * N if shape is not None and shape.lanes is None else w

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

    # The text

    def text(self) -> str:
        out = self.out
        cells = [c for c, s in enumerate(self.shapes) if s is not None and s.known is None]
        slots = [f"%r{c} = alloca {self.cell_type(c)}, align 64" for c in cells]
        slots += [f"%m{c} = alloca <{N} x i1>, align 4" for c in self.masked]
        start = ["%live = alloca <32 x i1>, align 4", *slots]
        start += ["%fuel = alloca i32, align 4", f"store i32 {FUEL}, ptr %fuel, align 4"]
        if self.hands_over:
            start += ["%turns = alloca i32, align 4", "%tries = alloca i32, align 4"]
        if any(control(op) == "call" for op in self.function.code):
            start += [f"%in = alloca [{self.buffer_slots * SLOT + SLOT} x i8], align 64"]
            start += [f"%out = alloca [{self.buffer_slots * SLOT + SLOT} x i8], align 64"]
        used = self.resumes_used()
        first: list[str] = []
        outer, out.lines = out.lines, first
        for c in sorted(self.graph.blocks[0].live_in):
            if (shape := self.shapes[c]) is not None and shape.known is None:
                self.current = {}
                self.keep_in(c, self.const(0, self.cells.widths[c]))
        for c in self.masked:
            out.line(f"store <{N} x i1> zeroinitializer, ptr %m{c}, align 4")
        if self.hands_over:
            out.line(f"store i32 {self.options.turns or TURNS}, ptr %turns, align 4")
            out.line("store i32 0, ptr %tries, align 4")
        if self.is_function:
            self.begin_function()
        elif self.whole:
            out.line(f"store <{N} x i1> splat (i1 true), ptr %live, align 4")
        else:
            last = out.emit(f"icmp eq i32 %index, {self.threads // N}")
            word = out.emit(f"select i1 {last}, i32 {(1 << self.threads % N) - 1}, i32 -1")
            out.line(f"store <{N} x i1> {out.emit(f'bitcast i32 {word} to <{N} x i1>')}, ptr %live, align 4")
        if 0 in self.masked:
            live = out.emit(f"load <{N} x i1>, ptr %live, align 4")
            out.line(f"store <{N} x i1> {live}, ptr %m0, align 4")
        if used or self.enters:
            where = out.emit(f"getelementptr i8, ptr %frame, i64 {layout.RESUME}")
            state = out.emit(f"load i32, ptr {where}, align 4")
            cases = " ".join(
                [f"i32 {r}, label %resume{r}" for r in used]
                + [f"i32 {-2 - pc}, label %enter{pc}" for pc in self.enters]
            )
            out.line(f"switch i32 {state}, label %block0 [ {cases} ]")
        else:
            out.jump("block0")
        out.lines = []
        self.end()
        end, out.lines = out.lines, outer
        index = ["%first32 = shl i32 %index, 5", "%first = zext i32 %first32 to i64"]
        once, each = of_each_warp(out.head) if self.takes_turns else (out.head, [])
        if self.takes_turns:
            size = -(-self.frame_size // 64) * 64 if self.rounds else 0  # without barriers there is one at a time
            warp = [
                "br label %warp", "warp:", "%index = phi i32 [ %start, %entry ], [ %next, %ready ]",
                "%index64 = zext i32 %index to i64", f"%place = mul i64 %index64, {size}",
                "%frame = getelementptr i8, ptr %frames, i64 %place",
            ]  # fmt: skip
            start = [*start, *once, *warp, *index, *each]
        else:
            start = [*start, *index, *once]
        lines = ["entry:", *start, *first, *out.lines, *end, "}"]
        if self.is_function:
            given = f"ptr noalias %w, ptr %arguments, ptr %results, i32 %index, <{N} x i1> %mask, i64 %base"
            return "\n".join([f"define internal i32 @{self.label_name}({given}) noinline nounwind #0 {{", *lines, ""])
        linkage = "" if self.enters else "internal "
        inline = "noinline " if self.rounds or self.enters else ""
        given = "ptr noalias %w, " + (
            "ptr noalias %frames, i32 %start" if self.takes_turns else "ptr noalias %frame, i32 %index"
        )
        return "\n".join([f"define {linkage}i32 @{self.label_name}({given}) {inline}nounwind #0 {{", *lines, ""])

    def end(self) -> None:
        """Where warps end, fail, or make room for the next one."""
        out = self.out
        out.start("ended")
        if self.takes_turns and not self.rounds:
            out.jump("onward")
        elif self.takes_turns and self.numbers is not None:
            self.account()
        else:
            self.return_with(layout.DONE)
        out.start("failed")
        self.return_with(layout.FAILED)
        if self.takes_turns:
            self.take_turns()

    def account(self) -> None:
        """The warp's threads have ended: barriers do not wait for them any longer."""
        out = self.out

        def field(offset: int) -> str:
            return out.emit(f"getelementptr i8, ptr %frame, i64 {offset}")

        out.line(f"store i32 -1, ptr {field(layout.RESUME)}, align 4")
        here = out.emit(f"load i32, ptr {field(layout.HERE)}, align 4")
        out.line(f"store i32 0, ptr {field(layout.HERE)}, align 4")
        alive = out.emit(f"load i64, ptr {self.field(layout.ALIVE)}, align 8")
        left = out.emit(f"sub i64 {alive}, {out.emit(f'zext i32 {here} to i64')}")
        out.line(f"store i64 {left}, ptr {self.field(layout.ALIVE)}, align 8")
        for number in sorted(self.numbers or ()):
            out.line(f"call void @openptx.settle(ptr %w, i32 {number})")
        out.jump("onward")

    def take_turns(self) -> None:
        """The next warp's turn, if nothing keeps it from running here; else `openptx.run` looks further."""
        out = self.out
        size = -(-self.frame_size // 64) * 64
        out.start("onward")
        if not self.rounds:
            out.line("%next = add i32 %index, 1")
            out.branch(out.emit(f"icmp ult i32 %next, {self.warps}"), "ready", "rest")
            out.start("rest")
            out.line(f"ret i32 {layout.DONE}")
            out.start("ready")
            out.jump("warp")
            return
        more = out.emit("add i32 %index, 1")
        behind = out.emit(f"icmp eq i32 {more}, {self.warps}")
        out.line(f"%next = select i1 {behind}, i32 0, i32 {more}")
        place = out.emit(f"mul i64 {out.emit('zext i32 %next to i64')}, {size}")
        frame = out.emit(f"getelementptr i8, ptr %frames, i64 {place}")

        def field(offset: int) -> str:
            where = out.emit(f"getelementptr i8, ptr {frame}, i64 {offset}")
            return out.emit(f"load i32, ptr {where}, align 4")

        gone = out.emit(f"icmp eq i32 {field(layout.RESUME)}, -1")
        slow = out.emit(f"icmp ne i32 {field(layout.VERSION)}, 0")
        waits, ticket = field(layout.WAITS), field(layout.GENERATION)
        begins = out.emit(f"icmp slt i32 {waits}, 0")
        number = out.emit(f"select i1 {begins}, i32 0, i32 {waits}")
        if self.numbers is not None and len(self.numbers) == 1:
            number = str(next(iter(self.numbers)))
        at = out.emit(f"mul i32 {number}, {layout.BARRIER}")
        barrier = out.emit(f"getelementptr i8, ptr {self.field(layout.BARRIERS + 8)}, i32 {at}")
        generation = out.emit(f"load i32, ptr {barrier}, align 4")
        passed = out.emit(f"or i1 {begins}, {out.emit(f'icmp ne i32 {generation}, {ticket}')}")
        held = out.emit(f"or i1 {gone}, {slow}")
        free = out.emit(f"and i1 {passed}, {out.emit(f'xor i1 {held}, true')}")
        out.branch(free, "ready", "rest")
        out.start("rest")
        self.return_with(layout.HANDLED)
        out.start("ready")
        out.jump("warp")

    def begin_function(self) -> None:
        """Arguments go to their registers; a stack that is full is a fault."""
        out = self.out
        out.line(f"store <{N} x i1> %mask, ptr %live, align 4")
        used = out.emit(f"add i64 %base, {self.local_size}")
        where = out.emit(f"getelementptr i8, ptr %w, i64 {layout.STRIDE}")
        full = out.emit(f"icmp ugt i64 {used}, {out.emit(f'load i64, ptr {where}, align 8')}")
        end = out.emit(f"load ptr, ptr {out.emit(f'getelementptr i8, ptr %w, i64 {layout.STACK}')}, align 8")
        deep = out.emit(f"icmp ult ptr %live, {end}")
        bad, on = out.fresh(), out.fresh()
        out.unlikely(out.emit(f"or i1 {full}, {deep}"), bad, on)
        out.start(bad)
        word = out.emit(f"bitcast <{N} x i1> %mask to i{N}")
        self.report(layout.OVERFLOW, word)
        out.line(f"store i32 {self.site_base}, ptr {self.field(layout.SITE)}, align 4")
        out.jump("failed")
        out.start(on)
        for i, cell in enumerate(self.argument_cells()):
            shape, w = self.shapes[cell], self.cells.widths[cell]
            if shape is not None and shape.known is None:
                name = out.emit(f"load {vector_type(w)}, ptr {self.buffer('%arguments', i)}, align 64")
                self.keep_in(cell, self.bits(name, w))

    def resumes_used(self) -> list[int]:
        wanted = {f"resume{b.stop}:": b.stop for b in self.graph.blocks}
        return [wanted[line] for line in self.out.lines if line in wanted]


def suspends(b: Block) -> bool:
    """Whether warps stop behind the block until others come."""
    return b.last is not None and control(b.last) == "barrier" and b.last.m.mode != "arrive"


def of_each_warp(lines: list[str]) -> tuple[list[str], list[str]]:
    """Lines that are the same for all warps, and those that are not."""
    own = {"%index", "%first32", "%first"}
    once: list[str] = []
    each: list[str] = []
    for line in lines:
        name, *used = _NAME.findall(line)
        if own.isdisjoint(used):
            once.append(line)
        else:
            own.add(name)
            each.append(line)
    return once, each


_NAME = re.compile(r"%[\w.]+")


def waits_for_lanes(op: Op) -> bool:
    """Whether lanes of the warp must be together for an operation: those of a mask, or all."""
    together = op.form.instruction.converges is not None or bool(op.m.sync and op.m.aligned)
    return together or control(op) == "barrier"


def shared_range(program: Program, function: Function) -> tuple[int, int]:
    """Where the shared variables that a function names begin and end in the CTA's; -1 for the end of dynamic memory."""
    begin, end = 1 << 32, 0
    for op in function.code:
        for operand in op.operands:
            base = operand.base if isinstance(operand, Address) else operand
            if isinstance(base, Symbol) and base.variable.space.startswith("shared"):
                v = base.variable
                begin = min(begin, v.offset)
                end = -1 if v.size == 0 or end < 0 else max(end, v.offset + v.size)
    return (begin, end) if begin < 1 << 32 else (0, 0)


def address_cells(graph: Graph) -> set[int]:
    """Registers that addresses are computed from, not counting what was loaded to get there."""
    cells: set[int] = set()
    computing: list[int] = []
    for pc, op in enumerate(graph.function.code):
        places = [o for o in op.operands if isinstance(o, Address)]
        for place in places:
            cells |= {c for r in registers(place) for c in graph.cells.of(r)}
        if not places:
            computing.append(pc)
    return slice_back(graph, computing, cells)
