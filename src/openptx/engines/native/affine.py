"""Bases and offsets: operations on one scalar that say what all lanes of a warp hold."""

from __future__ import annotations

from collections.abc import Callable

from openptx.engines.native.naming import Naming
from openptx.engines.native.values import ZEROS, Lanes, V, Value, collapse, normal, trailing_zeros
from openptx.numerics import Bits

_SAME = ("and", "or", "xor", "add", "sub", "mul", "shl", "udiv", "urem")
LLVM = {**{op: op for op in _SAME}, "shr": "lshr", "sar": "ashr"}
_BITWISE = frozenset(("and", "or", "xor"))


def as_signed(a: int, w: int) -> int:
    return a - (1 << w) if a >> w - 1 else a


# What the operators are, on Python integers of w bits; the caller masks the result.
FOLD: dict[str, Callable[[int, int, int], int]] = {
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
    "sar": lambda a, b, w: as_signed(a, w) >> min(b, w),
    "eq": lambda a, b, w: int(a == b),
    "ult": lambda a, b, w: int(a < b),
    "slt": lambda a, b, w: int(as_signed(a, w) < as_signed(b, w)),
}


class Affine(Naming):
    """What is known of results whose operands are a base and offsets, or bounded."""

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
            found = normal(tuple(FOLD[op](v, c & low, w) for v in lanes), w) if lanes is not ZEROS else None
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
            return FOLD[op](x, y, w) & (1 << w) - 1
        if y == 0 and op in ("add", "sub", "or", "xor", "shl", "shr", "sar"):
            return x
        return self.out.emit(f"{LLVM[op]} i{w} {x}, {y}")

    def based(self, base: int | str, lanes: Lanes, tz: int, high: int, w: int) -> V:
        if isinstance(base, int):
            mask = (1 << w) - 1
            return base if lanes is ZEROS else collapse(tuple((base + v) & mask for v in lanes))
        if high == 0 and lanes is ZEROS:
            return 0
        return Value(base, lanes, tz, high)

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
