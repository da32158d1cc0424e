"""Matrix products of a warp: which lane holds which element, and the sum of products (9.7.14)."""

from __future__ import annotations

from openptx.isa.fidelity import EXACT, modelled
from openptx.numerics import FORMATS, Bits, S

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from openptx.isa.fidelity import Fidelity
    from openptx.isa.machine import Machine
    from openptx.isa.types import Type

    Element = Callable[[int], Bits]  # of a row or column, by its place along the depth

F64 = FORMATS["f64"]


def fidelity(factor: Type) -> Fidelity:
    """Integers and f64 are exact; of others the document leaves order and rounding of the sum open."""
    if factor.format in (None, "f64"):
        return EXACT
    return modelled("products and their sum with c in f64, in order of k, then rounded once")


def unpack(x: Machine, register: Bits, w: int) -> list[Bits]:
    """The elements of `w` bits in a register, lowest first; those below a byte in a byte each."""
    if w == register.width:
        return [register]
    if w >= 8:
        return x.split(register, w)
    return [x.resize(register >> i & (1 << w) - 1, 8) for i in range(0, register.width, w)]


def pack(x: Machine, values: Sequence[Bits], w: int) -> list[Bits]:
    """Registers of 32 bits (64 for f64) full of elements."""
    if w >= 32:
        return list(values)
    per = 32 // w
    return [x.join(values[i : i + per]) for i in range(0, len(values), per)]


def widened(x: Machine, t: Type, a: Bits) -> Bits:
    """A factor as what products are made of: 64 bits of an integer or of an f64."""
    if t.format is None:
        w = min(t.width, 8) if t.width < 8 else t.width
        if t.signed and t.width < 8:
            a = x.shr(S, a << 8 - t.width, 8 - t.width)
        return x.resize(a, 64, t.signed) if w else a
    return a if t.format == "f64" else x.convert(F64, FORMATS[t.format], a)


def accumulate(x: Machine, d: Type, c_type: Type, c: Bits, terms: list[tuple[Bits, Bits]], rnd: str = "rn") -> Bits:
    """c plus the products of widened factors, as an element of type `d`."""
    if d.format is None:
        total = x.resize(c, 64, True)
        for a, b in terms:
            total = total + a * b
        return total
    if d.format == "f64":
        for a, b in terms:
            c = x.fma(F64, a, b, c, rnd)
        return c
    total = x.convert(F64, FORMATS[c_type.format or ""], c)
    for a, b in terms:
        total = x.fadd(F64, total, x.fmul(F64, a, b))
    return x.convert(FORMATS[d.format], F64, total)


def finish(x: Machine, d: Type, total: Bits, satfinite: bool) -> Bits:
    """An integer sum of 64 bits as 32: clamped, or its lowest bits. Others are done."""
    if d.format is not None:
        return total
    if satfinite:
        total = x.clamp(S, total, -(1 << 31), (1 << 31) - 1)
    return x.resize(total, 32)


def spread(x: Machine, registers: Sequence[Bits], w: int, lane: Bits, depth: int, lanes: int) -> list[Bits]:
    """`depth` elements of a row (or column) which `lanes` lanes from `lane` on hold, in turns of a register each.

    This is how fragments of `mma` lie: register r of lane t has the elements from `(r * lanes + t) * per` on.
    """
    per = max(1, 32 // w)
    found: list[Bits] = []
    for i in range(depth // per):
        r, t = divmod(i, lanes)
        found += unpack(x, x.shuffle(registers[r], lane + t), w)
    return found
