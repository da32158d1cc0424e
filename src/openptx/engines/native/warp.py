"""What lanes of a warp say to each other, and what a thread knows of itself."""

from __future__ import annotations

from collections.abc import Callable

from openptx.engines.native import layout
from openptx.engines.native.memory import Memory
from openptx.engines.native.values import ZEROS, N, Value, as_lanes, collapse, vector_type
from openptx.isa.special_registers import MULTIPROCESSORS, RESERVED_SHARED, WARPS, allocation_unit
from openptx.numerics import Bits
from openptx.program import Program

Triple = tuple[int, int, int]


class Warp(Memory):
    program: Program
    block: Triple

    # The warp

    def lane(self) -> Bits:
        return Bits(self, 32, tuple(range(N)))

    def active(self) -> Bits:
        return self.mask

    def ballot(self, p: Bits) -> Bits:
        if isinstance(p.v, int):
            if not p.v:
                return self.const(0, 32)
            return self.bits(self.mask_word(), 32, ZEROS) if not self.full else self.const(-1, 32)
        name = self.vector(p)
        if not self.full:
            name = self.out.emit(f"and <{N} x i1> {name}, {self.active_mask()}")
        return self.bits(self.out.emit(f"bitcast <{N} x i1> {name} to i{N}"), 32, ZEROS)

    def shuffle(self, a: Bits, lane: Bits) -> Bits:
        w, v = a.width, lane.v
        if self.uniform(a):
            return a
        if not isinstance(v, Value):
            source = tuple(e & N - 1 for e in as_lanes(v))
            if not isinstance(a.v, Value):
                values = as_lanes(a.v)
                return Bits(self, w, collapse(tuple(values[i] for i in source)))
            order = ", ".join(f"i32 {i}" for i in source)
            name = self.vector(a)
            if isinstance(v, int):
                return self.bits(self.out.emit(f"extractelement {vector_type(w)} {name}, i32 {source[0]}"), w, ZEROS)
            t = vector_type(w)
            return self.bits(self.out.emit(f"shufflevector {t} {name}, {t} poison, <{N} x i32> <{order}>"), w)
        lane = lane & N - 1
        if self.uniform(lane):
            return self.bits(
                self.out.emit(f"extractelement {vector_type(w)} {self.vector(a)}, i32 {self.scalar(lane)}"), w, ZEROS
            )
        if w == 1:
            word = self.bits(self.out.emit(f"bitcast <{N} x i1> {self.vector(a)} to i{N}"), 32, ZEROS)
            return self.resize(word >> lane, 1)
        if w == 64:
            low, high = self.split(a, 32)
            return self.concat(self.shuffle(high, lane), self.shuffle(low, lane))
        if w < 32:
            return self.resize(self.shuffle(self.resize(a, 32), lane), w)
        return self.permuted(a, lane)

    def permuted(self, a: Bits, lane: Bits) -> Bits:
        """A shuffle of 32-bit values by lanes that are only known then."""
        out = self.out
        if not self.cpu.permute:
            where = self.field(layout.DATA)
            out.line(f"store {vector_type(32)} {self.vector(a)}, ptr {where}, align 4, !tbaa !5")
            t = vector_type(32)
            places = out.emit(f"getelementptr i32, ptr {where}, {t} {self.vector(lane)}")
            every = "splat (i1 true)"
            name = out.emit(
                f"call {t} @llvm.masked.gather.v{N}i32.v{N}p0(<{N} x ptr> align 4 {places}, <{N} x i1> {every},"
                f" {t} zeroinitializer)"
            )
            return self.bits(name, 32)
        half, t = "<16 x i32>", vector_type(32)
        orders = [", ".join(f"i32 {i}" for i in range(k, k + 16)) for k in (0, 16)]

        def cut(name: str) -> list[str]:
            return [out.emit(f"shufflevector {t} {name}, {t} poison, {half} <{order}>") for order in orders]

        low, high = cut(self.vector(a))
        parts = [
            out.emit(f"call {half} @llvm.x86.avx512.vpermi2var.d.512({half} {low}, {half} {index}, {half} {high})")
            for index in cut(self.vector(lane))
        ]
        order = ", ".join(f"i32 {i}" for i in range(N))
        return self.bits(out.emit(f"shufflevector {half} {parts[0]}, {half} {parts[1]}, <{N} x i32> <{order}>"), 32)

    # The thread

    def special(self, name: str, w: int) -> Bits:
        if name.startswith(("clock", "globaltimer")):
            return self.time(name, w)
        key = ("special", name)
        if key not in self.known:
            outer, self.out.lines = self.out.lines, self.out.head  # what it takes is computed where the function begins
            self.out.aside += 1
            self.known[key] = self.read_special(name)
            self.out.aside -= 1
            self.out.lines = outer
        found, v = self.known[key], self.known[key].v
        if isinstance(v, Value):  # without what blocks remember of a value
            found = self.bits(v.name, found.width, v.lanes, v.tz, v.high)
        return self.resize(found, w)

    def time(self, name: str, w: int) -> Bits:
        """Clocks: all of them count nanoseconds."""
        now = self.now()
        return self.resize(now >> 32 if name.endswith("_hi") else now, w)

    known: dict[object, Bits]

    def from_state(self, offset: int, t: str, high: int = -1) -> Bits:
        return self.bits(self.state(offset, t), int(t[1:]), ZEROS, 0, high)

    def read_special(self, name: str) -> Bits:
        bx, by, bz = self.block
        threads = bx * by * bz
        if name.endswith(".w"):  # unused, always zero (10.1 and others)
            return self.const(0, 32)
        if name.startswith("tid."):
            return self.thread_index("xyz".index(name[4]))
        if name.startswith("ntid."):
            return self.const(self.block["xyz".index(name[5])], 32)
        if name.startswith("ctaid."):
            return self.from_state(layout.CTAID + 4 * "xyz".index(name[6]), "i32")
        if name.startswith("nctaid."):
            return self.from_state(layout.NCTAID + 4 * "xyz".index(name[7]), "i32")
        if name == "laneid":
            return self.lane()
        if name == "warpid":
            return self.bits("%index", 32, ZEROS, 0, -(-threads // N) - 1)
        if name == "nwarpid":
            return self.const(WARPS, 32)
        if name == "nsmid":
            return self.const(MULTIPROCESSORS, 32)
        if name.startswith("lanemask_"):
            bits = [1 << i for i in range(N)]
            sets: dict[str, Callable[[int], int]] = {
                "eq": lambda b: b,
                "lt": lambda b: b - 1,
                "le": lambda b: b | b - 1,
                "gt": lambda b: ~(b | b - 1),
                "ge": lambda b: ~(b - 1),
            }
            of = sets[name[9:]]
            return Bits(self, 32, tuple(of(b) & 0xFFFFFFFF for b in bits))
        if name == "dynamic_smem_size":
            return self.from_state(layout.DYNAMIC, "i64")
        if name in ("total_smem_size", "aggr_smem_size"):
            unit = allocation_unit(self.program.target)
            up = self.from_state(layout.SHARED_SIZE, "i64") + (unit - 1 - self.program.reserved_shared)
            return (up & -unit) + (RESERVED_SHARED if name[0] == "a" else 0)
        if name in ("envreg1", "envreg2"):
            return self.from_state(layout.WORKSPACE + (4 if name == "envreg1" else 0), "i32")
        if name.startswith(("clusterid.", "nclusterid.")):  # without clusters each CTA is one
            return self.read_special(name.replace("cluster", "cta"))
        return self.const(int(name.startswith("cluster_ncta")), 64)

    def thread_index(self, axis: int) -> Bits:
        """tid in one direction, by the block's shape: the warp's first thread, and how far lanes are from it."""
        bx, by, bz = self.block
        if self.block[axis] == 1:
            return self.const(0, 32)
        threads = bx * by * bz
        warps = -(-threads // N)
        first = self.bits("%first32", 32, ZEROS, 5, (warps - 1) * N) if warps > 1 else self.const(0, 32)
        lanes = Bits(self, 32, tuple(range(N)))
        below = (1, bx, bx * by)[axis]  # threads from one place to the next in this direction
        extent = self.block[axis]
        outer = threads == below * extent
        linear = first + lanes
        if N % below == 0 or below % N == 0 or below & below - 1 == 0:
            q = linear if below == 1 else self.binary("udiv", linear, self.const(below, 32))
            return q if outer else self.remaining(q, extent)
        q = self.binary("udiv", linear, self.const(below, 32))
        return q if outer else self.remaining(q, extent)

    def remaining(self, q: Bits, extent: int) -> Bits:
        """q modulo a block's extent; where warps begin at multiples of it, of the base alone."""
        v = q.v
        if isinstance(v, Value) and v.lanes is not None and v.tz >= 5 and extent % N == 0 and extent & extent - 1:
            base = self.bits(v.name, 32, ZEROS, v.tz, v.high)
            base = self.binary("urem", base, self.const(extent, 32))
            assert isinstance(base.v, Value)
            return Bits(self, 32, Value(base.v.name, v.lanes, 5, extent - N))
        return self.binary("urem", q, self.const(extent, 32))
