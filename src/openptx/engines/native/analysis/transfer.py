"""Transfer functions: the core operations on lane values, as far as facts decide them, for the abstract machine and
emission.

A value is a number known now, 32 known numbers, or a `Value`: base plus offsets, or a whole vector. What the operands'
facts do not decide goes to the hooks at the end, which emit LLVM instructions, or give unknown values in the abstract
machine.
"""

from __future__ import annotations

from collections.abc import Callable

from openptx.engines.native.analysis.affine import (
    Affine,
    Base,
    affine_of,
    as_signed,
    combine,
    fold,
    upper_bound,
    value_of,
)
from openptx.engines.native.analysis.lattice import ZEROS, Lanes, V, Value, as_lanes, collapse, normal
from openptx.engines.native.analysis.unsupported import InterpretInstruction, UnsupportedByJit
from openptx.isa.machine import Machine
from openptx.isa.semantics.images import Images
from openptx.isa.semantics.tensor_memory import TensorMemory
from openptx.numerics import Bits
from openptx.numerics.bits import U

_SAME = ("and", "or", "xor", "add", "sub", "mul", "shl", "udiv", "urem")
LLVM = {**{op: op for op in _SAME}, "shr": "lshr", "sar": "ashr"}
_COMPARISONS = frozenset(("eq", "ult", "slt"))
_SHIFTS = frozenset(("shl", "shr", "sar"))
_COMMUTES = frozenset(("add", "mul", "and", "or", "xor", "eq"))
_KEEP_ZERO = frozenset(("add", "sub", "or", "xor", "shl", "shr", "sar"))
"""Operators whose result is their first operand if the second is 0."""


def origin_of(a: Bits) -> object:
    return a.v.origin if isinstance(a.v, Value) else None


class CoreOperations(Machine):
    def __init__(self) -> None:
        self._constants: dict[tuple[int, int], Bits] = {}

    def uniform(self, *operands: Bits) -> bool:
        """Whether all lanes are known to agree, for each of the values."""
        for a in operands:  # not `all`, whose generator takes longer than the tests
            v = a.v
            if not isinstance(v, int) and (not isinstance(v, Value) or v.lanes is not ZEROS):
                return False
        return True

    def bits(self, name: str, w: int, lanes: Lanes | None = None, tz: int = 0, high: int = -1) -> Bits:
        return Bits(self, w, Value(name, lanes, tz, high))

    def const(self, value: int, w: int) -> Bits:
        known = self._constants.get((value, w))
        if known is None:
            if not -(1 << w - 1) <= value < 1 << w:
                raise ValueError(f"{value} does not fit {w} bits")
            known = self._constants[value, w] = Bits(self, w, value & (1 << w) - 1)
        return known

    def come_from(self, a: Bits, origin: object) -> Bits:
        """The same value, recorded as derived from a pointer."""
        if isinstance(a.v, Value) and a.v.origin is None:
            a.v.origin = origin
        return a

    # The core operations

    def binary(self, op: str, a: Bits, b: Bits) -> Bits:
        d = self.computed(op, a, b)
        if a.width == 64 and op in ("add", "sub") and d.v is not a.v and d.v is not b.v:
            x, y = origin_of(a), origin_of(b)
            if x is None or y is None:
                self.come_from(d, x or y)
        return d

    def computed(self, op: str, a: Bits, b: Bits) -> Bits:
        w, va, vb = a.width, a.v, b.v
        if w != b.width:
            raise TypeError(f"`{op}` of {w} and {b.width} bits")
        if not isinstance(va, Value):
            if not isinstance(vb, Value):
                return Bits(self, 1 if op in _COMPARISONS else w, fold(op, va, vb, w))
            if op in _COMMUTES:
                a, b, va, vb = b, a, vb, va
        if isinstance(vb, int):
            same = self.identity(op, a, vb, w)
            if same is not None:
                return same
        if w == 1:
            return self.boolean(op, a, b)
        if op in _COMPARISONS:
            return self.compare(op, a, b)
        fast = self.affine(op, va, vb, w)
        if fast is not None:
            return Bits(self, w, fast)
        if op in _SHIFTS:
            return self.shift(op, a, b)
        return self.division(op, a, b) if op in ("udiv", "urem") else self.plain(LLVM[op], a, b)

    def identity(self, op: str, a: Bits, c: int, w: int) -> Bits | None:
        """The result if a known number makes it trivial."""
        if c == 0:
            if op in _KEEP_ZERO:
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

    def boolean(self, op: str, a: Bits, b: Bits) -> Bits:
        """Operators modulo two; a set bit is -1 if signed."""
        if op in ("add", "sub", "xor"):
            return self.plain("xor", a, b)
        if op in ("and", "mul"):
            return self.plain("and", a, b)
        if op == "or":
            return self.plain("or", a, b)
        if op == "sar":
            return a
        one = self.const(1, 1)
        if op == "eq":
            return self.plain("xor", self.plain("xor", a, b), one)
        if op == "ult":
            return self.plain("and", self.plain("xor", a, one), b)
        no_b = self.plain("xor", b, one)
        return self.plain("or" if op == "udiv" else "and", a, no_b)

    # Base and offsets

    def affine(self, op: str, va: V, vb: V, w: int) -> V | None:
        """The result as base and offsets, for the operators that keep this form."""
        a, b = affine_of(va, w), affine_of(vb, w)
        if a is None or b is None:
            return None
        found = combine(op, a, b, w, self.step)
        return value_of(found, w) if found is not None else None

    # Comparisons

    def compare(self, condition: str, a: Bits, b: Bits) -> Bits:
        if a.width == 1:
            return self.boolean(condition, a, b)
        fact = self.bounded(condition, a, b)
        if fact is not None:
            return self.const(fact, 1)
        together = self.together(condition, a, b)
        return together if together is not None else self.plain_comparison(condition, a, b)

    def bounded(self, condition: str, a: Bits, b: Bits) -> int | None:
        """Decides a comparison with a known number by the bounds of the other side."""
        w, c = a.width, b.v
        if not isinstance(c, int) or not isinstance(a.v, Value):
            return None
        most = upper_bound(a.v, w)
        if condition == "slt":
            negative = 1 << w - 1
            if most < negative and (c == 0 or c >= negative):
                return 0
            return 1 if most < c < negative else None
        if most < c and condition in ("ult", "eq"):
            return int(condition == "ult")
        return None

    def together(self, condition: str, a: Bits, b: Bits) -> Bits | None:
        """An ordering between base plus offsets and a known number that has the same result in all lanes: the number is
        a multiple of a bound on the offsets, and so is the base."""
        if condition not in ("ult", "slt", "ule"):
            return None
        strict = "slt" if condition == "slt" else "ult"
        if isinstance(b.v, int):  # a < c
            c = b.v + (condition == "ule")
            return self.base_below(strict, a, c)
        if isinstance(a.v, int):  # c <= b, which is base >= c
            c = a.v + (condition != "ule")
            if condition == "slt" and c == 1 << a.width - 1:
                return None
            below = self.base_below(strict, b, c)
            return self.invert(below) if below is not None else None
        return None

    def base_below(self, condition: str, a: Bits, c: int) -> Bits | None:
        """Whether the base of `a`, and so each lane, is below `c`; None if lanes may differ."""
        v, w = a.v, a.width
        if not isinstance(v, Value) or v.lanes is None or v.lanes is ZEROS:
            return None
        if c >> w or max(v.lanes) >> v.tz or c & (1 << v.tz) - 1:
            return None
        return self.compare(condition, self.bits(v.name, w, ZEROS, v.tz, v.high), self.const(c, w))

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

    # Partial LLVM instructions made total

    def shift(self, op: str, a: Bits, b: Bits) -> Bits:
        w, vb = a.width, b.v
        name = LLVM[op]
        if isinstance(vb, int) and vb < w:
            return self.plain(name, a, b)
        if isinstance(vb, Value) and upper_bound(vb, w) < w:
            return self.plain(name, a, b)
        if op == "sar":
            return self.plain(name, a, self.min(U, b, w - 1))
        return self.select(self.compare("ult", b, self.const(w, w)), self.plain(name, a, b), self.const(0, w))

    def division(self, op: str, a: Bits, b: Bits) -> Bits:
        w = a.width
        if isinstance(b.v, int) and b.v:
            return self.plain(op, a, b)
        zero = self.compare("eq", b, self.const(0, w))
        if w <= 32 and not self.uniform(a, b):
            q = self.float_quotient(a, b)
            d = q if op == "udiv" else self.plain("sub", a, self.plain("mul", q, b))
        else:
            divided = self.plain if self.uniform(a, b) else self.wide_division
            d = divided(op, a, self.select(zero, self.const(1, w), b))
        return self.select(zero, self.const(-1, w) if op == "udiv" else a, d)

    # Selection

    def select(self, p: Bits, a: Bits, b: Bits) -> Bits:
        d = self.select_value(p, a, b)
        if a.width == 64 and d.v is not a.v and d.v is not b.v and origin_of(a) == origin_of(b):
            self.come_from(d, origin_of(a))
        return d

    def select_value(self, p: Bits, a: Bits, b: Bits) -> Bits:
        w = a.width
        if w != b.width or p.width != 1:
            raise TypeError(f"select of {w} and {b.width} bits by {p.width}")
        vp, va, vb = p.v, a.v, b.v
        if isinstance(vp, int):
            return a if vp else b
        if va == vb:  # known numbers that are equal, or one Value
            return a
        if not isinstance(vp, Value):
            if not isinstance(va, Value) and not isinstance(vb, Value):
                lanes = tuple(x if q else y for q, x, y in zip(as_lanes(vp), as_lanes(va), as_lanes(vb), strict=True))
                return Bits(self, w, collapse(lanes))
        elif vp.lanes is ZEROS:
            found = self.chosen_affine(vp, va, vb, w)
            return self.plain_select(p, a, b) if found is None else found
        if w == 1 and isinstance(va, int) and isinstance(vb, int):
            return p if va else self.invert(p)
        return self.plain_select(p, a, b)

    def chosen_affine(self, p: Value, a: V, b: V, w: int) -> Bits | None:
        """One of two values whose lanes have the same offsets, by a uniform predicate; None if the offsets differ."""
        x, y = affine_of(a, w), affine_of(b, w)
        if x is None or y is None or x.lanes != y.lanes:
            return None
        high = max(x.high, y.high) if min(x.high, y.high) >= 0 else -1
        base = self.selected_base(p, x.base, y.base, w)
        return Bits(self, w, value_of(Affine(base, x.lanes, min(x.tz, y.tz), high), w))

    # Widths

    def resize(self, a: Bits, w: int, signed: bool = False) -> Bits:
        v, old = a.v, a.width
        if old == w:
            return a
        if not isinstance(v, Value):
            mask = (1 << w) - 1
            lanes = tuple((as_signed(e, old) if signed else e) & mask for e in as_lanes(v))
            return Bits(self, w, collapse(lanes))
        if not v.name:
            v = self.canonical_bits(a)
        if v.lanes is None:
            return self.plain_cast("trunc" if w < old else "sext" if signed else "zext", a, w)
        return self.narrow(a, v, v.lanes, w) if w < old else self.extend(a, v, v.lanes, w, signed)

    def narrow(self, a: Bits, v: Value, lanes: Lanes, w: int) -> Bits:
        found = normal(lanes, w) if lanes is not ZEROS else (0, ZEROS)
        if found is None or w == 1:
            return self.plain_cast("trunc", a, w)
        base: Base = self.cast_base("trunc", v.name, a.width, w)
        tz, high = min(v.tz, w), v.high if v.high < 1 << w else -1
        if found[0]:
            base, tz, high = self.step("add", base, found[0], w), 0, -1
        return Bits(self, w, value_of(Affine(base, found[1], tz, high), w))

    def extend(self, a: Bits, v: Value, lanes: Lanes, w: int, signed: bool) -> Bits:
        old = a.width
        bound = (1 << old - signed) - 1
        top = 0 if lanes is ZEROS else max(lanes)
        proved = v.high >= 0 and v.high + top <= bound
        if not proved and top and not self.guard(v.name, top, old, signed):
            return self.plain_cast("sext" if signed else "zext", a, w)
        name = self.cast_base("sext" if signed and not proved else "zext", v.name, old, w)
        high = v.high if proved else -1 if signed else bound
        return self.bits(name, w, lanes, v.tz if v.tz < old else w, high)

    # Operators with an LLVM intrinsic of their own

    def clz(self, a: Bits) -> Bits:
        return self.resize(self.call("ctlz", a, ", i1 false"), 32) if isinstance(a.v, Value) else super().clz(a)

    def popc(self, a: Bits) -> Bits:
        return self.resize(self.call("ctpop", a), 32) if isinstance(a.v, Value) else super().popc(a)

    def reverse(self, a: Bits) -> Bits:
        return self.call("bitreverse", a) if isinstance(a.v, Value) and self.uniform(a) else super().reverse(a)

    # Unsupported by compiled code

    def cases(self, a: Bits, step: Callable[..., None], *values: Bits) -> None:
        raise InterpretInstruction("steps that depend on a value")

    def allocate(self, size: Bits, align: int) -> Bits:
        raise UnsupportedByJit("alloca")

    def stack(self) -> Bits:
        raise UnsupportedByJit("stacksave")

    def unwind(self, mark: Bits) -> None:
        raise UnsupportedByJit("stackrestore")

    @property
    def images(self) -> Images:
        raise UnsupportedByJit("textures and surfaces")

    @property
    def tensor_memory(self) -> TensorMemory:
        raise NotImplementedError

    # Hooks

    def guard(self, base: str, top: int, w: int, signed: bool) -> bool:
        """Whether the code exits to the generic version if `base + top` wraps, so that extension is exact."""
        raise NotImplementedError

    def step(self, op: str, x: Base, y: Base, w: int) -> Base:
        """The scalar part of an operation."""
        raise NotImplementedError

    def selected_base(self, p: Value, x: Base, y: Base, w: int) -> Base:
        raise NotImplementedError

    def cast_base(self, op: str, name: str, old: int, w: int) -> str:
        raise NotImplementedError

    def plain(self, name: str, a: Bits, b: Bits) -> Bits:
        """A total LLVM instruction."""
        raise NotImplementedError

    def plain_comparison(self, condition: str, a: Bits, b: Bits) -> Bits:
        raise NotImplementedError

    def plain_select(self, p: Bits, a: Bits, b: Bits) -> Bits:
        """Selects by an unknown predicate. If it is uniform, `a` and `b` differ in their offsets."""
        raise NotImplementedError

    def plain_cast(self, op: str, a: Bits, w: int) -> Bits:
        """A vector, or a scalar truncated to one bit."""
        raise NotImplementedError

    def wide_division(self, op: str, a: Bits, b: Bits) -> Bits:
        """`udiv` or `urem` of vectors of 64 bits, by no zeros."""
        raise NotImplementedError

    def float_quotient(self, a: Bits, b: Bits) -> Bits:
        """Unsigned division of up to 32 bits, by a nonzero number."""
        raise NotImplementedError

    def call(self, name: str, a: Bits, extra: str = "") -> Bits:
        """An LLVM intrinsic with one operand."""
        raise NotImplementedError

    def canonical_bits(self, a: Bits) -> Value:
        """The value with its bits, if it was only a float whose NaNs are not canonical."""
        raise NotImplementedError
