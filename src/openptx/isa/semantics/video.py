"""Bytes and halves of registers, as video instructions pick, clamp and merge them (9.7.18).

Values between extraction and merge are integers of 64 bits, which hold the manual's 34-bit intermediate results.
"""

from __future__ import annotations

from openptx.numerics import Bits, S

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.isa.types import Type


def width_of(part: str | None) -> int:
    """The bits of `b2`, `h1`, or of the whole register."""
    return 32 if part is None else 8 if part[0] == "b" else 16


def extract(x: Machine, t: Type, a: Bits, part: str | None) -> Bits:
    """A part, extended according to the signedness of the type."""
    w = width_of(part)
    position = w * int(part[1:]) if part else 0
    return x.resize(x.resize(a >> position, w), 64, t.signed)


def clamp(x: Machine, t: Type, value: Bits, w: int) -> Bits:
    """Clamped to the range of `w` bits of the type's signedness."""
    low, high = (-(1 << w - 1), (1 << w - 1) - 1) if t.signed else (0, (1 << w) - 1)
    return x.clamp(S, value, low, high)


def merge(x: Machine, value: Bits, part: str, c: Bits) -> Bits:
    """`c` with a part replaced."""
    w = width_of(part)
    position = w * int(part[1:])
    field = ((1 << w) - 1) << position
    return (x.resize(value, 32) << position & field) | (c & (~field & 0xFFFFFFFF))


def pick(x: Machine, t: Type, a: Bits, b: Bits, selector: str) -> list[Bits]:
    """The parts of `b:a` that the digits of `.h10` or `.b3210` select, lowest first, extended."""
    w, both = width_of(selector), x.concat(b, a)
    return [x.resize(x.resize(both >> w * int(digit), w), 64, t.signed) for digit in reversed(selector[1:])]


def operate(x: Machine, op: str, a: Bits, b: Bits) -> Bits:
    """The operation of `vadd`, `vavrg2`, `vmin4`... on extended values."""
    match op.rstrip("24"):
        case "vadd":
            return a + b
        case "vsub":
            return a - b
        case "vabsdiff":
            return x.abs(a - b)
        case "vmin":
            return x.min(S, a, b)
        case "vmax":
            return x.max(S, a, b)
        case _:  # vavrg: half of the sum, rounded away from zero
            s = a + b
            return x.shr(S, s + x.resize(~x.negative(s), 64), 1)


def compare(x: Machine, op: str, a: Bits, b: Bits) -> Bits:
    """The comparison's result: 1 if it holds."""
    less, equal = x.less(S, a, b), a == b
    holds = {
        "eq": equal,
        "ne": ~equal,
        "lt": less,
        "le": less | equal,
        "gt": ~(less | equal),
        "ge": ~less,
    }[op]
    return x.resize(holds, 64)


def second(x: Machine, op: str | None, t: Type, value: Bits, c: Bits) -> Bits:
    """The second operation of a scalar instruction; the lowest 32 bits count."""
    wide = x.resize(c, 64, t.signed)
    if op == "add":
        value = value + wide
    elif op == "min":
        value = x.min(S, value, wide)
    elif op == "max":
        value = x.max(S, value, wide)
    return x.resize(value, 32)


def gather(x: Machine, values: list[Bits], mask: str, c: Bits, *, accumulate: bool) -> Bits:
    """The SIMD results in one register: those that the mask selects, merged into `c` or added to it."""
    w = 32 // len(values)
    chosen = {int(digit) for digit in mask[1:]}
    if accumulate:
        for i in chosen:
            c = c + x.resize(values[i], 32)
        return c
    parts = x.split(c, w)
    return x.join([x.resize(v, w) if i in chosen else parts[i] for i, v in enumerate(values)])
