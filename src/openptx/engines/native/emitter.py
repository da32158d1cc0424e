"""The four core operations as LLVM text: folded where operands are known, scalar where lanes are a base and offsets."""

from __future__ import annotations

from collections.abc import Callable

from openptx.engines.native.values import ZEROS, Known, Lanes, N, V, Value, as_lanes, collapse, normal, trailing_zeros
from openptx.engines.native.writer import Writer
from openptx.isa.machine import Machine
from openptx.numerics import Bits

_COMPARISONS = {"eq": "eq", "ult": "ult", "slt": "slt"}
_SAME = ("and", "or", "xor", "add", "sub", "mul", "shl", "udiv", "urem")
_LLVM = {**{op: op for op in _SAME}, "shr": "lshr", "sar": "ashr"}
_SHIFTS = frozenset(("shl", "shr", "sar"))
_BITWISE = frozenset(("and", "or", "xor"))
_JOINS = frozenset(("or", "add"))  # alike where no bit is set in both
_COMMUTES = frozenset(("add", "mul", "and", "or", "xor", "eq"))


def _signed(a: int, w: int) -> int:
    return a - (1 << w) if a >> w - 1 else a


# What the operators are, on Python integers of w bits; the caller masks the result.
_FOLD: dict[str, Callable[[int, int, int], int]] = {
    "add": lambda a, b, w: a + b,
    "sub": lambda a, b, w: a - b,
    "mul": lambda a, b, w: a * b,
    "udiv": lambda a, b, w: a // b if b else -1,
    "urem": lambda a, b, w: a % b if b else a,
    "and": lambda a, b, w: a & b,
    "or": lambda a, b, w: a | b,
    "xor": lambda a, b, w: a ^ b,
    "shl": lambda a, b, w: a << b if b < w else 0,
    "shr": lambda a, b, w: a >> b if b < w else 0,
    "sar": lambda a, b, w: _signed(a, w) >> min(b, w),
    "eq": lambda a, b, w: int(a == b),
    "ult": lambda a, b, w: int(a < b),
    "slt": lambda a, b, w: int(_signed(a, w) < _signed(b, w)),
}


def vector_type(w: int) -> str:
    return f"<{N} x i{w}>"


class Emitter(Machine):
    """A machine whose values are pieces of LLVM text.

    In an outlined function of scalars all values are uniform, so the same code makes scalar code.
    """

    def __init__(self) -> None:
        self.out = Writer()
        self._constants: dict[tuple[int, int], Bits] = {}

    # Names

    def scalar(self, a: Bits) -> str:
        """The scalar of a uniform value."""
        v = a.v
        if isinstance(v, int):
            return self.number(v, a.width)
        if not v.name:
            v = self.settled(a)
        assert v.lanes is ZEROS, a
        return v.name

    def number(self, v: int, w: int) -> str:
        return ("true" if v else "false") if w == 1 else str(v)

    def literal_vector(self, v: Known, w: int) -> str:
        if isinstance(v, int):
            return "zeroinitializer" if v == 0 else f"splat (i{w} {self.number(v, w)})"
        return "<" + ", ".join(f"i{w} {self.number(e, w)}" for e in v) + ">"

    def vector(self, a: Bits) -> str:
        """All lanes, as a vector."""
        v, w = a.v, a.width
        if not isinstance(v, Value):
            return self.literal_vector(v, w)
        if not v.name:
            v = self.settled(a)
        if v.vector:
            return v.vector
        name = self.splat(v.name, f"i{w}")
        if v.lanes is not ZEROS:
            assert v.lanes is not None
            name = self.out.emit(f"add {vector_type(w)} {name}, {self.literal_vector(v.lanes, w)}")
        if not self.out.aside:
            v.vector = name
        return name

    def splat(self, scalar: str, t: str) -> str:
        one = self.out.emit(f"insertelement <{N} x {t}> poison, {t} {scalar}, i32 0")
        return self.out.emit(f"shufflevector <{N} x {t}> {one}, <{N} x {t}> poison, <{N} x i32> zeroinitializer")

    def settled(self, a: Bits) -> Value:
        """The value with its bits, where so far it was a float whose NaNs are not canonical."""
        raise NotImplementedError(f"{a} is no float")

    def uniform(self, a: Bits) -> bool:
        v = a.v
        return isinstance(v, int) or (isinstance(v, Value) and v.lanes is ZEROS)

    def bits(self, name: str, w: int, lanes: Lanes | None = None, tz: int = 0, high: int = -1) -> Bits:
        return Bits(self, w, Value(name, lanes, tz, high))

    # Core

    def const(self, value: int, w: int) -> Bits:
        known = self._constants.get((value, w))
        if known is None:
            if not -(1 << w - 1) <= value < 1 << w:
                raise ValueError(f"{value} does not fit {w} bits")
            known = self._constants[value, w] = Bits(self, w, value & (1 << w) - 1)
        return known

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
        return self.plain(_LLVM[op], a, b)

    def fold(self, op: str, a: Known, b: Known, w: int) -> Bits:
        f, mask = _FOLD[op], (1 << w) - 1
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

    def bounded(self, condition: str, a: Bits, b: Bits) -> int | None:
        """Decides a comparison with a known number by what bounds the other side."""
        w = a.width
        if not isinstance(b.v, int) or not isinstance(a.v, Value):
            return None
        most = self.most(a.v, w)
        if condition == "slt":
            if most < 1 << w - 1 and (b.v == 0 or b.v >> w - 1):
                return 0
            if most < b.v < 1 << w - 1:
                return 1
        elif condition == "ult" and most < b.v:
            return 1
        elif condition == "eq" and most < b.v:
            return 0
        return None

    def most(self, v: Value, w: int) -> int:
        """An upper bound of all lanes."""
        if v.high < 0 or v.lanes is None:
            return (1 << w) - 1
        bound = v.high + (0 if v.lanes is ZEROS else max(v.lanes))
        return min(bound, (1 << w) - 1)

    # Bases and offsets

    def parts(self, v: V, w: int) -> tuple[int | str, Lanes, int, int] | None:
        """Base, offsets, low zero bits and bound; None for what has no such form."""
        if isinstance(v, int):
            return v, ZEROS, min(trailing_zeros(v), w), v
        if isinstance(v, tuple):
            found = normal(v, w)
            return found and (found[0], found[1], min(trailing_zeros(found[0]), w), found[0])
        if v.lanes is None or not v.name:
            return None
        return v.name, v.lanes, v.tz, v.high

    def affine(self, op: str, va: V, vb: V, w: int) -> V | None:
        """The result as base and offsets, for the operators that keep this form."""
        pa, pb = self.parts(va, w), self.parts(vb, w)
        if pa is None or pb is None:
            return None
        (x, lx, tx, hx), (y, ly, ty, hy) = pa, pb
        limit = (1 << w) - 1
        if op in ("add", "sub"):
            if ly is ZEROS:
                low, lanes = 0, lx
            else:
                sign = 1 if op == "add" else -1
                found = normal(tuple(p + sign * q for p, q in zip(lx, ly, strict=True)), w)
                if found is None:
                    return None
                low, lanes = found
            base = self.step(op, x, y, w)
            if low:
                base = self.step("add", base, low, w)
                return self.based(base, lanes, min(tx, ty, trailing_zeros(low)), -1, w)
            high = hx + hy if op == "add" and hx >= 0 and hy >= 0 and hx + hy <= limit else -1
            return self.based(base, lanes, min(tx, ty), high, w)
        if op in ("mul", "shl") and isinstance(vb, int):
            c = vb if op == "mul" else (1 << vb if vb < w else 0)
            if not c:
                return 0
            found = normal(tuple(p * c for p in lx), w) if lx is not ZEROS else (0, ZEROS)
            if found is None:
                return None
            base = self.step(op, x, vb, w)
            if found[0]:
                base = self.step("add", base, found[0], w)
                return self.based(base, found[1], min(tx + trailing_zeros(c), trailing_zeros(found[0])), -1, w)
            high = hx * c if 0 <= hx * c <= limit else -1
            return self.based(base, found[1], min(w, tx + trailing_zeros(c)), high, w)
        if op == "mul" and lx is ZEROS and ly is ZEROS:
            high = hx * hy if hx >= 0 and hy >= 0 and hx * hy <= limit else -1
            return self.based(self.step("mul", x, y, w), ZEROS, min(w, tx + ty), high, w)
        if isinstance(vb, int):
            return self.apart(op, x, lx, tx, hx, vb, w)
        return None

    def apart(self, op: str, x: int | str, lanes: Lanes, tz: int, high: int, c: int, w: int) -> V | None:
        """Where offsets lie below the base's lowest bit, bits and shifts distribute over the two."""
        top = max(lanes)
        if op == "and" and high >= 0 and c & (c + 1) == 0 and high + top <= c:
            return self.based(x, lanes, tz, high, w)
        if top >> tz:
            if op == "sar" and high >= 0 and high + top < 1 << w - 1 and c < w - 1 and high + top < 1 << c:
                return 0
            if op == "shr" and high >= 0 and high + top < 1 << c:
                return 0
            return None
        if op in _BITWISE:
            low = (1 << tz) - 1
            found = normal(tuple(_FOLD[op](v, c & low, w) for v in lanes), w) if lanes is not ZEROS else None
            if lanes is ZEROS:
                if op == "and":
                    base = self.step("and", x, c & ~low, w) if tz < w else 0
                    return self.based(base, ZEROS, max(tz, trailing_zeros(c)), c if high < 0 else min(c, high), w)
                most = -1 if high < 0 else (1 << max(high.bit_length(), c.bit_length())) - 1
                return self.based(self.step(op, x, c, w), ZEROS, min(tz, trailing_zeros(c)), most, w)
            if found is None:
                return None
            base = self.step(op, x, c & ~low, w)
            most = -1
            if op == "and":
                most = c & ~low if high < 0 else min(high, c & ~low)
            elif high >= 0:
                most = (1 << max(high.bit_length(), c.bit_length())) - 1
            upper = tz if op == "and" else min(tz, trailing_zeros(c & ~low))
            if found[0]:
                base = self.step("add", base, found[0], w)
                upper, most = min(upper, trailing_zeros(found[0])), -1 if most < 0 else most + found[0]
            return self.based(base, found[1], upper, most, w)
        if op in ("shr", "sar"):
            if c >= w:
                return 0 if op == "shr" else None
            if op == "sar" and 0 <= high + top < 1 << w - 1 and high >= 0:
                op = "shr"
            found = normal(tuple(v >> c for v in lanes), w) if lanes is not ZEROS else (0, ZEROS)
            assert found is not None
            base = self.step(op, x, c, w)
            if found[0]:
                base = self.step("add", base, found[0], w)
                return self.based(base, found[1], 0, -1, w)
            most = high >> c if high >= 0 else ((1 << w - c) - 1 if op == "shr" else -1)
            return self.based(base, found[1], max(0, tz - c), most, w)
        if op in ("udiv", "urem") and c and c & (c - 1) == 0:
            shift = c.bit_length() - 1
            return self.apart("shr" if op == "udiv" else "and", x, lanes, tz, high, shift if op == "udiv" else c - 1, w)
        return None

    def step(self, op: str, x: int | str, y: int | str, w: int) -> int | str:
        """The scalar part of an operation."""
        if isinstance(x, int) and isinstance(y, int):
            return _FOLD[op](x, y, w) & (1 << w) - 1
        if y == 0 and op in ("add", "sub", "or", "xor", "shl", "shr", "sar"):
            return x
        return self.out.emit(f"{_LLVM[op]} i{w} {x}, {y}")

    def based(self, base: int | str, lanes: Lanes, tz: int, high: int, w: int) -> V:
        if isinstance(base, int):
            mask = (1 << w) - 1
            return base if lanes is ZEROS else collapse(tuple((base + v) & mask for v in lanes))
        if high == 0 and lanes is ZEROS:
            return 0
        return Value(base, lanes, tz, high)

    # Partial LLVM instructions made total

    def shift(self, op: str, a: Bits, b: Bits) -> Bits:
        w, vb = a.width, b.v
        name = _LLVM[op]
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
            lanes = tuple((_signed(e, old) if signed else e) & mask for e in as_lanes(v))
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
