"""Integer primitives composed of the core's fourteen operators."""

from __future__ import annotations

from collections.abc import Sequence

from openptx.numerics.bits import Bits, Core, Signedness


class Integers(Core):
    """Primitives that depend on signedness take the type first; any object with a truthy or falsy `.signed` is a
    type."""

    def less(self, t: Signedness, a: Bits, b: Bits) -> Bits:
        return self.binary("slt" if t.signed else "ult", a, b)

    def min(self, t: Signedness, a: Bits, b: Bits | int) -> Bits:
        b = self.operand(b, a.width)
        return self.select(self.less(t, a, b), a, b)

    def max(self, t: Signedness, a: Bits, b: Bits | int) -> Bits:
        b = self.operand(b, a.width)
        return self.select(self.less(t, a, b), b, a)

    def clamp(self, t: Signedness, a: Bits, low: int, high: int) -> Bits:
        return self.min(t, self.max(t, a, low), high)

    def shr(self, t: Signedness, a: Bits, n: Bits | int) -> Bits:
        return self.binary("sar" if t.signed else "shr", a, self.amount(n, a.width))

    def negative(self, a: Bits) -> Bits:
        """The top bit, as width 1."""
        return self.binary("slt", a, self.const(0, a.width))

    def abs(self, a: Bits) -> Bits:
        return self.select(self.negative(a), -a, a)

    def pick(self, p: Bits, a: Bits | int, b: Bits | int) -> Bits:
        """`select` where one side may be a Python integer."""
        w = a.width if isinstance(a, Bits) else b.width if isinstance(b, Bits) else 0
        return self.select(p, self.operand(a, w), self.operand(b, w))

    def lookup(self, table: Sequence[int], index: Bits, w: int) -> Bits:
        """Element `index`, which must be within the table, in `w` bits: selected bit by bit, unless a machine overrides
        it."""
        found = [self.const(value, w) for value in table]
        for bit in range((len(table) - 1).bit_length()):
            odd = (index >> bit & 1) != 0
            pairs = zip(found[::2], [*found[1::2], found[-1]], strict=False)
            found = [self.select(odd, b, a) for a, b in pairs]
        return found[0]

    def divide(self, t: Signedness, a: Bits, b: Bits) -> Bits:
        """The quotient, rounded towards zero; division by zero gives all ones; the smallest integer by -1 wraps."""
        if not t.signed:
            return self.binary("udiv", a, b)
        q = self.binary("udiv", self.abs(a), self.abs(b))
        q = self.select(self.negative(a ^ b), -q, q)
        return self.pick(b == 0, -1, q)

    def remainder(self, t: Signedness, a: Bits, b: Bits) -> Bits:
        """The remainder with the sign of `a`; all ones for division by zero."""
        if not t.signed:
            return self.pick(b == 0, -1, self.binary("urem", a, b))
        r = self.binary("urem", self.abs(a), self.abs(b))
        return self.pick(b == 0, -1, self.select(self.negative(a), -r, r))

    def mulhi(self, t: Signedness, a: Bits, b: Bits) -> Bits:
        """The upper half of the full product."""
        w = a.width
        if w < 64:
            return self.resize(self.resize(a, 2 * w, t.signed) * self.resize(b, 2 * w, t.signed) >> w, w)
        high = self.multiply(a, b)[1]
        if not t.signed:
            return high
        return high - self.pick(self.negative(a), b, 0) - self.pick(self.negative(b), a, 0)

    def multiply(self, a: Bits, b: Bits) -> tuple[Bits, Bits]:
        """The full unsigned product of two 64-bit values, low half first."""
        a0, a1, b0, b1 = a & 0xFFFFFFFF, a >> 32, b & 0xFFFFFFFF, b >> 32
        low, cross = a0 * b0, a1 * b0
        middle = cross + (low >> 32)
        other = a0 * b1 + (middle & 0xFFFFFFFF)
        return (other << 32) | (low & 0xFFFFFFFF), a1 * b1 + (middle >> 32) + (other >> 32)

    def concat(self, high: Bits, low: Bits) -> Bits:
        w = high.width + low.width
        return (self.resize(high, w) << low.width) | self.resize(low, w)

    def split(self, a: Bits, w: int) -> list[Bits]:
        """The `w`-bit parts of `a`, lowest first."""
        return [self.resize(a >> i if i else a, w) for i in range(0, a.width, w)]

    def join(self, parts: Sequence[Bits]) -> Bits:
        """The inverse of `split`."""
        while len(parts) > 1:
            parts = [self.concat(parts[i + 1], parts[i]) for i in range(0, len(parts), 2)]
        return parts[0]

    def clz(self, a: Bits) -> Bits:
        """Leading zeros, as 32 bits; the width if `a` is zero."""
        n = self.const(0, 32)
        step = a.width >> 1
        while step:
            clear = (a >> a.width - step) == 0
            a = self.select(clear, a << step, a)
            n = n + self.select(clear, self.const(step, 32), self.const(0, 32))
            step >>= 1
        return n + self.select(a == 0, self.const(1, 32), self.const(0, 32))

    def popc(self, a: Bits) -> Bits:
        """The number of set bits, as 32 bits."""
        ones = (1 << a.width) - 1
        a = a - ((a >> 1) & ones // 3)
        a = (a & ones // 5) + ((a >> 2) & ones // 5)
        a = (a + (a >> 4)) & ones // 17
        for step in (8, 16, 32):
            if step < a.width:
                a = a + (a >> step)
        return self.resize(a & 0x7F, 32)

    def reverse(self, a: Bits) -> Bits:
        """The bits in reverse order."""
        ones, step = (1 << a.width) - 1, a.width >> 1
        mask = ones
        while step:
            mask ^= (mask << step) & ones
            a = ((a >> step) & mask) | ((a & mask) << step)
            step >>= 1
        return a
