"""The machine of meanings over LLVM values: lane exchange, special registers, and memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from openptx.engines.native import abi
from openptx.engines.native.analysis.context import FunctionContext
from openptx.engines.native.analysis.fixpoint import Facts
from openptx.engines.native.analysis.lane_patterns import Pattern
from openptx.engines.native.analysis.lattice import ZEROS, N, Value, as_lanes, collapse, vector_type
from openptx.engines.native.analysis.special_registers import SpecialRegisters
from openptx.engines.native.emit.arith.float_ops import FloatOps
from openptx.engines.native.emit.faults import FaultExits
from openptx.engines.native.emit.guarded_paths import GuardedPaths, LaneLoop
from openptx.engines.native.emit.ir_builder import STATE, LaneType, Section
from openptx.engines.native.emit.matrix_products import MatrixProducts
from openptx.engines.native.emit.memory.atomics import AtomicLowering
from openptx.engines.native.emit.memory.bounds_check import BoundsCheck
from openptx.engines.native.emit.memory.gather_scatter import GatherScatter
from openptx.engines.native.emit.memory.loads import LoadLowering
from openptx.engines.native.emit.memory.slow_path import SlowPath
from openptx.engines.native.emit.memory.stores import StoreLowering
from openptx.engines.native.emit.memory.tensor_memory import TensorMemory
from openptx.engines.native.emit.scope import LocalFrame, ModuleTables, Scope
from openptx.engines.native.emit.upcalls import Upcalls
from openptx.engines.native.instrument.hooks import Hooks
from openptx.isa.semantics.matrix.tensor_operations import TensorCopy, TensorProduct
from openptx.numerics import Bits
from openptx.program import Op

if TYPE_CHECKING:
    from openptx.isa.machine import Update, Word
    from openptx.numerics.dot import Tile
    from openptx.numerics.matrix_product import MatrixProduct

OF_WARP = "tid.", "warpid"
"""Special registers that differ between warps."""


class MemoryLowering:
    """The parts that lower accesses (memory/), each with what it needs; atomics' is made when one is lowered.

    Every access is checked against the table of slots (memory/bounds_check.py). An access that fails the check takes
    the slow path, lane by lane, which is exact: it accepts accesses that are valid after all, and reports which lane
    faulted and how.
    """

    def __init__(self, scope: Scope, faults: FaultExits, frame: LocalFrame, patterns: Mapping[int, Pattern]) -> None:
        """`patterns`: see `Facts`."""
        self.scope, self.paths = scope, GuardedPaths(scope)
        self.checks = BoundsCheck(scope, frame)
        self.slow = SlowPath(scope, faults, frame)
        lanes = GatherScatter(scope)
        self.loads = LoadLowering(self.checks, self.slow, lanes, self.paths, patterns)
        self.stores = StoreLowering(self.checks, self.slow, lanes, self.paths, patterns)
        self.load, self.store, self.joined = self.loads.load, self.stores.store, self.loads.joined
        self.repeat = LaneLoop(scope, faults).repeat

    @cached_property
    def atomics(self) -> AtomicLowering:
        return AtomicLowering(self.checks, self.slow, self.paths, self.loads, self.stores)

    def atomic(self, space: str, address: Bits, w: int, update: Update, *operands: Word) -> Word:
        return self.atomics.atomic(space, address, w, update, *operands)

    def copy(self, to: str, target: Bits, source: str, origin: Bits, size: Bits) -> None:
        """Copies `size` bytes, which may differ between lanes, from one space to another."""
        if self.scope.mask_may_be_empty:
            target, origin, size = (self.scope.materialized(v) for v in (target, origin, size))
        self.paths.if_any(lambda: self.slow.copy(to, target, source, origin, size))


class LlvmMachine(FloatOps):
    """Values are names of LLVM values; memory, faults and upcalls are lowered by separate parts. Those that few kernels
    need are made when they are first asked for."""

    def __init__(self, c: FunctionContext, facts: Facts, tables: ModuleTables) -> None:
        super().__init__(tables.functions)
        self.c, self.cpu, self.facts = c, c.cpu, facts
        self.ir.has_mask_registers = c.cpu.avx512
        # Most uses of a warp's lanes are as a word. As a vector they come from comparisons, if lanes end before others.
        self.ir.live_is_word = not c.cpu.avx512
        self.scope = scope = Scope(self, c, tables)
        self.entry = scope.entry
        self.frame = LocalFrame(scope)
        self.faults = FaultExits(scope)
        self.memory = MemoryLowering(scope, self.faults, self.frame, facts.patterns)
        self.leave_if_wraps: Callable[[str, int, int, bool], None] | None = None
        """Takes a side exit to the generic version if base plus offset wraps, if the code may: see `SideExits`."""
        self.call_tensor_code: Callable[[Op, Sequence[Bits]], None] | None = None
        """See `InterpCall.tensor_code`."""
        self.known: dict[str, Bits] = {}
        self.specials = SpecialRegisters(self, c, self.from_state)
        self.watch = Hooks()
        memory = self.memory
        self.load, self.store, self.atomic, self.copy = memory.load, memory.store, memory.atomic, memory.copy
        self.repeat, self.require = self.memory.repeat, self.faults.require

    @cached_property
    def upcalls(self) -> Upcalls:
        return Upcalls(self.faults, self.frame)

    @cached_property
    def products(self) -> MatrixProducts:
        return MatrixProducts(self.scope)

    def call_product(self, p: MatrixProduct, a: Sequence[Bits], b: Sequence[Bits], addends: Tile) -> Tile:
        return self.products.call(p, a, b, addends)

    # The warp

    def lane(self) -> Bits:
        return Bits(self, 32, tuple(range(N)))

    def active(self) -> Bits:
        return self.scope.mask

    def ballot(self, p: Bits) -> Bits:
        if isinstance(p.v, int):
            if not p.v:
                return self.const(0, 32)
            return self.bits(self.scope.mask_word(), 32, ZEROS) if not self.scope.full else self.const(-1, 32)
        return self.bits(self.ir.mask_bits(self.scope.within_mask(self.vector(p))), 32, ZEROS)

    def shuffle(self, a: Bits, lane: Bits) -> Bits:
        if self.uniform(a):
            return a
        v = a.v
        if not isinstance(v, Value) or not v.raw or v.name:
            return self.shuffled(a, lane)
        found = self.shuffled(self.bits_of_float(self.type_of(a), v.raw), lane)  # NaNs stay as they are
        uniform = self.uniform(found)
        return self.raw(self.float(found, uniform), a.width, uniform, v.bound, v.flushed)

    def shuffled(self, a: Bits, lane: Bits) -> Bits:
        """A shuffle of bits that differ between lanes."""
        w, v = a.width, lane.v
        if not isinstance(v, Value):
            source = tuple(e & N - 1 for e in as_lanes(v))
            if not isinstance(a.v, Value):
                values = as_lanes(a.v)
                return Bits(self, w, collapse(tuple(values[i] for i in source)))
            if isinstance(v, int):
                return self.bits(self.scope.element(a, source[0]), w, ZEROS)
            if (narrow := self.unextended(a)) is not None:
                return self.resize(self.shuffled(narrow, lane), 64)
            return self.bits(self.ir.shuffle(vector_type(w), self.vector(a), "poison", source), w)
        lane = lane & N - 1
        if self.uniform(lane):
            return self.bits(self.scope.element(a, self.scalar(lane)), w, ZEROS)
        if w == 1:
            word = self.bits(self.ir.mask_bits(self.vector(a)), 32, ZEROS)
            return self.resize(word >> lane, 1)
        if w == 64:
            low, high = self.split(a, 32)
            return self.concat(self.shuffle(high, lane), self.shuffle(low, lane))
        if w < 32:
            return self.resize(self.shuffle(self.resize(a, 32), lane), w)
        return self.permuted(a, lane)

    def permuted(self, a: Bits, lane: Bits) -> Bits:
        """A shuffle of 32-bit values by lane numbers known only at run time."""
        ir = self.ir
        if not self.cpu.permute:
            return self.permuted_by_parts(a, lane) if self.cpu.avx2 else self.permuted_in_memory(a, lane)
        half, t = "<16 x i32>", vector_type(32)

        def halves(name: str) -> list[str]:
            return [ir.shuffle(t, name, "poison", range(k, k + 16)) for k in (0, 16)]

        low, high = halves(self.vector(a))
        parts = [
            ir.emit(f"call {half} @llvm.x86.avx512.vpermi2var.d.512({half} {low}, {half} {index}, {half} {high})")
            for index in halves(self.vector(lane))
        ]
        return self.bits(ir.shuffle(half, parts[0], parts[1], range(N)), 32)

    def permuted_by_parts(self, a: Bits, lane: Bits) -> Bits:
        """The same where eight elements are permuted at once: from each quarter, of which the right one is selected."""
        ir, t, quarter = self.ir, vector_type(32), "<8 x i32>"

        def quarters(name: str) -> list[str]:
            return [ir.shuffle(t, name, "poison", range(k, k + 8)) for k in range(0, N, 8)]

        def chosen(bit: int, index: str, yes: str, no: str) -> str:
            sign = ir.emit(f"shl {quarter} {index}, splat (i32 {31 - bit})")
            p = ir.emit(f"icmp slt {quarter} {sign}, zeroinitializer")
            return ir.emit(f"select <8 x i1> {p}, {quarter} {yes}, {quarter} {no}")

        sources, parts = quarters(self.vector(a)), list[str]()
        for index in quarters(self.vector(lane)):
            given = f"{quarter} {index})"
            found = [ir.emit(f"call {quarter} @llvm.x86.avx2.permd({quarter} {one}, {given}") for one in sources]
            halves = [chosen(3, index, found[k + 1], found[k]) for k in (0, 2)]
            parts.append(chosen(4, index, halves[1], halves[0]))
        return self.bits(ir.concatenate("i32", 8, parts), 32)

    def permuted_in_memory(self, a: Bits, lane: Bits) -> Bits:
        ir, t = self.ir, vector_type(32)
        where = self.entry.field(abi.DATA)
        ir.store(t, self.vector(a), where, 4, STATE)
        places = ir.emit(f"getelementptr i32, ptr {where}, {t} {self.vector(lane)}")
        every = "splat (i1 true)"
        name = ir.emit(
            f"call {t} @llvm.masked.gather.v{N}i32.v{N}p0(<{N} x ptr> align 4 {places}, <{N} x i1> {every},"
            f" {t} zeroinitializer)"
        )
        return self.bits(name, 32)

    # The thread

    def fence(self, scope: str, sequential: bool) -> None:
        """A CTA, which is its own cluster, is run by one worker; only others may see its accesses in another order."""
        if self.c.options.locked and scope not in ("cta", "cluster"):
            self.ir.line(f"fence {'seq_cst' if sequential else 'acq_rel'}")

    @property
    def tensor_memory(self) -> TensorMemory:
        return self._tensor_memory

    @cached_property
    def _tensor_memory(self) -> TensorMemory:
        return TensorMemory(self.scope, self.faults)

    def tensor_product(
        self, p: TensorProduct, define: Callable[..., None], zeros: Bits, code: Bits, *values: Bits
    ) -> None:
        self.on_tensor_memory(zeros, code, *values)

    def tensor_copy(self, p: TensorCopy, define: Callable[..., None], address: Bits, code: Bits) -> None:
        self.on_tensor_memory(address, code)

    def on_tensor_memory(self, *words: Bits) -> None:
        """The result for `words` of the code compiled for the instruction, or else of the interpreter."""
        assert self.call_tensor_code is not None
        self.call_tensor_code(self.c.function.code[self.scope.site], words)

    def special(self, name: str, w: int) -> Bits:
        if name.startswith(("clock", "globaltimer")):
            return self.time(name, w)
        if name not in self.known:
            with self.ir.at_entry(Section.WARP if name.startswith("tid.") else Section.LAUNCH):
                self.known[name] = self.specials.read(name)
        found, v = self.known[name], self.known[name].v
        if isinstance(v, Value):  # a new one: forms that a block computes of it exist only in that block
            t = LaneType(found.width, v.lanes is not None).int
            place = self.entry.of_warp(v.name, t) if name.startswith(OF_WARP) else v.name
            found = self.bits(place, found.width, v.lanes, v.tz, v.high)
        return self.resize(found, w)

    def time(self, name: str, w: int) -> Bits:
        """The value of a clock: all of them count nanoseconds."""
        now = self.upcalls.now()
        return self.resize(now >> 32 if name.endswith("_hi") else now, w)

    def from_state(self, offset: int, t: str) -> Bits:
        return self.bits(self.entry.state(offset, t), int(t[1:]), ZEROS)

    def guard(self, base: str, top: int, w: int, signed: bool) -> bool:
        leave = self.leave_if_wraps
        if leave is None or self.scope.ir is not self.ir or not self.c.options.lane_facts or self.c.is_function:
            return False
        if self.scope.site not in self.facts.may_leave:
            return (
                False  # emission's own steps, such as the words of a scattered store: the frame has no place for them
            )
        leave(base, top, w, signed)
        return True

    def inactive(self) -> Bits | None:
        return None if self.scope.full else ~self.ballot(self.const(1, 1))
