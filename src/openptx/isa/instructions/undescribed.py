"""Other instructions of PTX 9.4 and 9.5 that NVIDIA's assembler accepts and no published manual describes.

`tensormap.query` and the arithmetic of four narrow floats, which one machine instruction computes (QADD4, QMUL4,
QFMA4), have no meaning: how the latter rounds and what becomes of too large results is unknown. A kernel that runs them
ends in `Unsupported`.
"""

from __future__ import annotations

from openptx.isa.notation import instruction, meaning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.isa.notation import Instruction
    from openptx.isa.notation.forms import Modifiers

_FOUR = ".e4m3x4, .e5m2x4, .e2m3x4, .e3m2x4, .e2m1x4, .ue8m0x4"


def four(name: str, summary: str, types: str, operands: str) -> Instruction:
    """Arithmetic of four narrow floats. The last operand of a sum is of the result's type."""
    return instruction(
        name,
        anchor="mixed-precision-floating-point-instructions",
        summary=summary,
        syntax=f"""
            {name}{{.rn}}{{.satfinite}}.dtype{types}   d, {operands};   // PTX 9.4, sm_100a sm_103a (ptxas)
            .dtype = {{ .e4m3x4, .e5m2x4 }};
            .atype = {{ {_FOUR} }};
            .btype = {{ {_FOUR} }};
        """,
        operands="*   registers, a list of one",
    )


add_four = four("add", "d = a + c for each of four numbers.", ".atype", "a, c")
sub_four = four("sub", "d = a - c for each of four numbers.", ".atype", "a, c")
mul_four = four("mul", "d = a * b for each of four numbers.", ".atype.btype", "a, b")
fma_four = four("fma", "d = a * b + c for each of four numbers.", ".atype.btype", "a, b, c")

tensormap_query = instruction(
    "tensormap.query.alloc_class_large",
    anchor="data-movement-and-conversion-instructions-tensormap-replace",
    summary="p = whether the tensor map at addr is of the large allocation class.",
    syntax="""
        // PTX 9.5, sm_90a sm_100f sm_110f sm_120f (ptxas)
        tensormap.query.alloc_class_large{.space}.b1024   p, [addr];
        .space = { .global };
    """,
    types={"p": "pred"},
    defaults={"space": "generic"},
)

trace_mark = instruction(
    "trace.mark",
    anchor="miscellaneous-instructions",
    summary="Marks a position for tools that trace a kernel.",
    syntax="""
        trace.mark   imm;   // PTX 9.5, sm_107f (ptxas)
    """,
    types={"imm": "u32"},
    ranges="imm   0 to 4095",
)


@meaning(trace_mark)
def _(x: Machine, m: Modifiers, mark: int) -> None:
    """For tools; it does not affect results."""
