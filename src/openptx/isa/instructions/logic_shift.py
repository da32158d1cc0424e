"""Logic and shifts (9.7.8)."""

from __future__ import annotations

from openptx.isa.notation import instruction, meaning
from openptx.isa.semantics.comparisons import combine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.isa.notation.forms import Modifiers
    from openptx.numerics import Bits

and_ = instruction(
    "and",
    anchor="logic-and-shift-instructions-and",
    summary="d = a & b.",
    syntax="""
        and.type   d, a, b;   // PTX 1.0
        .type = { .pred, .b16, .b32, .b64 };
    """,
    operands="*   negated",
)


@meaning(and_)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits) -> Bits:
    return a & b


or_ = instruction(
    "or",
    anchor="logic-and-shift-instructions-or",
    summary="d = a | b.",
    syntax="""
        or.type   d, a, b;   // PTX 1.0
        .type = { .pred, .b16, .b32, .b64 };
    """,
    operands="*   negated",
)


@meaning(or_)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits) -> Bits:
    return a | b


xor = instruction(
    "xor",
    anchor="logic-and-shift-instructions-xor",
    summary="d = a ^ b.",
    syntax="""
        xor.type   d, a, b;   // PTX 1.0
        .type = { .pred, .b16, .b32, .b64 };
    """,
    operands="*   negated",
)


@meaning(xor)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits) -> Bits:
    return a ^ b


not_ = instruction(
    "not",
    anchor="logic-and-shift-instructions-not",
    summary="d = ~a.",
    syntax="""
        not.type   d, a;   // PTX 1.0
        .type = { .pred, .b16, .b32, .b64 };
    """,
    operands="*   negated",
)


@meaning(not_)
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    return ~a


cnot = instruction(
    "cnot",
    anchor="logic-and-shift-instructions-cnot",
    summary="d = 1 if a is zero, else 0.",
    syntax="""
        cnot.type   d, a;   // PTX 1.0
        .type = { .b16, .b32, .b64 };
    """,
)


@meaning(cnot)
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    return x.resize(a == 0, a.width)


lop3 = instruction(
    "lop3",
    anchor="logic-and-shift-instructions-lop3",
    summary="d = the bitwise function of a, b and c with truth table immLut; p = whether d is not 0, with q.",
    syntax="""
        lop3.b32          d, a, b, c, immLut;        // PTX 4.3, sm_50
        lop3.BoolOp.b32   d|p, a, b, c, immLut, {!}q;   // PTX 8.2, sm_70
        .BoolOp = { .or, .and };
    """,
    types={"immLut": "u32"},
    operands="d   sink",
)


@meaning(lop3)
def _(
    x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits, table: int, q: Bits | None = None
) -> Bits | tuple[Bits, Bits]:
    # Bit 4a + 2b + c of the table is the result: its upper half applies where a is set, and depends on b and c.
    off, on = table & 15, table >> 4 & 15
    d = two_inputs(x, off, b, c)
    if on != off:
        d = d ^ (a & two_inputs(x, on ^ off, b, c))
    return (d, combine(m.BoolOp, d != 0, q)) if m.BoolOp else d


def two_inputs(x: Machine, table: int, b: Bits, c: Bits) -> Bits:
    """The operation whose result is bit 2b + c of the table."""
    if table & 1:
        return ~two_inputs(x, table ^ 15, b, c)
    operations = {
        0b0000: lambda: x.const(0, 32),
        0b0010: lambda: c & ~b,
        0b0100: lambda: b & ~c,
        0b0110: lambda: b ^ c,
        0b1000: lambda: b & c,
        0b1010: lambda: c,
        0b1100: lambda: b,
        0b1110: lambda: b | c,
    }
    return operations[table]()


shf = instruction(
    "shf",
    anchor="logic-and-shift-instructions-shf",
    summary="d = the upper half of b:a shifted left by c, or the lower half of it shifted right.",
    syntax="""
        shf.direction.mode.b32   d, a, b, c;   // PTX 3.1, sm_32
        .direction = { .l, .r };
        .mode      = { .clamp, .wrap };
    """,
    types={"c": "u32"},
    ordered_prefix=1,
)


@meaning(shf)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits) -> Bits:
    n = x.pick(c > 32, 32, c) if m.mode == "clamp" else c & 31
    return (b << n) | (a >> (32 - n)) if m.direction == "l" else (b << (32 - n)) | (a >> n)


shl = instruction(
    "shl",
    anchor="logic-and-shift-instructions-shl",
    summary="d = a << b; zero if b is at least the width of the type.",
    syntax="""
        shl.type   d, a, b;   // PTX 1.0
        .type = { .b16, .b32, .b64 };
    """,
    types={"b": "u32"},
)


@meaning(shl)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits) -> Bits:
    return a << b


shr = instruction(
    "shr",
    anchor="logic-and-shift-instructions-shr",
    summary="d = a >> b, arithmetic for signed types, logical for others.",
    syntax="""
        shr.type   d, a, b;   // PTX 1.0
        .type = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64 };
    """,
    types={"b": "u32"},
)


@meaning(shr)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits) -> Bits:
    return x.shr(m.type, a, b)
