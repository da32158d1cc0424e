"""Sums of floats at addresses per lane: if no two lanes have the same one, all lanes are updated at once.

The processor finds equal elements within a vector of 16. So the first half of the warp stores its sums, and the second
one loads its words again: if one of them has changed, it is a word of the first half, which gets its old words back.
Where lanes meet, the test is omitted the next time, then the next three, seven and so on until lanes do not meet: sums
of few words, for which it would be in vain, would take 1.2 times as long.
"""

from __future__ import annotations

from collections.abc import Callable

from openptx.engines.native.analysis.lattice import N, Value
from openptx.engines.native.emit.guarded_paths import Act
from openptx.engines.native.emit.ir_builder import DATA
from openptx.engines.native.emit.memory.bounds_check import BoundsCheck
from openptx.engines.native.emit.memory.gather_scatter import PLACES, GatherScatter
from openptx.isa.semantics import atomic_ops
from openptx.numerics import Bits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Update

HALF = N // 2
MOST_OMITTED = 31
MASK, ALL = f"<{HALF} x i1>", f"<{HALF} x i1> splat (i1 true)"


class DistinctWords:
    def __init__(self, checks: BoundsCheck, lanes: GatherScatter) -> None:
        self.x, self.ir, self.scope, self.checks, self.lanes = checks.x, checks.ir, checks.scope, checks, lanes

    def serves(self, region: str, update: Update, w: int) -> bool:
        """Whether an update is of this kind. Those of integers are an instruction for each lane, which is faster."""
        sums = update in atomic_ops.ORDERED and update is not atomic_ops.compare_and_swap
        return sums and region != "slow" and self.lanes.scatters(w) and not self.checks.c.options.baseline

    def update(self, region: str, place: Bits, w: int, changed: Callable[[Bits], str], in_order: Act) -> Bits:
        """Replaces the words and returns the old ones; one after the other where lanes meet or do not execute."""
        ir, t = self.ir, f"<{HALF} x i{w}>"
        rest, last = self.counter(), self.counter()  # tests to omit from now on, and how many were omitted before
        test, at_once, both, undo, met, omit, ordered, done = (ir.fresh() for _ in range(8))
        left = ir.load("i32", rest, 4)
        ir.branch(ir.emit(f"icmp eq i32 {left}, 0"), test, omit)
        with ir.in_cold_code():
            ir.start(omit)
            ir.store("i32", ir.emit(f"sub i32 {left}, 1"), rest, 4)
            ir.jump(ordered)
            ir.start(test)
            bad, pointers = self.checks.check_lanes(region, place, w // 8, True)
            every = ir.emit(f"icmp eq i{N} {self.scope.mask_word()}, -1")
            valid = ir.emit(f"and i1 {ir.emit(f'xor i1 {bad}, true')}, {every}")
            ir.branch(ir.emit(f"and i1 {valid}, {self.none_twice(place)}"), at_once, met)
            ir.start(at_once)
            first, second = self.halves(PLACES, pointers())
            old = [self.load(t, w, first), self.load(t, w, second)]
            before = ir.concatenate(f"i{w}", HALF, old)
            new = self.halves(f"<{N} x i{w}>", changed(self.x.bits(before, w)))
            self.store(t, w, new[0], first)
            moved = ir.emit(f"bitcast {MASK} {ir.emit(f'icmp ne {t} {self.load(t, w, second)}, {old[1]}')} to i{HALF}")
            ir.branch(ir.emit(f"icmp eq i{HALF} {moved}, 0"), both, undo)
            ir.start(undo)
            self.store(t, w, old[0], first)
            ir.jump(met)
            ir.start(both)
            self.store(t, w, new[1], second)
            ir.store("i32", 0, last, 4)
            ir.jump(done)
            ir.start(met)
            doubled = ir.emit(f"shl i32 {ir.load('i32', last, 4)}, 1")
            more = ir.emit(f"and i32 {ir.emit(f'or i32 {doubled}, 1')}, {MOST_OMITTED}")
            ir.store("i32", more, rest, 4)
            ir.store("i32", more, last, 4)
            ir.jump(ordered)
            ir.start(ordered)
            others = [self.x.vector(d) for d in in_order()]
            labels = [both, ir.label]
            ir.jump(done)
        ir.start(done)
        return self.x.bits(ir.phi(f"<{N} x i{w}>", labels, before, others[0]), w)

    def counter(self) -> str:
        place = self.ir.first("alloca i32")
        self.ir.first_line(f"store i32 0, ptr {place}")
        return place

    def none_twice(self, place: Bits) -> str:
        """An i1: whether no half of the warp has an address twice, as far as 32 bits tell."""
        ir, t = self.ir, f"<{HALF} x i32>"
        spread = ir.spread.get(place.v.name) if isinstance(place.v, Value) else None
        narrow = spread.narrow if spread is not None else self.checks.narrow(place)
        if not narrow:
            narrow = ir.emit(f"trunc <{N} x i64> {self.x.vector(place)} to <{N} x i32>")
        twice = [
            ir.emit(f"call {t} @llvm.x86.avx512.conflict.d.512({t} {half})")
            for half in self.halves(f"<{N} x i32>", narrow)
        ]
        found = ir.emit(f"icmp ne {t} {ir.emit(f'or {t} {twice[0]}, {twice[1]}')}, zeroinitializer")
        return ir.emit(f"icmp eq i{HALF} {ir.emit(f'bitcast {MASK} {found} to i{HALF}')}, 0")

    def halves(self, t: str, whole: str) -> tuple[str, str]:
        ir = self.ir
        return ir.shuffle(t, whole, "poison", range(HALF)), ir.shuffle(t, whole, "poison", range(HALF, N))

    def load(self, t: str, w: int, places: str) -> str:
        ir, size = self.ir, w // 8
        if self.lanes.gathers(w):
            given = f"<{HALF} x ptr> align {size} {places}, {ALL}, {t} zeroinitializer"
            return ir.emit(f"call {t} @llvm.masked.gather.v{HALF}i{w}.v{HALF}p0({given}){DATA}")
        at = [ir.emit(f"extractelement <{HALF} x ptr> {places}, i32 {i}") for i in range(HALF)]
        return ir.collect(w, [ir.load(f"i{w}", one, size, DATA) for one in at])

    def store(self, t: str, w: int, value: str, places: str) -> None:
        given = f"{t} {value}, <{HALF} x ptr> align {w // 8} {places}, {ALL}"
        self.ir.line(f"call void @llvm.masked.scatter.v{HALF}i{w}.v{HALF}p0({given}){DATA}")
