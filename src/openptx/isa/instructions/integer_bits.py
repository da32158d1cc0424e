"""Counting, finding, reversing and extracting the bits of integers (9.7.1)."""

from __future__ import annotations

from openptx.isa.notation import instruction, meaning
from openptx.numerics import U

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.isa.notation.forms import Modifiers
    from openptx.numerics import Bits

popc = instruction(
    "popc",
    anchor="integer-arithmetic-instructions-popc",
    summary="d = the number of one bits in a.",
    syntax="""
        popc.type   d, a;   // PTX 2.0, sm_20
        .type = { .b32, .b64 };
    """,
    types={"d": "u32"},
)


@meaning(popc)
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    return x.popc(a)


clz = instruction(
    "clz",
    anchor="integer-arithmetic-instructions-clz",
    summary="d = the number of zero bits above the highest one bit of a.",
    syntax="""
        clz.type   d, a;   // PTX 2.0, sm_20
        .type = { .b32, .b64 };
    """,
    types={"d": "u32"},
)


@meaning(clz)
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    return x.clz(a)


bfind = instruction(
    "bfind",
    anchor="integer-arithmetic-instructions-bfind",
    summary="d = the position of the most significant bit of a that differs from the sign; all ones if there is none.",
    syntax="""
        bfind.type            d, a;   // PTX 2.0, sm_20
        bfind.shiftamt.type   d, a;   // PTX 2.0, sm_20
        .type = { .u32, .u64, .s32, .s64 };
    """,
    types={"d": "u32"},
)


@meaning(bfind)
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    if m.type.signed:
        a = x.select(x.negative(a), ~a, a)
    n = x.clz(a)
    return x.pick(a == 0, -1, n if m.shiftamt else a.width - 1 - n)


fns = instruction(
    "fns",
    anchor="integer-arithmetic-instructions-fns",
    summary="d = the position of the n-th set bit of mask, counted from base; all ones if there is none.",
    syntax="""
        fns.b32   d, mask, base, offset;   // PTX 6.0, sm_30
    """,
    types={"d": "b32", "mask": "b32", "base": "b32", "offset": "s32"},
    operands="*   as .b32",
)


@meaning(fns)
def _(x: Machine, m: Modifiers, mask: Bits, base: Bits, offset: Bits) -> Bits:
    backwards = x.negative(offset)
    # Searches upwards from bit 0: the mask from `base` on, mirrored for the other direction.
    start = x.select(backwards, 31 - base, base)
    found = x.select(backwards, x.reverse(mask), mask) & x.binary("shl", x.const(-1, 32), start)
    count = x.select(offset == 0, x.const(1, 32), x.abs(offset))
    first_bit = x.pick(offset == 0, base, 32)  # with offset 0 only the bit at `base` is considered
    d = x.const(-1, 32)
    for i in range(32):
        bit = (found >> i) & 1
        hit = (bit == 1) & (count == 1) & ((first_bit == 32) | (first_bit == i))
        d = x.pick(hit, x.pick(backwards, 31 - i, x.const(i, 32)), d)
        count = count - bit
    return d


brev = instruction(
    "brev",
    anchor="integer-arithmetic-instructions-brev",
    summary="d = the bits of a in reverse order.",
    syntax="""
        brev.type   d, a;   // PTX 2.0, sm_20
        .type = { .b32, .b64 };
    """,
)


@meaning(brev)
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    return x.reverse(a)


bfe = instruction(
    "bfe",
    anchor="integer-arithmetic-instructions-bfe",
    summary="d = the c bits of a that start at bit b, sign- or zero-extended.",
    syntax="""
        bfe.type   d, a, b, c;   // PTX 2.0, sm_20
        .type = { .u32, .u64, .s32, .s64 };
    """,
    types={"b": "u32", "c": "u32"},
    ranges="""
        b   0 to 255
        c   0 to 255
    """,
)


@meaning(bfe)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits) -> Bits:
    w = m.type.width
    pos, length = b & 0xFF, c & 0xFF
    up = w - x.min(U, pos + length, w)  # moves the top bit of the field to bit 31 or 63, then shifts the field down
    return x.pick(length == 0, 0, x.shr(m.type, a << up, up + pos))


bfi = instruction(
    "bfi",
    anchor="integer-arithmetic-instructions-bfi",
    summary="f = b, in which the d bits that start at bit c are replaced by the lowest bits of a.",
    syntax="""
        bfi.type   f, a, b, c, d;   // PTX 2.0, sm_20
        .type = { .b32, .b64 };
    """,
    types={"c": "u32", "d": "u32"},
    writes="f",
    operands="""
        a   passed on
    """,
    ranges="""
        c   0 to 255
        d   0 to 255
    """,
)


@meaning(bfi)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits, d: Bits) -> Bits:
    pos, length = c & 0xFF, d & 0xFF
    ones = x.const(-1, m.type.width)
    field = ~(ones << length) << pos
    return (a << pos & field) | (b & ~field)


szext = instruction(
    "szext",
    anchor="integer-arithmetic-instructions-szext",
    summary="d = the lowest b bits of a, sign- or zero-extended.",
    syntax="""
        szext.mode.type   d, a, b;   // PTX 7.6, sm_70
        .mode = { .clamp, .wrap };
        .type = { .u32, .s32 };
    """,
    types={"b": "u32"},
)


@meaning(szext)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits) -> Bits:
    n = x.min(U, b, 32) if m.mode == "clamp" else b & 31
    return x.pick(n == 0, 0, x.shr(m.type, a << (32 - n), 32 - n))


bmsk = instruction(
    "bmsk",
    anchor="integer-arithmetic-instructions-bmsk",
    summary="d = a mask of b ones that start at bit a.",
    syntax="""
        bmsk.mode.b32   d, a, b;   // PTX 7.6, sm_70
        .mode = { .clamp, .wrap };
    """,
    types={"a": "u32", "b": "u32"},
    operands="*   strictly",
)


@meaning(bmsk)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits) -> Bits:
    if m.mode == "wrap":
        a, b = a & 31, b & 31
    ones = x.const(-1, 32)
    return ~(ones << b) << a


clmad = instruction(
    "clmad",
    anchor="integer-arithmetic-instructions-clmad",
    summary="d = the lower or upper half of the carry-less product of a and b, xor c.",
    syntax="""
        clmad.mode.type   d, a, b, c;   // PTX 9.3, sm_80 (ptxas)
        .mode = { .lo, .hi };
        .type = { .u64, .s64 };
    """,
    types={"a": "u64", "b": "u64", "c": "u64"},
    operands="*   no function",
    ordered_prefix=1,
)


@meaning(clmad)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits) -> Bits:
    """PTX ISA 9.3, 9.7.1.5: the product of two polynomials over GF(2) with 64 coefficients each."""
    d = c
    for i in range(64):
        term = b << i if m.mode == "lo" else b >> 64 - i if i else x.const(0, 64)
        d = d ^ (term & -(a >> i & 1))
    return d
