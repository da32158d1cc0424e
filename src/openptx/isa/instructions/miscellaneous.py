"""Miscellaneous instructions (9.7.19)."""

from __future__ import annotations

from openptx.isa.notation import instruction, meaning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.isa.notation.forms import Modifiers

brkpt = instruction(
    "brkpt",
    anchor="miscellaneous-instructions-brkpt",
    summary="Suspends execution for a debugger.",
    syntax="""
        brkpt;   // PTX 1.0, sm_11
    """,
    control="breakpoint",
)

nanosleep = instruction(
    "nanosleep",
    anchor="miscellaneous-instructions-nanosleep",
    summary="Suspends the thread for about t nanoseconds.",
    syntax="""
        nanosleep.u32   t;   // PTX 6.3, sm_70
        nanosleep.u32   t;   // PTX 6.2, sm_70 (ptxas)
    """,
    operands="t   strictly",
    yields_thread=True,
)

pmevent = instruction(
    "pmevent",
    anchor="miscellaneous-instructions-pmevent",
    summary="Triggers performance monitor event a, or those of the mask a.",
    syntax="""
        pmevent         a;   // PTX 1.4
        pmevent.mask    a;   // PTX 3.0, sm_20
    """,
    types={"a": "u32"},
    immediates="a",
    ranges="""
        .mask a   0 to 65535
        a         0 to 15
    """,
    ordered_prefix="mask",
    splits_block=True,
)

trap = instruction(
    "trap",
    anchor="miscellaneous-instructions-trap",
    summary="Aborts the kernel.",
    syntax="""
        trap;   // PTX 1.0
    """,
    control="trap",
)

setmaxnreg = instruction(
    "setmaxnreg",
    anchor="miscellaneous-instructions-setmaxnreg",
    summary="Releases registers of the warp, or requests more.",
    syntax="""
        setmaxnreg.action.sync.aligned.u32   imm-reg-count;   // PTX 8.0, sm_90a sm_100f sm_110f sm_120f
        .action = { .inc, .dec };
        setmaxnreg.action.sync.aligned.s32   imm-reg-count;   // PTX 8.0, sm_90a sm_100f sm_110f sm_120f (ptxas)
        .action = { .inc, .dec };
    """,
    ranges="imm-reg-count   24 to 256, a multiple of 8",
    ordered_prefix=1,
    splits_block=True,
)


@meaning(nanosleep, pmevent, setmaxnreg)
def _(x: Machine, m: Modifiers, *operands: object) -> None:
    """Time, performance counters and the number of registers are not part of a machine's state."""
