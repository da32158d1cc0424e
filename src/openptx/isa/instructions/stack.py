"""The stack of a thread (9.7.17)."""

from __future__ import annotations

from openptx.isa.notation import instruction, meaning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.isa.notation.forms import Modifiers
    from openptx.numerics import Bits

stacksave = instruction(
    "stacksave",
    anchor="stack-manipulation-instructions-stacksave",
    summary="d = the stack pointer.",
    syntax="""
        stacksave.type   d;   // PTX 7.3, sm_52
        .type = { .u32, .u64 };
    """,
)


@meaning(stacksave)
def _(x: Machine, m: Modifiers) -> Bits:
    return x.resize(x.stack(), m.type.width)


stackrestore = instruction(
    "stackrestore",
    anchor="stack-manipulation-instructions-stackrestore",
    summary="The stack pointer = a.",
    syntax="""
        stackrestore.type   a;   // PTX 7.3, sm_52
        .type = { .u32, .u64 };
    """,
    operands="a   registers",
)


@meaning(stackrestore)
def _(x: Machine, m: Modifiers, a: Bits) -> None:
    x.unwind(x.resize(a, 64))


alloca = instruction(
    "alloca",
    anchor="stack-manipulation-instructions-alloca",
    summary="ptr = the address of size newly allocated bytes on the stack, aligned to immAlign.",
    syntax="""
        alloca.type   ptr, size{, immAlign};   // PTX 7.3, sm_52
        .type = { .u32, .u64 };
    """,
    types={"immAlign": "u32"},
    ranges="immAlign   a power of 2",
    writes="ptr",
)


ALIGNMENT = 8
"""The alignment without `immAlign`."""


@meaning(alloca)
def _(x: Machine, m: Modifiers, size: Bits, align: int | None = None) -> Bits:
    return x.resize(x.allocate(x.resize(size, 64), align or ALIGNMENT), m.type.width)
