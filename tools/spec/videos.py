"""Video instructions (9.7.18): extraction, operation, saturation, second operation or merge."""

from __future__ import annotations

import random
from collections.abc import Callable

from openptx.isa.notation.forms import Form
from spec.integers import of, signed


def part(t, v: int, name: str | None) -> int:
    """A byte, half or word of a register as a number of the type."""
    if not name:
        return of(t, v)
    w = 8 if name[0] == "b" else 16
    field = v >> w * int(name[1]) & (1 << w) - 1
    return signed(field, w) if t.signed else field


def clamp(v: int, is_signed: bool, w: int) -> int:
    low, high = (-(1 << w - 1), (1 << w - 1) - 1) if is_signed else (0, (1 << w) - 1)
    return min(max(v, low), high)


def half_away(a: int, b: int) -> int:
    return a + b + 1 >> 1 if a + b >= 0 else a + b >> 1


OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "vadd": lambda a, b: a + b,
    "vsub": lambda a, b: a - b,
    "vabsdiff": lambda a, b: abs(a - b),
    "vmin": min,
    "vmax": max,
    "vavrg": half_away,
}
COMPARISONS: dict[str, Callable[[int, int], int]] = {
    "eq": lambda a, b: int(a == b),
    "ne": lambda a, b: int(a != b),
    "lt": lambda a, b: int(a < b),
    "le": lambda a, b: int(a <= b),
    "gt": lambda a, b: int(a > b),
    "ge": lambda a, b: int(a >= b),
}


def finish(m, tmp: int, is_signed: bool, c: int) -> int:
    d = m.d_part
    w = {"b": 8, "h": 16}[d[0]] if d else 32
    if m.sat:
        tmp = clamp(tmp, is_signed, w)
    if d:
        field = ((1 << w) - 1) << w * int(d[1])
        return tmp << w * int(d[1]) & field | c & ~field
    number = signed(c, 32) if is_signed else c
    return {None: tmp, "add": tmp + number, "min": min(tmp, number), "max": max(tmp, number)}[m.op2]


def scalar(m, a: int, b: int, c: int = 0) -> int:
    tmp = OPERATIONS[m.form.instruction.name](part(m.atype, a, m.a_part), part(m.btype, b, m.b_part))
    return finish(m, tmp, m.dtype.signed, c)


def shift(m, a: int, b: int, c: int = 0) -> int:
    ta = part(m.atype, a, m.a_part)
    w = {"b": 8, "h": 16}[m.b_part[0]] if m.b_part else 32
    tb = b >> (w * int(m.b_part[1]) if m.b_part else 0) & (1 << w) - 1
    n = min(tb, 32) if m.mode == "clamp" else tb & 31
    tmp = signed(ta << n & (1 << 34) - 1, 34) if m.form.instruction.name == "vshl" else ta >> n  # 34 bits
    return finish(m, tmp, m.dtype.signed, c)


def vmad(m, a: int, b: int, c: int) -> int:
    is_signed = m.atype.signed or m.btype.signed
    tmp = part(m.atype, a, m.a_part) * part(m.btype, b, m.b_part) + (signed(c, 32) if is_signed else c) + bool(m.po)
    tmp >>= {None: 0, "shr7": 7, "shr15": 15}[m.scale]
    return clamp(tmp, is_signed, 32) if m.sat else tmp


def vset(m, a: int, b: int, c: int = 0) -> int:
    return finish(m, COMPARISONS[m.cmp](part(m.atype, a, m.a_part), part(m.btype, b, m.b_part)), False, c)


def lanes(t, a: int, b: int, selector: str) -> list[int]:
    w = 8 if selector[0] == "b" else 16
    fields = [(b << 32 | a) >> w * int(digit) & (1 << w) - 1 for digit in reversed(selector[1:])]
    return [signed(v, w) if t.signed else v for v in fields]


def simd(m, a: int, b: int, c: int) -> int:
    name = m.form.instruction.name
    n = int(name[-1])
    mask, first, second = ("h10", "h10", "h32") if n == 2 else ("b3210", "b3210", "b7654")
    va, vb = lanes(m.atype, a, b, m.a_part or first), lanes(m.btype, a, b, m.b_part or second)
    operation = COMPARISONS[m.cmp] if name.startswith("vset") else OPERATIONS[name[:-1]]
    w, d, total = 32 // n, 0, c
    for i, (p, q) in enumerate(zip(va, vb, strict=True)):
        t = operation(p, q)
        if m.sat:
            t = clamp(t, m.dtype.signed, w)
        in_mask = str(i) in (m.d_part or mask)[1:]
        total += t if in_mask else 0
        d |= ((t if in_mask else c >> i * w) & (1 << w) - 1) << i * w
    return total if m.add else d


MODELS = {
    **dict.fromkeys(("vadd", "vsub", "vabsdiff", "vmin", "vmax"), scalar),
    **dict.fromkeys(("vshl", "vshr"), shift),
    "vmad": vmad,
    "vset": vset,
    **{f"{name}{n}": simd for name in (*OPERATIONS, "vset") for n in (2, 4)},
}


def selections(form: Form, chance: random.Random) -> list[dict[str, str | None]]:
    """Parts of registers for the operands of a form: none, and one combination."""
    names = [t.name for t in form.operands if t.selectors]
    packed = form.instruction.name[-1] in "24"
    two = form.instruction.name[-1] == "2"

    def choose(name: str) -> str:
        if not packed:
            return chance.choice(("b0", "b1", "b2", "b3", "h0", "h1"))
        if name == "d":
            return chance.choice(("h0", "h1", "h10") if two else ("b0", "b2", "b31", "b210", "b3210"))
        digits = "".join(chance.choice("0123" if two else "01234567") for _ in range(2 if two else 4))
        return ("h" if two else "b") + digits

    whole = {f"{name}_part": None for name in names}
    some = {f"{name}_part": choose(name) for name in names}
    # A scalar form with a merge always has a part of d.
    merging = not packed and "d" in names
    return [some] if merging else [whole, some]
