"""The core operations as LLVM text: scalar if all lanes agree, vectors of 32 elements otherwise."""

from __future__ import annotations

from openptx.engines.native.analysis.affine import FOLD, Base
from openptx.engines.native.analysis.float_transfer import FloatTransfer
from openptx.engines.native.analysis.lattice import ZEROS, Known, N, V, Value, as_lanes, vector_type
from openptx.engines.native.analysis.transfer import LLVM
from openptx.engines.native.emit.arith.quotients import float_reciprocal, quotient
from openptx.engines.native.emit.ir_builder import IRBuilder, Spread
from openptx.numerics import Bits

_DIVIDES = frozenset(("udiv", "urem"))
_JOINS = frozenset(("or", "add"))  # equivalent if no bit is set in both
_ORDERS = {"slt": "sle", "ult": "ule", "ule": "ult"}  # `a < b` is the negation of `b <= a`
_ROW = tuple(range(N))


class IntOps(FloatTransfer):
    """A machine whose values are pieces of LLVM text.

    In an outlined function of scalars all values are uniform, so the same code makes scalar code.
    """

    def __init__(self) -> None:
        super().__init__()
        self.ir = IRBuilder()

    # Names

    def scalar(self, a: Bits) -> str:
        """The scalar of a uniform value."""
        v = a.v
        if isinstance(v, int):
            return self.number(v, a.width)
        if not v.name:
            v = self.canonical_bits(a)
        assert v.lanes is ZEROS, a
        return v.name

    def number(self, v: int, w: int) -> str:
        return ("true" if v else "false") if w == 1 else str(v)

    def literal_vector(self, v: Known, w: int) -> str:
        if isinstance(v, int):
            return "zeroinitializer" if v == 0 else f"splat (i{w} {self.number(v, w)})"
        return "<" + ", ".join(f"i{w} {self.number(e, w)}" for e in v) + ">"

    def constant_vector(self, v: Known, w: int) -> str:
        """A constant vector, in a place where a line may be emitted first."""
        return self.literal_vector(v, w)

    def vector(self, a: Bits) -> str:
        """All lanes, as a vector."""
        v, w = a.v, a.width
        if not isinstance(v, Value):
            return self.constant_vector(v, w)
        if not v.name:
            v = self.canonical_bits(a)
        if v.vector:
            return v.vector
        name = self.splat(v.name, f"i{w}")
        if v.lanes is not ZEROS:
            assert v.lanes is not None
            name = self.ir.emit(f"add {vector_type(w)} {name}, {self.constant_vector(v.lanes, w)}")
        if not self.ir.cold:
            v.vector = name
        return name

    def splat(self, scalar: str, t: str) -> str:
        if t == "i1" and self.ir.has_mask_registers:  # LLVM would move it to a vector register and back
            return self.ir.mask_of(self.ir.emit(f"sext i1 {scalar} to i{N}"))
        one = self.ir.emit(f"insertelement <{N} x {t}> poison, {t} {scalar}, i32 0")
        return self.ir.emit(f"shufflevector <{N} x {t}> {one}, <{N} x {t}> poison, <{N} x i32> zeroinitializer")

    def texts(self, x: Base, w: int) -> str:
        return x if isinstance(x, str) else self.number(x, w)

    # Instructions

    def guard(self, base: str, top: int, w: int, signed: bool) -> bool:
        return False

    def step(self, op: str, x: Base, y: Base, w: int) -> Base:
        if isinstance(x, int) and isinstance(y, int):
            return FOLD[op](x, y, w) & (1 << w) - 1
        if y == 0 and op in ("add", "sub", "or", "xor", "shl", "shr", "sar"):
            return x
        found, in_frame = self.ir.emit(f"{LLVM[op]} i{w} {x}, {y}"), self.ir.in_frame
        if op == "add" and isinstance(x, str) and isinstance(y, int) and x in in_frame:
            in_frame[found] = in_frame[x] + y & (1 << w) - 1
        return found

    def selected_base(self, p: Value, x: Base, y: Base, w: int) -> Base:
        return self.ir.emit(f"select i1 {p.name}, i{w} {self.texts(x, w)}, i{w} {self.texts(y, w)}")

    def cast_base(self, op: str, name: str, old: int, w: int) -> str:
        return self.ir.emit(f"{op} i{old} {name} to i{w}")

    def plain(self, name: str, a: Bits, b: Bits) -> Bits:
        w = a.width
        if name in _DIVIDES and isinstance(b.v, int) and b.v & (b.v - 1):
            q = quotient(self, a, b.v)
            return q if name == "udiv" else a - q * b
        if self.uniform(a, b):
            return self.bits(self.ir.emit(f"{name} i{w} {self.scalar(a)}, {self.scalar(b)}"), w, ZEROS)
        if w == 1 and (mask := self.ir.by_words(name, self.vector(a), self.vector(b))):
            return self.bits(mask, 1)
        if name == "or" and not isinstance(b.v, Value) and (narrow := self.unextended(a)) is not None:
            bits = as_lanes(b.v)
            if max(bits) >> 32 == 0:
                return self.plain_cast("zext", self.plain("or", narrow, Bits(self, 32, bits)), 64)
        found = self.ir.emit(f"{name} {vector_type(w)} {self.vector(a)}, {self.vector(b)}")
        if w == 64:
            self.note_spread(name, found, a, b)
        if name == "and" and not isinstance(b.v, Value):
            self.ir.masked.add(found)
        elif self.may_join_masked(name, a, b):
            found = self.fenced(found, w)
        return self.bits(found, w)

    def may_join_masked(self, name: str, a: Bits, b: Bits) -> bool:
        """Whether an operation may be part of a choice of bits by constants; `xor` of `(x ^ y) & c ^ y`."""
        if name == "xor":
            return self.is_masked(a) or self.is_masked(b)
        return name in _JOINS and self.is_masked(a) and self.is_masked(b)

    def note_spread(self, op: str, found: str, a: Bits, b: Bits) -> None:
        """Records a result that is the base plus 32 bits per lane, as most addresses of array elements are."""
        for one, other in ((a, b), (b, a)):
            s = self.ir.spread.get(one.v.name) if isinstance(one.v, Value) else None
            if s is None:
                continue
            if s.base:
                if op == "add" and isinstance(other.v, int):
                    self.ir.displaced[found] = s, other.v
                continue
            if op == "add" and self.uniform(other):
                self.ir.spread[found] = s._replace(base=self.scalar(other))
            elif one is a and isinstance(other.v, int) and (op == "shl" or (op == "mul" and other.v.bit_count() == 1)):
                by = other.v if op == "shl" else other.v.bit_length() - 1
                self.ir.spread[found] = s._replace(shift=min(s.shift + by, N))

    def unextended(self, a: Bits) -> Bits | None:
        """The vector of 32 bits of which a value is the zero extension, if it is known to be one."""
        name = self.ir.widened.get(a.v.name, "") if isinstance(a.v, Value) and a.v.lanes is None else ""
        return self.bits(name, 32) if name else None

    def is_masked(self, a: Bits) -> bool:
        return isinstance(a.v, Value) and a.v.name in self.ir.masked

    def fenced(self, name: str, w: int) -> str:
        """A value that is opaque to LLVM's optimiser.

        LLVM 22 for AVX-512 chooses the wrong `vpternlog` for `select(p, x & c | y & ~c, y)` where x comes from memory:
        the result has bits of c (measured: `copysign` under a predicate; of 16 orders of operands 4 are wrong).
        """
        if w not in (32, 64):
            return name
        t = f"<{N} x {'float' if w == 32 else 'double'}>"
        as_float = self.ir.emit(f"bitcast {vector_type(w)} {name} to {t}")
        apart = self.ir.emit(f"call {t} @llvm.arithmetic.fence.v{N}f{w}({t} {as_float})")
        return self.ir.emit(f"bitcast {t} {apart} to {vector_type(w)}")

    def plain_comparison(self, condition: str, a: Bits, b: Bits) -> Bits:
        w = a.width
        if self.uniform(a, b):
            return self.bits(self.ir.emit(f"icmp {condition} i{w} {self.scalar(a)}, {self.scalar(b)}"), 1, ZEROS)
        if condition in _ORDERS and (w == 32 or (w == 64 and condition == "slt")):
            if self.uniform(b) and is_row(a.v, w, condition == "slt"):
                return self.row_below(condition, a, b)
            if self.uniform(a) and is_row(b.v, w, condition == "slt"):
                return self.invert(self.row_below(_ORDERS[condition], b, a))
        return self.bits(self.ir.emit(f"icmp {condition} {vector_type(w)} {self.vector(a)}, {self.vector(b)}"), 1)

    def row_below(self, condition: str, a: Bits, b: Bits) -> Bits:
        """Which of consecutive numbers, one per lane, are below a number: a prefix of the lanes; the number of lanes
        beyond it is computed in scalars. The guard `i < n` of most kernels is such a comparison, and what follows tests
        whether it holds in all lanes."""
        assert isinstance(a.v, Value)
        ir, first, last = self.ir, a.v.name, self.scalar(b)
        below = N - int(condition.endswith("le"))
        if a.width == 32:
            extend = "sext" if condition.startswith("s") else "zext"
            first, last = (ir.emit(f"{extend} i32 {e} to i64") for e in (first, last))
            distance = ir.emit(f"sub i64 {first}, {last}")
        else:
            distance = ir.emit(f"call i64 @llvm.ssub.sat.i64(i64 {first}, i64 {last})")
        every = "-1"
        with ir.cold_block(ir.emit(f"icmp sgt i64 {distance}, {-below}")) as labels:
            beyond = ir.emit(f"add i64 {self.clamped(distance, -below, N - below)}, {below}")
            some = ir.emit(f"trunc i64 {ir.emit(f'lshr i64 {(1 << N) - 1}, {beyond}')} to i{N}")
        return self.bits(ir.mask_of(ir.phi(f"i{N}", labels, every, some)), 1)

    def clamped(self, a: str, least: int, most: int) -> str:
        a = self.ir.emit(f"call i64 @llvm.smax.i64(i64 {a}, i64 {least})")
        return self.ir.emit(f"call i64 @llvm.smin.i64(i64 {a}, i64 {most})")

    def plain_select(self, p: Bits, a: Bits, b: Bits) -> Bits:
        return self.select_by(f"i1 {p.v.name}" if self.uniform(p) else f"<{N} x i1> {self.vector(p)}", a, b)

    def select_by(self, p: str, a: Bits, b: Bits) -> Bits:
        """Selects by a predicate in LLVM's notation, its type first."""
        w, t = a.width, vector_type(a.width)
        return self.bits(self.ir.emit(f"select {p}, {t} {self.vector(a)}, {t} {self.vector(b)}"), w)

    def plain_cast(self, op: str, a: Bits, w: int) -> Bits:
        if self.uniform(a):
            return self.bits(self.ir.emit(f"{op} i{a.width} {self.scalar(a)} to i{w}"), w, ZEROS)
        name = self.vector(a)
        if op == "sext" and w == 32 and (whole := self.ir.narrowed.get(name)):
            return self.sign_extended(whole, a.width)
        found = self.ir.emit(f"{op} {vector_type(a.width)} {name} to {vector_type(w)}")
        if op == "trunc" and a.width == 32:
            self.ir.narrowed[found] = name
        if (a.width, w) == (32, 64):
            self.ir.spread[found] = Spread("", name, op == "sext")
            if op == "zext":
                self.ir.widened[found] = name
        return self.bits(found, w)

    def wide_division(self, op: str, a: Bits, b: Bits) -> Bits:
        """By 32 bits if all lanes' numbers have no more, as most indices do: a warp's quotients take 20 ns then. The
        processor divides 64 bits lane by lane, in 88."""
        out, t = self.ir, vector_type(64)
        x, y = self.vector(a), self.vector(b)
        both = out.emit(f"call i64 @llvm.vector.reduce.or.v{N}i64({t} {out.emit(f'or {t} {x}, {y}')})")
        fast, slow, done = (out.fresh() for _ in range(3))
        out.likely(out.emit(f"icmp ult i64 {both}, {1 << 32}"), fast, slow)
        with out.in_cold_code():
            out.start(slow)
            wide = out.emit(f"{op} {t} {x}, {y}")
            out.jump(done)
            out.start(fast)
            low = self.plain_cast("trunc", self.bits(x, 64), 32)
            divisor = self.plain_cast("trunc", b if self.uniform(b) else self.bits(y, 64), 32)
            short = self.float_quotient(low, divisor)
            if op == "urem":
                short = low - short * divisor
            narrow = self.vector(self.plain_cast("zext", short, 64))
            out.jump(done)
        out.start(done)
        return self.bits(out.phi(t, [slow, fast], wide, narrow), 64)

    def sign_extended(self, whole: str, w: int) -> Bits:
        """The lower `w` bits of words as signed numbers, by two shifts. LLVM would move the bits together and apart."""
        t, by = vector_type(32), f"splat (i32 {32 - w})"
        return self.bits(self.ir.emit(f"ashr {t} {self.ir.emit(f'shl {t} {whole}, {by}')}, {by}"), 32)

    def float_quotient(self, a: Bits, b: Bits) -> Bits:
        """Unsigned division of up to 32 bits as floats, whose truncated quotient is exact: for a < 2^24 of f32, and for
        a < 2^53 of f64. It is undefined for b = 0."""
        w, out = a.width, self.ir
        t = "float" if w <= 16 else "double"
        x = out.emit(f"uitofp {vector_type(w)} {self.vector(a)} to <{N} x {t}>")
        if self.uniform(b):
            q = out.emit(f"fmul <{N} x {t}> {x}, {self.splat(float_reciprocal(out, w, self.scalar(b), t), t)}")
        else:
            y = out.emit(f"uitofp {vector_type(w)} {self.vector(b)} to <{N} x {t}>")
            q = out.emit(f"fdiv <{N} x {t}> {x}, {y}")
        return self.bits(out.emit(f"fptoui <{N} x {t}> {q} to {vector_type(w)}"), w)

    def call(self, name: str, a: Bits, extra: str = "") -> Bits:
        w, t = a.width, f"i{a.width}"
        if self.uniform(a):
            return self.bits(self.ir.emit(f"call {t} @llvm.{name}.{t}({t} {self.scalar(a)}{extra})"), w, ZEROS)
        vector = f"<{N} x {t}>"
        return self.bits(self.ir.emit(f"call {vector} @llvm.{name}.v{N}{t}({vector} {self.vector(a)}{extra})"), w)


def is_row(v: V, w: int, signed: bool) -> bool:
    """Whether lanes hold consecutive numbers from a base on, and none of them wraps."""
    if not isinstance(v, Value) or v.lanes != _ROW or not v.name:
        return False
    return 1 << v.tz >= N or 0 <= v.high < (1 << w - signed) - N
