"""The stack of a thread (9.7.17)."""

from __future__ import annotations

from openptx.isa.notation import instruction

stacksave = instruction(
    "stacksave",
    anchor="stack-manipulation-instructions-stacksave",
    summary="d = the stack pointer.",
    syntax="""
        stacksave.type   d;   // PTX 7.3, sm_52
        .type = { .u32, .u64 };
    """,
)

stackrestore = instruction(
    "stackrestore",
    anchor="stack-manipulation-instructions-stackrestore",
    summary="The stack pointer = a.",
    syntax="""
        stackrestore.type   a;   // PTX 7.3, sm_52
        .type = { .u32, .u64 };
    """,
)

alloca = instruction(
    "alloca",
    anchor="stack-manipulation-instructions-alloca",
    summary="ptr = the address of size bytes of new stack, aligned to immAlign.",
    syntax="""
        alloca.type   ptr, size{, immAlign};   // PTX 7.3, sm_52
        .type = { .u32, .u64 };
    """,
    types={"immAlign": "u32"},
    writes="ptr",
)
