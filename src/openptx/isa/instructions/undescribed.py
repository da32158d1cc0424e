"""Other PTX 9.5 instructions that NVIDIA's assembler accepts and no published manual describes.

`tensormap.query` has no meaning: a kernel that runs it ends in `Unsupported`.
"""

from __future__ import annotations

from openptx.isa.notation import instruction, meaning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.isa.notation.forms import Modifiers

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
