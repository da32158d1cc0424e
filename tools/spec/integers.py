"""Integer arithmetic, logic, shifts, permutation, comparison: 9.7.1, 9.7.6, 9.7.8, 9.7.9.7, in Python integers."""

from __future__ import annotations

from openptx.isa.notation.forms import Modifiers


def signed(v: int, w: int) -> int:
    return v - (1 << w) if v >> w - 1 else v


def of(t: object, v: int) -> int:
    """The number that bits of a type are."""
    return signed(v, t.width) if t.signed else v


def clamp(v: int, t: object) -> int:
    low, high = (-(1 << t.width - 1), (1 << t.width - 1) - 1) if t.signed else (0, (1 << t.width) - 1)
    return min(max(v, low), high)


def packed(model):
    """The model of one element on packed types."""

    def apply(m: Modifiers, *operands: int) -> int:
        t = m.type
        w = t.element.width
        result = 0
        for i in range(t.count):
            result |= (model(m, t.element, *(v >> i * w & (1 << w) - 1 for v in operands)) & (1 << w) - 1) << i * w
        return result

    return apply


@packed
def add(m, t, a, b):
    s = of(t, a) + of(t, b)
    return clamp(s, t) if m.sat else s


@packed
def sub(m, t, a, b):
    s = of(t, a) - of(t, b)
    return clamp(s, t) if m.sat else s


def mul(m, a, b):
    p = of(m.type, a) * of(m.type, b)
    return p >> m.type.width if m.mode == "hi" else p


def mad(m, a, b, c):
    w = m.type.width * (2 if m.mode == "wide" else 1)
    p = mul(m, a, b)
    if m.sat:
        return clamp(signed(p & (1 << w) - 1, w) + signed(c, w), m.type)
    return p + c


def low24(t, v):
    return signed(v & 0xFFFFFF, 24) if t.signed else v & 0xFFFFFF


def mul24(m, a, b):
    p = low24(m.type, a) * low24(m.type, b)
    return p >> 16 if m.mode == "hi" else p


def mad24(m, a, b, c):
    p = mul24(m, a, b) & 0xFFFFFFFF
    return clamp(signed(p, 32) + signed(c, 32), m.type) if m.sat else p + c


def sad(m, a, b, c):
    return c + abs(of(m.type, a) - of(m.type, b))


def div(m, a, b):
    if b == 0:
        return -1  # unspecified; an H100 gives all ones
    x, y = of(m.type, a), of(m.type, b)
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def rem(m, a, b):
    if b == 0:
        return -1
    x, y = of(m.type, a), of(m.type, b)
    return abs(x) % abs(y) * (-1 if x < 0 else 1)


def abs_(m, a):
    return abs(of(m.type, a))


@packed
def neg(m, t, a):
    return -a


@packed
def min_(m, t, a, b):
    d = min(of(t, a), of(t, b))
    return max(d, 0) if m.relu else d


@packed
def max_(m, t, a, b):
    d = max(of(t, a), of(t, b))
    return max(d, 0) if m.relu else d


def popc(m, a):
    return bin(a).count("1")


def clz(m, a):
    return m.type.width - a.bit_length()


def bfind(m, a):
    msb = m.type.width - 1
    if m.type.signed and a >> msb:
        a ^= (1 << m.type.width) - 1
    for i in range(msb, -1, -1):
        if a >> i & 1:
            return msb - i if m.shiftamt else i
    return 0xFFFFFFFF


def fns(m, mask, base, offset):
    if base > 31:
        return None
    offset = signed(offset, 32)
    if offset == 0:
        return base if mask >> base & 1 else 0xFFFFFFFF
    pos, count, step = base, abs(offset) - 1, 1 if offset > 0 else -1
    while 0 <= pos < 32:
        if mask >> pos & 1:
            if count == 0:
                return pos
            count -= 1
        pos += step
    return 0xFFFFFFFF


def brev(m, a):
    return int(f"{a:0{m.type.width}b}"[::-1], 2)


def bfe(m, a, b, c):
    """The bit loop of the manual."""
    msb = m.type.width - 1
    pos, length = b & 0xFF, c & 0xFF
    sbit = 0 if not m.type.signed or length == 0 else a >> min(pos + length - 1, msb) & 1
    d = 0
    for i in range(msb + 1):
        d |= (a >> pos + i & 1 if i < length and pos + i <= msb else sbit) << i
    return d


def bfi(m, a, b, c, d):
    msb = m.type.width - 1
    pos, length = c & 0xFF, d & 0xFF
    f = b
    for i in range(length):
        if pos + i <= msb:
            f = f & ~(1 << pos + i) | (a >> i & 1) << pos + i
    return f


def szext(m, a, b):
    b1 = b & 31
    too_large = b >= 32 and m.mode == "clamp"
    mask = 0 if too_large else -1 << b1
    sign = not (b1 == 0 or too_large or not m.type.signed) and a >> (b1 - 1 & 31) & 1
    return a & ~mask | (mask if sign else 0)


def bmsk(m, a, b):
    a1, b1 = a & 31, b & 31
    mask0, mask1 = -1 << a1, -1 << a1 + b1
    over = a1 + b1 >= 32
    position = width = False
    if m.mode == "clamp":
        position, width = a >= 32, b >= 32
        if position:
            mask0 = 0
    if over or position or width:
        mask1 = 0
    elif b1 == 0:
        mask1 = -1
    return mask0 & ~mask1


def parts(v, w, is_signed):
    return [signed(p, w) if is_signed else p for p in (v >> i & (1 << w) - 1 for i in range(0, 32, w))]


def dp4a(m, a, b, c):
    return c + sum(p * q for p, q in zip(parts(a, 8, m.atype.signed), parts(b, 8, m.btype.signed), strict=True))


def dp2a(m, a, b, c):
    chosen = parts(b, 8, m.btype.signed)[0 if m.mode == "lo" else 2 :]
    return c + sum(p * q for p, q in zip(parts(a, 16, m.atype.signed), chosen, strict=False))


# Logic and shifts.


def and_(m, a, b):
    return a & b


def or_(m, a, b):
    return a | b


def xor(m, a, b):
    return a ^ b


def not_(m, a):
    return ~a


def cnot(m, a):
    return int(a == 0)


def lop3(m, a, b, c, table, q=0):
    d = 0
    for i in range(32):
        d |= (table >> (4 * (a >> i & 1) + 2 * (b >> i & 1) + (c >> i & 1)) & 1) << i
    if m.BoolOp is None:
        return d
    return d, (d != 0) | q if m.BoolOp == "or" else (d != 0) & q


def shf(m, a, b, c):
    n = min(c, 32) if m.mode == "clamp" else c & 31
    both = b << 32 | a
    return both << n >> 32 if m.direction == "l" else both >> n


def shl(m, a, b):
    return a << min(b, m.type.width)


def shr(m, a, b):
    return of(m.type, a) >> min(b, m.type.width)


def prmt(m, a, b, c):
    source = b << 32 | a
    table = {
        "f4e": ("3210", "4321", "5432", "6543"),
        "b4e": ("5670", "6701", "7012", "0123"),
        "rc8": ("0000", "1111", "2222", "3333"),
        "ecl": ("3210", "3211", "3222", "3333"),
        "ecr": ("0000", "1110", "2210", "3210"),
        "rc16": ("1010", "3232", "1010", "3232"),
    }
    d = 0
    for i in range(4):
        selector = c >> 4 * i & 15 if not m.mode else int(table[m.mode][c & 3][3 - i])
        byte = source >> 8 * (selector & 7) & 0xFF
        if selector & 8:
            byte = 0xFF if byte & 0x80 else 0
        d |= byte << 8 * i
    return d


# Comparison and selection.


def selp(m, a, b, c):
    return a if c else b


def combine(op, t, c):
    return {None: t, "and": t & c, "or": t | c, "xor": t ^ c}[op]
