"""The code of one kernel: registers kept by what is known of them, blocks run lowest first, waits at barriers.

The text is made twice or more: dry runs find what is known of each register and which branches split the warp, until
nothing changes; the last run is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from openptx.engines.common.call_site import CallSite
from openptx.engines.native.barriers import suspends
from openptx.engines.native.calls import Callees
from openptx.engines.native.departures import Exit
from openptx.engines.native.fallback import Fallback
from openptx.engines.native.flow import END, Block, Cells, Graph, control, registers
from openptx.engines.native.frames import Traffic, writes
from openptx.engines.native.function_text import FunctionText
from openptx.engines.native.options import Options
from openptx.engines.native.outline import Outlined
from openptx.engines.native.stack import Stack
from openptx.engines.native.standing import Stand
from openptx.engines.native.values import ZEROS, N, Shape, varying
from openptx.engines.native.waiting import slice_back, waiting_loops
from openptx.engines.native.writer import Writer
from openptx.isa.memory_consistency import strong
from openptx.llvm.host import CPU
from openptx.numerics import Bits
from openptx.program import Address, Function, Op, Program, Reg
from openptx.runtime.image import Image
from openptx.runtime.shared_layout import SharedLayout

if TYPE_CHECKING:
    from openptx.isa.machine import Update, Word


TRIES = 4
PASSES = 40
SETTLE = 3  # dry runs after which bounds that still grow are given up


class Body(FunctionText):
    """Makes the text of one kernel, or of a function that it calls."""

    def __init__(
        self, program: Program, function: Function, image: Image, options: Options, cpu: CPU, name: str,
        functions: dict[object, Outlined], messages: list[tuple[str, str]], entries: Mapping[int, Exit] | None = None,
        callees: Callees | None = None, *, layout: SharedLayout,
    ) -> None:  # fmt: skip
        super().__init__(functions)
        self.program, self.function, self.image, self.options, self.cpu = program, function, image, options, cpu
        self.address_size = program.address_size
        self.block, self.locked = options.block, options.locked
        self.messages = messages
        self.globals: list[str] = []
        self.touches: dict[int, str] = {}
        self.borrowed = set()
        self.sizes = {}
        self.shared_layout = layout
        self.static_shared, self.constants = layout.static, image.const.size
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
        self.matters = self.all_that_matters()
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

    needs = Stack(0, False)  # of local memory, with all that it calls
    borrows = False  # an instruction, or one of what it calls does
    counted = False  # barriers count threads or votes
    free_order = False  # CTAs may run in any order with the same results

    def all_that_matters(self) -> list[frozenset[int]]:
        """For each block, the registers that its code may look at."""
        results = frozenset(self.result_cells())
        return [b.live_in | results | writes(self.graph, b.index, b.stop) for b in self.graph.blocks]

    def calls_indirectly(self) -> bool:
        return any(control(op) == "call" and isinstance(CallSite(op).target, Reg) for op in self.function.code)

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
        return waits | set(self.enters)

    def check_supported(self) -> None:
        for op in self.function.code:
            kind = control(op)
            if kind == "cluster-barrier":
                raise Fallback(f"`{op.form.instruction.name}`")
            if self.is_function and kind in ("exit", "barrier"):
                raise Fallback(f"`{op.form.instruction.name}` in a function")

    def atomic(self, space: str, address: Bits, w: int, update: Update, *operands: Word) -> Word:
        self.touches[self.site], self.careful = "atomic", ""
        return super().atomic(space, address, w, update, *operands)

    def load(self, space: str, address: Bits, w: int, count: int = 1) -> tuple[Bits, ...]:
        self.touches.setdefault(self.site, "load")
        return super().load(space, address, w, count)

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
        self.begin()
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
        """Dry runs until nothing more is learnt. A block is run again only if it might say something else."""
        graph = self.graph
        self.wishes: dict[int, set[int]] = {}
        self.begin()
        self.clock, self.changed_at = 0, [0] * len(self.shapes)
        self.ran: list[tuple[int, object]] = [(-1, None)] * len(graph.blocks)
        for attempt in range(PASSES):
            start, split = self.clock, set(self.divergent)
            self.widen = attempt >= SETTLE
            self.pending = graph.pending(self.divergent)
            self.run(dry=True)
            if split == self.divergent and max(self.changed_at, default=0) <= start:
                break
        else:
            raise Fallback("registers that do not settle")

    def says_the_same(self, b: Block, waits: object) -> bool:
        """Whether since the last dry run of the block nothing has changed that it depends on."""
        ran_at, then = self.ran[b.index]
        return then == waits and all(self.changed_at[c] <= ran_at for c in self.matters[b.index])

    def waits(self, b: Block) -> object:
        """What the block depends on beside registers: which lanes may be elsewhere meanwhile, and why."""
        pending = self.pending[b.index]
        parted = [i for i in sorted(self.divergent) if not pending.isdisjoint(self.graph.blocks[i].successors)]
        return self.partial[b.index], b.index in self.lost, pending, parted

    def begin(self) -> None:
        """Nothing is known yet of what stands at the function's beginning."""
        self.entries, self.known, self.rows, self.aligned = {}, {}, {}, {}

    def run(self, dry: bool) -> None:
        self.dry = dry
        self.out = self.main = Writer()
        graph = self.graph
        self.masked = sorted(
            {c for waiting in self.pending for c in waiting} | {i for i, waiting in enumerate(self.pending) if waiting}
        )
        self.partial = self.partial_blocks()
        self.dispatches: dict[tuple[int, ...], str] = {}
        self.tails: list[tuple[str, list[str]]] = []
        for b in graph.blocks:
            if not graph.reached[b.index]:
                continue
            if dry:
                waits = self.waits(b)
                if self.says_the_same(b, waits):
                    continue
                self.clock += 1
                self.ran[b.index] = self.clock, waits
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
        missing = self.missing()
        return gone if missing is None else gone & ~missing

    def missing(self) -> Bits | None:
        if self.threads % N == 0:
            return None
        last = self.bits("%index", 32, ZEROS) == self.threads // N
        return self.pick(last, 0xFFFFFFFF << self.threads % N & 0xFFFFFFFF, self.const(0, 32))


def waits_for_lanes(op: Op) -> bool:
    """Whether lanes of the warp must be together for an operation: those of a mask, or all."""
    together = op.form.instruction.converges is not None or bool(op.m.sync and op.m.aligned)
    return together or control(op) == "barrier"


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
