"""Emission of counting code: it counts blocks, guards, branches, and requests by the forms of addresses.

Lanes of whole warps at known offsets have a counter by the base modulo the hardware's granularity. Other requests call
a function that finds the counters of these offsets, or keeps a record (functions.ll).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from openptx.control_flow import control
from openptx.engines.common.accesses import CopyAccess, FragmentAccess
from openptx.engines.common.call_site import CallSite
from openptx.engines.common.operands import has_operand
from openptx.engines.native import abi
from openptx.engines.native.analysis.lattice import ZEROS, N, vector_type
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.emit.ir_builder import STATE
from openptx.engines.native.instrument.count import layout
from openptx.engines.native.instrument.count.order import depends_on_order
from openptx.engines.native.instrument.hooks import Hooks
from openptx.isa.address_windows import SHIFT
from openptx.numerics import Bits
from openptx.program import Reg

if TYPE_CHECKING:
    from openptx.engines.native.analysis.accesses import Form
    from openptx.engines.native.analysis.cfg import Block
    from openptx.engines.native.analysis.operand_binder import OperandBinder
    from openptx.engines.native.emit.llvm_machine import LlvmMachine, MemoryLowering
    from openptx.isa.machine import Update, Word
    from openptx.program import Op

ALL_LANES = (1 << N) - 1
SAME = 63
"""The size of the address window of one memory: no address has higher bits."""


class Count(Hooks):
    once = True

    def __init__(self, x: LlvmMachine) -> None:
        self.x, self.ir, self.scope, self.c = x, x.ir, x.scope, x.c
        kernel = x.scope.tables.kernel
        self.layout = layout.layout_of(x.c.program, kernel)
        self.has_clock = any(control(op) == "barrier" for op in kernel.code)
        self.traced: list[tuple[str, Bits, int]] | None = None
        """The accesses of an instruction's meaning, if these are its requests."""
        self.request: Request | None = None
        self.target: Bits | None = None
        self.threads = "0"
        self.taken: tuple[int, str] | None = None
        if why := depends_on_order(x.c.program, x.c.graph):
            raise UnsupportedByJit(why)

    # Counters

    @property
    def counts(self) -> str:
        return self.scope.entry.state(abi.WATCH, "ptr")

    def counter(self, pc: int, which: int) -> int:
        return self.layout.counter(self.c.function, pc, which)

    def add(self, offset: int, amount: str) -> None:
        place = self.ir.field(self.counts, offset)
        before = self.ir.load("i64", place, 8, STATE)
        self.ir.store("i64", self.ir.emit(f"add i64 {before}, {amount}"), place, 8, STATE)

    def add_one_and(self, offset: int, amount: str) -> None:
        """Adds one to a counter, and an amount to the next."""
        ir, t = self.ir, "<2 x i64>"
        place = ir.field(self.counts, offset)
        before = ir.load(t, place, 8, STATE)
        if amount.startswith("%"):
            amounts = ir.emit(f"insertelement {t} <i64 1, i64 poison>, i64 {amount}, i32 1")
        else:
            amounts = f"<i64 1, i64 {amount}>"
        ir.store(t, ir.emit(f"add {t} {before}, {amounts}"), place, 8, STATE)

    def lanes_of(self, mask: Bits) -> str:
        """The number of lanes in a mask, as an i64."""
        if isinstance(mask.v, int):
            return str(N if mask.v else 0)
        return self.bits_in(self.ir.mask_bits(self.x.vector(mask)))

    def bits_in(self, word: str) -> str:
        return self.ir.emit(f"zext i32 {self.ir.emit(f'call i32 @llvm.ctpop.i32(i32 {word})')} to i64")

    def tick(self, instructions: int) -> None:
        """Advances the running warp's clock."""
        if self.has_clock:
            self.add(layout.CLOCK, str(instructions))

    # Warps, blocks

    def enter(self) -> None:
        if self.has_clock and not self.c.version:
            self.ir.store("i64", 0, self.ir.field(self.counts, layout.CLOCK), 8, STATE)

    def begins(self, b: Block) -> None:
        self.threads = self.lanes_of(self.scope.block_mask)
        first = layout.SLOW_WARPS if self.c.version else layout.WARPS
        self.add_one_and(self.counter(b.start, first), self.threads)
        self.tick(b.stop - b.start)

    def leaves(self) -> None:
        site = self.scope.site
        self.add_one_and(self.counter(site, layout.LEFT_WARPS), self.lanes_of(self.scope.block_mask))
        self.tick(site - self.scope.block.stop)
        if self.taken is not None and self.taken[0] == site:
            less = self.ir.emit(f"sub i64 0, {self.taken[1]}")
            self.add(self.counter(site, layout.ACTIVE), less)

    # Instructions

    def before(self, op: Op, binder: OperandBinder) -> None:
        self.request = self.target = None
        if control(op) == "call":
            target = CallSite(op).target
            self.target = self.scope.materialized(binder.read_register(target)) if isinstance(target, Reg) else None
        site = self.layout.site_of.get(op)
        if site is None:
            return
        if isinstance(site.found, FragmentAccess):
            self.traced = []
            return
        sources = binder.sources(op)
        address = self.x.resize(sources[site.found.operand], 64)
        mask = self.scope.mask
        if isinstance(site.found, CopyAccess) and site.found.limit is not None:
            limit: Bits = sources[site.found.limit]
            mask = mask & (self.x.invert(limit) if limit.width == 1 else limit != 0)
        form = self.x.memory.checks.form_of(address) if site.space != "generic" else None
        if form is None:
            address = self.scope.materialized(address)
        self.request = Request(site, address, form, self.scope.materialized(mask))

    def after(self, op: Op) -> None:
        if op.guard is not None:
            self.add(self.counter(self.scope.site, layout.ACTIVE), self.lanes_of(self.scope.mask))
        if control(op) == "call":
            self.calls(op)
        if self.request is not None:
            self.count_request(self.request)
        if self.traced is not None:
            traced, self.traced = self.traced, None
            self.count_fragments(op, traced)

    def calls(self, op: Op) -> None:
        """A call diverges if lanes go to different functions, or some of them do not call."""
        active, mask = self.scope.block_mask, self.scope.mask
        apart = self.x.const(0, 1)
        if self.target is not None and not self.x.uniform(self.target):
            first = self.x.bits(self.scope.first_active(self.target), self.target.width, ZEROS)
            apart = (self.target != first) & mask
        if op.guard is not None:
            apart = apart | (active & self.x.invert(mask))
        if not isinstance(apart.v, int):
            some = self.ir.is_some(self.ir.mask_bits(self.x.vector(apart)))
            called = self.ir.is_some(self.scope.mask_word())
            self.diverges(self.scope.site, self.ir.emit(f"and i1 {some}, {called}"))

    def diverges(self, pc: int, p: str) -> None:
        self.add(self.counter(pc, layout.SPECIAL), self.ir.emit(f"zext i1 {p} to i64"))

    # Ends of blocks

    def branches(self, op: Op, guard: Bits) -> None:
        self.taken = None
        if op.guard is None:
            return
        pc, active = self.scope.site, self.scope.block_mask
        taken = guard & active
        if isinstance(guard.v, int) or self.x.uniform(guard):
            amount = self.threads if guard.v == 1 else "0"
            if not isinstance(guard.v, int):
                amount = self.ir.emit(f"select i1 {self.x.scalar(guard)}, i64 {self.threads}, i64 0")
            self.add(self.counter(pc, layout.ACTIVE), amount)
            return
        word, executing = self.ir.mask_bits(self.x.vector(taken)), self.scope.mask_word()
        lanes = self.bits_in(word)
        self.add(self.counter(pc, layout.ACTIVE), lanes)
        if self.x.facts.branches.get(self.scope.block.index) == "assumed":
            self.taken = pc, lanes  # if lanes diverge, the warp takes a side exit
            return
        some, all = self.ir.is_some(word), self.ir.emit(f"icmp ne i32 {word}, {executing}")
        self.diverges(pc, self.ir.emit(f"and i1 {some}, {all}"))

    def chooses(self, op: Op, index: Bits) -> None:
        active, table = self.scope.block_mask, self.layout.tables[op]
        if self.x.uniform(index):
            at = self.x.scalar(self.x.resize(index, 64))
            place = self.ir.emit(f"getelementptr i64, ptr {self.ir.field(self.counts, table)}, i64 {at}")
            before = self.ir.load("i64", place, 8, STATE)
            self.ir.store("i64", self.ir.emit(f"add i64 {before}, {self.threads}"), place, 8, STATE)
            return
        for i in range(len(layout.targets_of(op).pcs)):
            self.add(table + 8 * i, self.lanes_of((index == i) & active))
        first = self.x.bits(self.scope.first_active(index), index.width, ZEROS)
        apart = (index != first) & active
        self.diverges(self.scope.site, self.ir.is_some(self.ir.mask_bits(self.x.vector(apart))))

    def arrives(self, op: Op, number: Bits, generation: str, lanes: str) -> None:
        if op.m.mode == "arrive" or has_operand(op, "b"):
            raise UnsupportedByJit("barriers of some of a block's warps, which are not counted")
        ir, entry = self.ir, self.scope.entry
        cta = ir.load("i64", entry.field(abi.LINEAR), 8)
        given = (
            ir.emit(f"zext i32 {self.x.scalar(number)} to i64"),
            ir.emit(f"zext i32 {generation} to i64"),
            cta,
            str(op.span[0]),
            str(self.counter(self.scope.site, layout.SPECIAL)),
        )
        self.call("arrives", *given)

    def resumes(self) -> None:
        ir, field = self.ir, self.scope.entry.frame_field
        words = [ir.load("i32", field(offset), 4) for offset in (abi.WAITS, abi.GENERATION)]
        self.call("resumes", *[ir.emit(f"zext i32 {word} to i64") for word in words])

    def call(self, function: str, *given: str) -> None:
        arguments = "".join(f", i64 {value}" for value in given)
        self.ir.line(f"call void @count.{function}(ptr {self.counts}{arguments})")

    # Requests

    def count_request(self, request: Request) -> None:
        """Counts a request of the lanes in its mask, if there are any."""
        form, mask = request.form, request.mask
        if isinstance(mask.v, int):
            if mask.v:
                self.of_whole_warp(request)
            return
        ir = self.ir
        word = ir.mask_bits(self.x.vector(mask))
        some, done = ir.fresh(), ir.fresh()
        if form is not None:
            whole, part = ir.fresh(), ir.fresh()
            ir.likely(ir.emit(f"icmp eq i{N} {word}, -1"), whole, part)
            with ir.in_cold_code():
                ir.start(whole)
                self.of_whole_warp(request)
                ir.jump(done)
                ir.start(part)
        ir.branch(ir.is_some(word), some, done)
        with ir.in_cold_code():
            ir.start(some)
            self.by_function(request, ir.emit(f"zext i{N} {word} to i64"))
            ir.jump(done)
        ir.start(done)

    def of_whole_warp(self, request: Request) -> None:
        if request.form is None:
            self.by_function(request, str(ALL_LANES))
            return
        site, form, ir = request.site, request.form, self.ir
        entry = self.layout.entry(site)
        if form.base.startswith("%"):
            zeros = site.modulus.bit_length() - 1
            residue = "0" if form.tz >= zeros else ir.emit(f"and i64 {form.base}, {site.modulus - 1}")
        else:
            residue = str(int(form.base) % site.modulus)
        first = ir.field(self.counts, entry + layout.HISTOGRAM)
        place = ir.emit(f"getelementptr i64, ptr {first}, i64 {residue}")
        before = ir.load("i64", place, 8, STATE)
        ir.store("i64", ir.emit(f"add i64 {before}, 1"), place, 8, STATE)
        with ir.cold_block(ir.emit(f"icmp eq i64 {before}, 0")):
            self.store_addresses(self.addresses(request))
            self.call("first", str(entry), str(self.layout.mask(site)), form.base, residue)

    def by_function(self, request: Request, mask: str) -> None:
        site = request.site
        self.store_addresses(self.addresses(request))
        window = SHIFT[self.c.address_size] if site.space == "generic" else SAME
        entry, masks, sums = self.layout.entry(site), self.layout.mask(site), self.layout.sums(site)
        facts = site.measure | site.size << 8
        self.call("request", *map(str, (entry, masks, site.number, mask, site.modulus, window, sums, facts)))

    def addresses(self, request: Request) -> str:
        form = request.form
        if form is None:
            return self.x.vector(request.address)
        base = self.x.splat(form.base, "i64")
        return self.ir.emit(f"add {vector_type(64)} {base}, {self.x.literal_vector(form.lanes, 64)}")

    def store_addresses(self, addresses: str) -> None:
        self.ir.store(vector_type(64), addresses, self.ir.field(self.counts, layout.LANES), 64)

    def count_fragments(self, op: Op, traced: Sequence[tuple[str, Bits, int]]) -> None:
        """All accesses of one execution, one after another."""
        if len(traced) > layout.MOST:
            raise UnsupportedByJit(f"`{op.form.instruction.name}` of more than {layout.MOST} accesses")
        site, mask = self.layout.site_of[op], self.scope.mask_word()
        some = self.ir.is_some(mask)
        with self.ir.block_if(some):
            wide = self.ir.emit(f"zext i{N} {mask} to i64")
            for i, (_, address, size) in enumerate(traced):
                self.store_addresses(self.x.vector(self.x.resize(address, 64)))
                self.call("log", str(site.number | size << 24 | i << 32), wide)


class Request:
    """A memory request by the lanes in `mask` at `address`. `form` is None if it is not known."""

    __slots__ = ("address", "form", "mask", "site")

    def __init__(self, site: layout.Site, address: Bits, form: Form | None, mask: Bits) -> None:
        self.site, self.address, self.form, self.mask = site, address, form, mask


class CountedMemory:
    """Memory as the machine of meanings sees it; remembers the loads that fragments of matrices consist of."""

    def __init__(self, memory: MemoryLowering, count: Count) -> None:
        self.memory, self.count = memory, count
        self.copy = memory.copy

    def load(self, space: str, address: Bits, w: int, count: int = 1) -> tuple[Bits, ...]:
        self.trace(space, address, w * count // 8)
        return self.memory.load(space, address, w, count)

    def store(self, space: str, address: Bits, values: Sequence[Bits]) -> None:
        self.trace(space, address, values[0].width * len(values) // 8)
        self.memory.store(space, address, values)

    def atomic(self, space: str, address: Bits, w: int, update: Update, *operands: Word) -> Word:
        return self.memory.atomic(space, address, w, update, *operands)

    def trace(self, space: str, address: Bits, size: int) -> None:
        if self.count.traced is not None:
            self.count.traced.append((space, self.count.scope.materialized(address), size))
