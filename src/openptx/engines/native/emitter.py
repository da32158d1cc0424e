"""The four core operations as LLVM text: folded where operands are known, scalar where lanes are a base and offsets."""

from __future__ import annotations

from openptx.engines.native.affine import FOLD, LLVM, Affine, as_signed
from openptx.engines.native.values import ZEROS, Known, N, Value, as_lanes, collapse, normal, vector_type
from openptx.numerics import Bits

_COMPARISONS = {"eq": "eq", "ult": "ult", "slt": "slt"}
_SHIFTS = frozenset(("shl", "shr", "sar"))
_JOINS = frozenset(("or", "add"))  # alike where no bit is set in both
_COMMUTES = frozenset(("add", "mul", "and", "or", "xor", "eq"))


class Emitter(Affine):
    """A machine whose values are pieces of LLVM text.

    In an outlined function of scalars all values are uniform, so the same code makes scalar code.
    """

    def binary(self, op: str, a: Bits, b: Bits) -> Bits:
        w, va, vb = a.width, a.v, b.v
        if w != b.width:
            raise TypeError(f"`{op}` of {w} and {b.width} bits")
        known_a, known_b = not isinstance(va, Value), not isinstance(vb, Value)
        if known_a and known_b:
            return self.fold(op, va, vb, w)
        if known_a and op in _COMMUTES:
            a, b, va, vb, known_a, known_b = b, a, vb, va, False, True
        if isinstance(vb, int):
            same = self.identity(op, a, vb, w)
            if same is not None:
                return same
        if w == 1:
            return self.boolean(op, a, b)
        if op in _COMPARISONS:
            return self.compare(_COMPARISONS[op], a, b)
        fast = self.affine(op, va, vb, w)
        if fast is not None:
            return Bits(self, w, fast)
        if op in _SHIFTS:
            return self.shift(op, a, b)
        if op in ("udiv", "urem"):
            return self.division(op, a, b)
        return self.plain(LLVM[op], a, b)

    def fold(self, op: str, a: Known, b: Known, w: int) -> Bits:
        f, mask = FOLD[op], (1 << w) - 1
        width = 1 if op in _COMPARISONS else w
        if isinstance(a, int) and isinstance(b, int):
            return Bits(self, width, f(a, b, w) & mask)
        lanes = tuple(f(p, q, w) & mask for p, q in zip(as_lanes(a), as_lanes(b), strict=True))
        return Bits(self, width, collapse(lanes))

    def identity(self, op: str, a: Bits, c: int, w: int) -> Bits | None:
        """The result where a known number makes it trivial."""
        if c == 0:
            if op in ("add", "sub", "or", "xor", "shl", "shr", "sar"):
                return a
            if op in ("and", "mul"):
                return self.const(0, w)
            if op == "ult":
                return self.const(0, 1)
        elif c == (1 << w) - 1:
            if op == "and":
                return a
            if op == "or":
                return self.const(c, w)
        elif c == 1 and op in ("mul", "udiv"):
            return a
        return None

    def plain(self, name: str, a: Bits, b: Bits) -> Bits:
        """An LLVM instruction that is total."""
        w = a.width
        if self.uniform(a) and self.uniform(b):
            return self.bits(self.out.emit(f"{name} i{w} {self.scalar(a)}, {self.scalar(b)}"), w, ZEROS)
        found = self.out.emit(f"{name} {vector_type(w)} {self.vector(a)}, {self.vector(b)}")
        if name == "and" and not isinstance(b.v, Value):
            self.out.masked.add(found)
        elif (name in _JOINS and self.is_masked(a) and self.is_masked(b)) or (
            name == "xor" and (self.is_masked(a) or self.is_masked(b))  # perhaps (x ^ y) & c ^ y
        ):
            found = self.fenced(found, w)
        return self.bits(found, w)

    def is_masked(self, a: Bits) -> bool:
        return isinstance(a.v, Value) and a.v.name in self.out.masked

    def fenced(self, name: str, w: int) -> str:
        """A value that LLVM does not look through.

        LLVM 22 for AVX-512 chooses the wrong `vpternlog` for `select(p, x & c | y & ~c, y)` where x comes from memory:
        the result has bits of c (measured: `copysign` under a predicate; of 16 orders of operands 4 are wrong).
        """
        if w not in (32, 64):
            return name
        t = f"<{N} x {'float' if w == 32 else 'double'}>"
        as_float = self.out.emit(f"bitcast {vector_type(w)} {name} to {t}")
        apart = self.out.emit(f"call {t} @llvm.arithmetic.fence.v{N}f{w}({t} {as_float})")
        return self.out.emit(f"bitcast {t} {apart} to {vector_type(w)}")

    def boolean(self, op: str, a: Bits, b: Bits) -> Bits:
        """Operators modulo two; a bit that is set is -1 when signed."""
        if op in ("add", "sub", "xor"):
            return self.plain("xor", a, b)
        if op in ("and", "mul"):
            return self.plain("and", a, b)
        if op == "or":
            return self.plain("or", a, b)
        if op == "sar":
            return a
        if op == "eq":
            return self.plain("xor", self.plain("xor", a, b), self.const(1, 1))
        if op == "ult":
            return self.plain("and", self.plain("xor", a, self.const(1, 1)), b)
        no_b = self.plain("xor", b, self.const(1, 1))
        return self.plain("or" if op == "udiv" else "and", a, no_b)

    def compare(self, condition: str, a: Bits, b: Bits) -> Bits:
        w = a.width
        if w == 1:
            return self.boolean({"eq": "eq", "ult": "ult", "slt": "slt"}[condition], a, b)
        fact = self.bounded(condition, a, b)
        if fact is not None:
            return self.const(fact, 1)
        together = self.together(condition, a, b)
        if together is not None:
            return together
        if self.uniform(a) and self.uniform(b):
            return self.bits(self.out.emit(f"icmp {condition} i{w} {self.scalar(a)}, {self.scalar(b)}"), 1, ZEROS)
        return self.bits(self.out.emit(f"icmp {condition} {vector_type(w)} {self.vector(a)}, {self.vector(b)}"), 1)

    def together(self, condition: str, a: Bits, b: Bits) -> Bits | None:
        """An order between base and offsets and a known number that all lanes answer alike: where the number is a
        multiple of what the offsets stay below, and so does the base."""
        w = a.width
        if condition not in ("ult", "slt", "ule"):
            return None
        if isinstance(b.v, int) and isinstance(a.v, Value) and a.v.lanes is not None and a.v.lanes is not ZEROS:
            c, v = b.v + (condition == "ule"), a.v
            if c >> w or max(v.lanes or ()) >> v.tz or c & (1 << v.tz) - 1:
                return None
            base = self.bits(v.name, w, ZEROS, v.tz, v.high)
            return self.compare("slt" if condition == "slt" else "ult", base, self.const(c, w))
        if isinstance(a.v, int) and isinstance(b.v, Value) and b.v.lanes is not None and b.v.lanes is not ZEROS:
            c, v = a.v + (condition != "ule"), b.v  # c <= b, which is base >= c
            if c >> w or max(v.lanes or ()) >> v.tz or c & (1 << v.tz) - 1 or (condition == "slt" and c == 1 << w - 1):
                return None
            base = self.bits(v.name, w, ZEROS, v.tz, v.high)
            return self.invert(self.compare("slt" if condition == "slt" else "ult", base, self.const(c, w)))
        return None

    # Partial LLVM instructions made total

    def shift(self, op: str, a: Bits, b: Bits) -> Bits:
        w, vb = a.width, b.v
        name = LLVM[op]
        if isinstance(vb, int) and vb < w:
            return self.plain(name, a, b)
        if isinstance(vb, Value) and self.most(vb, w) < w:
            return self.plain(name, a, b)
        if op == "sar":
            return self.plain(name, a, self.min(_U, b, w - 1))
        return self.select(self.compare("ult", b, self.const(w, w)), self.plain(name, a, b), self.const(0, w))

    def division(self, op: str, a: Bits, b: Bits) -> Bits:
        w = a.width
        known = b.v if isinstance(b.v, int) else 0
        uniform = self.uniform(a) and self.uniform(b)
        if known:
            return self.plain(op, a, b)
        zero = self.compare("eq", b, self.const(0, w))
        if not uniform and w <= 32:
            q = self.float_quotient(a, b)
            if op == "udiv":
                return self.select(zero, self.const(-1, w), q)
            return self.select(zero, a, self.plain("sub", a, self.plain("mul", q, b)))
        d = self.plain(op, a, self.select(zero, self.const(1, w), b))
        return self.select(zero, self.const(-1, w) if op == "udiv" else a, d)

    def float_quotient(self, a: Bits, b: Bits) -> Bits:
        """Unsigned division of up to 32 bits through f64: the cut quotient is exact, for a < 2^53."""
        w, out = a.width, self.out
        x, y = (out.emit(f"uitofp {vector_type(w)} {self.vector(v)} to <{N} x double>") for v in (a, b))
        q = out.emit(f"fdiv <{N} x double> {x}, {y}")
        zero = out.emit(f"icmp eq {vector_type(w)} {self.vector(b)}, zeroinitializer")
        q = out.emit(f"select <{N} x i1> {zero}, <{N} x double> zeroinitializer, <{N} x double> {q}")
        wide = out.emit(f"fptoui <{N} x double> {q} to {vector_type(w)}")
        return self.bits(wide, w)

    def select(self, p: Bits, a: Bits, b: Bits) -> Bits:
        w = a.width
        if w != b.width or p.width != 1:
            raise TypeError(f"select of {w} and {b.width} bits by {p.width}")
        vp, va, vb = p.v, a.v, b.v
        if isinstance(vp, int):
            return a if vp else b
        if va is vb or (isinstance(va, int) and isinstance(vb, int) and va == vb):
            return a
        if not isinstance(vp, Value) and not isinstance(va, Value) and not isinstance(vb, Value):
            lanes = tuple(x if q else y for q, x, y in zip(as_lanes(vp), as_lanes(va), as_lanes(vb), strict=True))
            return Bits(self, w, collapse(lanes))
        if isinstance(vp, Value) and vp.lanes is ZEROS:
            pa, pb = self.parts(va, w), self.parts(vb, w)
            if pa is not None and pb is not None and pa[1] == pb[1]:
                high = max(pa[3], pb[3]) if min(pa[3], pb[3]) >= 0 else -1
                name = self.out.emit(f"select i1 {vp.name}, i{w} {self.texts(pa[0], w)}, i{w} {self.texts(pb[0], w)}")
                return Bits(self, w, self.based(name, pa[1], min(pa[2], pb[2]), high, w))
            return self.float_select(f"i1 {vp.name}", a, b)
        if w == 1 and isinstance(va, int) and isinstance(vb, int):
            return p if va else self.invert(p)
        return self.float_select(f"<{N} x i1> {self.vector(p)}", a, b)

    def texts(self, x: int | str, w: int) -> str:
        return x if isinstance(x, str) else self.number(x, w)

    def float_select(self, p: str, a: Bits, b: Bits) -> Bits:
        """A selection of vectors; floats may stay what they are."""
        w, t = a.width, vector_type(a.width)
        return self.bits(self.out.emit(f"select {p}, {t} {self.vector(a)}, {t} {self.vector(b)}"), w)

    def resize(self, a: Bits, w: int, signed: bool = False) -> Bits:
        v, old = a.v, a.width
        if old == w:
            return a
        if not isinstance(v, Value):
            mask = (1 << w) - 1
            lanes = tuple((as_signed(e, old) if signed else e) & mask for e in as_lanes(v))
            return Bits(self, w, collapse(lanes))
        if not v.name:
            v = self.settled(a)
        if v.lanes is None:
            op = "trunc" if w < old else "sext" if signed else "zext"
            return self.bits(self.out.emit(f"{op} {vector_type(old)} {v.name} to {vector_type(w)}"), w)
        if w < old:
            return self.narrow(v, old, w)
        return self.extend(a, v, w, signed)

    def narrow(self, v: Value, old: int, w: int) -> Bits:
        assert v.lanes is not None
        found = normal(v.lanes, w) if v.lanes is not ZEROS else (0, ZEROS)
        if found is None or w == 1:
            if v.lanes is ZEROS:
                return self.bits(self.out.emit(f"trunc i{old} {v.name} to i{w}"), w, ZEROS)
            whole = self.vector(Bits(self, old, v))
            return self.bits(self.out.emit(f"trunc {vector_type(old)} {whole} to {vector_type(w)}"), w)
        name: int | str = self.out.emit(f"trunc i{old} {v.name} to i{w}")
        tz, high = min(v.tz, w), v.high if v.high < 1 << w else -1
        if found[0]:
            name, tz, high = self.step("add", name, found[0], w), 0, -1
        return Bits(self, w, self.based(name, found[1], tz, high, w))

    def extend(self, a: Bits, v: Value, w: int, signed: bool) -> Bits:
        old, lanes = a.width, v.lanes
        assert lanes is not None
        bound = (1 << old - signed) - 1
        top = 0 if lanes is ZEROS else max(lanes)
        proved = v.high >= 0 and v.high + top <= bound
        if not proved and top and not self.guard(v.name, top, old, signed):
            op = "sext" if signed else "zext"
            return self.bits(self.out.emit(f"{op} {vector_type(old)} {self.vector(a)} to {vector_type(w)}"), w)
        op = "sext" if signed and not (proved and v.high >= 0) else "zext"
        name = self.out.emit(f"{op} i{old} {v.name} to i{w}")
        high = v.high if proved else -1 if signed else bound
        return self.bits(name, w, lanes, v.tz if v.tz < old else w, high)

    def guard(self, base: str, top: int, w: int, signed: bool) -> bool:
        """Whether the code leaves for another version where `base + top` wraps; without one, extension is exact."""
        return False

    # Operators with an instruction of their own

    def invert(self, a: Bits) -> Bits:
        v = a.v
        if isinstance(v, Value):
            return self.plain("xor", a, self.const((1 << a.width) - 1, a.width))
        return super().invert(a)

    def unequal(self, a: Bits, b: Bits) -> Bits:
        if a.width == 1 or not (isinstance(a.v, Value) or isinstance(b.v, Value)):
            return super().unequal(a, b)
        if self.bounded("eq", a, b) is not None:
            return self.const(1, 1)
        return self.compare("ne", a, b)

    def at_most(self, a: Bits, b: Bits) -> Bits:
        if a.width == 1 or not (isinstance(a.v, Value) or isinstance(b.v, Value)):
            return super().at_most(a, b)
        if self.bounded("ult", a, b):
            return self.const(1, 1)
        return self.compare("ule", a, b)

    def call(self, name: str, a: Bits, w: int, extra: str = "") -> Bits:
        """An LLVM intrinsic of one operand."""
        t = f"i{a.width}"
        if self.uniform(a):
            return self.bits(self.out.emit(f"call {t} @llvm.{name}.{t}({t} {self.scalar(a)}{extra})"), w, ZEROS)
        vector = f"<{N} x {t}>"
        return self.bits(self.out.emit(f"call {vector} @llvm.{name}.v{N}{t}({vector} {self.vector(a)}{extra})"), w)

    def clz(self, a: Bits) -> Bits:
        if not isinstance(a.v, Value):
            return super().clz(a)
        return self.resize(self.call("ctlz", a, a.width, ", i1 false"), 32)

    def popc(self, a: Bits) -> Bits:
        if not isinstance(a.v, Value):
            return super().popc(a)
        return self.resize(self.call("ctpop", a, a.width), 32)

    def reverse(self, a: Bits) -> Bits:
        if not isinstance(a.v, Value) or not self.uniform(a):
            return super().reverse(a)
        return self.call("bitreverse", a, a.width)


class _Unsigned:
    signed = False


_U = _Unsigned()
