"""Accesses at separate addresses per lane. Known offsets are loaded by a few wide moves and shuffles; others are
gathered and scattered by the processor if it is fast at them, else by shared functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from openptx.engines.native.analysis.lattice import ZEROS, Lanes, N, vector_type
from openptx.engines.native.emit.arith.outlined import OutlinedFunction
from openptx.engines.native.emit.ir_builder import DATA, IRBuilder
from openptx.engines.native.emit.memory.masked_lanes import element, load_some, offsets_of, pointers_of, store_some
from openptx.engines.native.emit.scope import Scope
from openptx.numerics import Bits

WIDEST = 64
"""The bits of a lane that are moved at once. A vector is aligned as a whole, so its elements may be moved as one."""

PLACES, LANES = f"<{N} x ptr>", f"<{N} x i1>"


class GatherScatter:
    def __init__(self, scope: Scope) -> None:
        self.x, self.ir, self.scope, self.tables = scope.x, scope.ir, scope, scope.tables

    def gather(self, places: str, w: int, count: int) -> tuple[Bits, ...]:
        """`count` elements at each executing lane's address; zeros elsewhere. All addresses have been checked."""
        together = min(count, WIDEST // w)
        found: list[Bits] = []
        for i in range(0, count, together):
            word = self.x.bits(self.gather_words(self.advanced(places, i * w // 8), w * together), w * together)
            found += [self.x.resize(word >> k * w, w) for k in range(together)]
        return tuple(found)

    def scatter(self, places: str, values: Sequence[Bits], w: int) -> None:
        """The inverse. If lanes have the same address, the highest lane's value is kept."""
        together = min(len(values), WIDEST // w)
        for i in range(0, len(values), together):
            word = values[i]
            for value in values[i + 1 : i + together]:
                word = self.x.concat(value, word)
            self.scatter_words(self.advanced(places, i * w // 8), word)

    def advanced(self, places: str, distance: int) -> str:
        return self.ir.emit(f"getelementptr i8, {PLACES} {places}, i64 {distance}") if distance else places

    def gather_words(self, places: str, w: int) -> str:
        t = vector_type(w)
        return self.ir.emit(self.gather_call(t, w, places, self.scope.active_mask, self.scope.mask_word))

    def gather_call(self, t: str, w: int, places: str, mask: Callable[[], str], lanes: Callable[[], str]) -> str:
        """The instruction that gathers; `mask` and `lanes` give the executing lanes, as i1 and as bits of an i32."""
        if self.gathers(w):
            return (
                f"call {t} @llvm.masked.gather.v{N}i{w}.v{N}p0({PLACES} align {w // 8} {places}, {LANES} {mask()},"
                f" {t} zeroinitializer){DATA}"
            )

        def whole(b: IRBuilder) -> None:
            b.line(f"ret {t} {one_by_one(b, '%at', w)}")

        def part(b: IRBuilder) -> None:
            b.line(f"ret {t} {load_some(b, w, pointers_of(b, '%at'), self.x.cpu.avx512)}")

        self.share("gather", w, t, f"{PLACES} %at", whole, part)
        return f"call {t} @gather.i{w}(ptr %w, {PLACES} {places}, i{N} {lanes()})"

    def scatter_words(self, places: str, word: Bits) -> None:
        w, t = word.width, vector_type(word.width)
        value = self.x.vector(word)
        self.ir.line(self.scatter_call(t, w, value, places, self.scope.active_mask, self.scope.mask_word))

    def scatter_call(
        self, t: str, w: int, value: str, places: str, mask: Callable[[], str], lanes: Callable[[], str]
    ) -> str:
        """The call of a function that scatters."""

        def masked(value: str, at: str, mask: str) -> str:
            return (
                f"call void @llvm.masked.scatter.v{N}i{w}.v{N}p0({t} {value}, {PLACES} align {w // 8} {at},"
                f" {LANES} {mask}){DATA}"
            )

        if self.scatters(w):
            return masked(value, places, mask())

        def whole(b: IRBuilder) -> None:
            b.line(masked("%value", "%at", "splat (i1 true)"))
            b.line("ret void")

        def part(b: IRBuilder) -> None:
            store_some(b, w, "%value", pointers_of(b, "%at"))
            b.line("ret void")

        self.share("scatter", w, "void", f"{t} %value, {PLACES} %at", whole, part)
        return f"call void @scatter.i{w}(ptr %w, {t} {value}, {PLACES} {places}, i{N} {lanes()})"

    def moves_rows(self, w: int) -> bool:
        """Whether the processor stores neighbouring elements of this width under a mask; if not, LLVM makes 32 branches
        of a masked store."""
        return self.x.cpu.avx512 or w >= 32

    def store_row(self, w: int, value: str, place: str, lanes: str) -> str:
        """The call of a function that stores neighbouring elements of the `lanes`."""
        t, name = vector_type(w), f"row.i{w}"
        if name not in self.tables.functions:
            b = IRBuilder()
            store_some(b, w, "%value", lambda lane: element(b, w, "%at", lane))
            b.line("ret void")
            self.define(name, w, f"void @{name}(ptr %w, {t} %value, ptr %at", b)
        return f"call void @{name}(ptr %w, {t} {value}, ptr {place}, i{N} {lanes})"

    def gathers(self, w: int) -> bool:
        """Whether the processor has a fast instruction that gathers such elements."""
        return self.x.cpu.gathers and w >= 32

    def scatters(self, w: int) -> bool:
        return self.x.cpu.avx512 and w >= 32

    def share(self, what: str, w: int, result: str, parameters: str, *bodies: Callable[[IRBuilder], None]) -> None:
        """Generates the function of an access: for all lanes, and for those in `%lanes`."""
        name = f"{what}.i{w}"
        if name in self.tables.functions:
            return
        b = IRBuilder()
        b.branch(b.emit(f"icmp eq i{N} %lanes, -1"), "whole", "part")
        for label, body in zip(("whole", "part"), bodies, strict=True):
            b.start(label)
            body(b)
        self.define(name, w, f"{result} @{name}(ptr %w, {parameters}", b)

    def define(self, name: str, w: int, head: str, b: IRBuilder) -> None:
        text = "\n".join([f"define internal {head}, i{N} %lanes) noinline nounwind #0 {{", "entry:", *b.lines, "}", ""])
        self.tables.functions[name] = OutlinedFunction(name, w, text)


def one_by_one(b: IRBuilder, places: str, w: int) -> str:
    """The element at each address; all addresses have been checked."""
    at = (b.emit(f"extractelement {PLACES} {places}, i32 {i}") for i in range(N))
    return b.collect(w, [b.load(f"i{w}", one, w // 8, DATA) for one in at])


RUNS = 4
"""The maximum number of pieces of a load, which are combined from wide moves."""

WINDOW = 8
"""The maximum size of a window that is read, relative to the size of the wanted data."""


REGISTER = 64
"""Bytes of a piece of a window: a vector register of AVX-512, two of AVX2. But no more elements than a warp has lanes:
LLVM takes those of a vector that is shorter than the pieces one by one."""


class LoadPlan:
    """How offsets are loaded: pieces (first element, number of elements), and each lane's element."""

    __slots__ = ("index", "runs", "uniform")

    def __init__(self, runs: list[tuple[int, int]], index: list[int], uniform: bool) -> None:
        self.runs, self.index, self.uniform = runs, index, uniform

    @staticmethod
    @lru_cache(256)
    def of(lanes: Lanes, step: int, count: int) -> LoadPlan | None:
        """The plan for loading each lane's offset; None if a gather is better."""
        if lanes is ZEROS:
            return LoadPlan([], [0] * N, True)
        if any(v % step for v in lanes):
            return None
        index = [v // step for v in lanes]
        wanted = sorted({i + k for i in index for k in range(count)})
        runs: list[tuple[int, int]] = []
        for i in wanted:
            if runs and runs[-1][0] + runs[-1][1] == i:
                runs[-1] = runs[-1][0], runs[-1][1] + 1
            else:
                runs.append((i, 1))
        if len(runs) > RUNS:
            total = wanted[-1] + 1
            if total > WINDOW * N or total > WINDOW * len(wanted):
                return None
            runs = whole_registers(total, min(REGISTER // step, N))
        return LoadPlan(runs, index, False)


def whole_registers(total: int, n: int) -> list[tuple[int, int]]:
    """Pieces of `n` elements each that cover `total` elements, the last two of which may overlap: of a vector that is
    no multiple of a register, LLVM takes the last elements one by one."""
    return [(i, n) for i in (*range(0, total - n, n), total - n)] if total > n else [(0, total)]


OFFSETS, PAIRS = vector_type(32), f"<{N // 2} x i64>"


def load_near(b: IRBuilder, lanes: GatherScatter, w: int, every: bool) -> str:
    """The elements of shared memory at `%places`, offsets of 32 bits, of every lane or of those in `%mask`.

    An address in shared memory usually is a register of 32 bits, extended to 64. Two such offsets leave a vector
    register at once, and half as many vectors are compared as of pointers: a warp's gather takes 5.0 ns on a Zen 5
    instead of 8.9.
    """
    t = vector_type(w)
    if lanes.gathers(w):
        masked = f"{LANES} splat (i1 true)" if every else f"{LANES} %mask"
        given = f"{PLACES} align {w // 8} {pointers(b)}, {masked}, {t} zeroinitializer"
        return b.emit(f"call {t} @llvm.masked.gather.v{N}i{w}.v{N}p0({given}){DATA}")
    if not every:
        return load_some(b, w, offsets_of(b, "%places"), lanes.x.cpu.avx512)
    return b.collect(w, [b.load(f"i{w}", at, w // 8, DATA) for at in each_place(b)])


def store_near(b: IRBuilder, lanes: GatherScatter, w: int, every: bool) -> None:
    """Stores `%value0` there."""
    t = vector_type(w)
    if lanes.scatters(w):
        masked = f"{LANES} splat (i1 true)" if every else f"{LANES} %mask"
        given = f"{t} %value0, {PLACES} align {w // 8} {pointers(b)}, {masked}"
        b.line(f"call void @llvm.masked.scatter.v{N}i{w}.v{N}p0({given}){DATA}")
        return
    if not every:
        store_some(b, w, "%value0", offsets_of(b, "%places"))
        return
    for i, at in enumerate(each_place(b)):
        b.store(f"i{w}", b.emit(f"extractelement {t} %value0, i32 {i}"), at, w // 8, DATA)


def each_place(b: IRBuilder) -> Iterator[str]:
    """A pointer for each lane, computed from an element of 64 bits for two lanes."""
    pairs = b.emit(f"bitcast {OFFSETS} %places to {PAIRS}")
    for i in range(N // 2):
        pair = b.emit(f"extractelement {PAIRS} {pairs}, i32 {i}")
        for part in (f"and i64 {pair}, 4294967295", f"lshr i64 {pair}, 32"):
            yield b.emit(f"getelementptr i8, ptr %host, i64 {b.emit(part)}")


def pointers(b: IRBuilder) -> str:
    """A pointer for each lane. Offsets of executing lanes have been checked, and so are below 2^31: it does not matter
    that `getelementptr` extends them with their sign."""
    return b.emit(f"getelementptr i8, ptr %host, {OFFSETS} %places")
