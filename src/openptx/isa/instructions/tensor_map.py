"""Changes of the maps that describe tensors (9.7.9.28)."""

from __future__ import annotations

from openptx.isa.notation import instruction, meaning
from openptx.isa.semantics.tensor_map import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.isa.notation.forms import Modifiers
    from openptx.numerics import Bits

tensormap_replace = instruction(
    "tensormap.replace",
    anchor="data-movement-and-conversion-instructions-tensormap-replace",
    summary="Changes one field of the tensor map at addr.",
    syntax="""
        // PTX 8.3, sm_90a sm_100f sm_110f sm_120f
        tensormap.replace.mode.field{.space}.b1024.type   [addr], new_val;
        .field = { .global_address };
        .type  = { .b64 };
        tensormap.replace.mode.field{.space}.b1024.type   [addr], new_val;
        .field = { .rank };
        .type  = { .b32 };
        tensormap.replace.mode.field{.space}.b1024.type   [addr], ord, new_val;
        .field = { .global_stride };
        .type  = { .b64 };
        tensormap.replace.mode.field{.space}.b1024.type   [addr], imm-new-val;
        .field = { .elemtype, .interleave_layout, .swizzle_mode, .swizzle_atomicity, .fill_mode };
        .type  = { .b32 };

        .mode  = { .tile };
        .space = { .global, .shared::cta };
    """,
    types={"ord": "u32"},
    immediates="ord",
    ranges="""
        ord                              0 to 4
        sm_90a .elemtype imm-new-val     0 to 12
        PTX 8.7 .elemtype imm-new-val    0 to 15
        .elemtype imm-new-val            0 to 12
        .interleave_layout imm-new-val   0 to 2
        sm_103a sm_107a .swizzle_mode imm-new-val   0 to 4
        .swizzle_mode imm-new-val        0 to 3
        .fill_mode imm-new-val           0 to 1
        .swizzle_atomicity imm-new-val   0 to 3
    """,
    defaults={"space": "generic"},
    gates="""
        .swizzle_atomicity   PTX 8.6, sm_100f sm_110f sm_120f
    """,
    operands="addr   32 bits",
)


tensormap_replace_dimension = instruction(
    "tensormap.replace",
    anchor="data-movement-and-conversion-instructions-tensormap-replace",
    summary="Changes the field of one dimension of the tensor map at addr.",
    syntax="""
        // PTX 8.3, sm_90a sm_100f sm_110f sm_120f
        tensormap.replace.mode.field{.space}.b1024.type   [addr], ord, new_val;
        .field = { .box_dim, .global_dim, .element_stride };
        .type  = { .b32 };

        .mode  = { .tile };
        .space = { .global, .shared::cta };
    """,
    types={"ord": "u32"},
    immediates="ord",
    ranges="ord   0 to 4",
    defaults={"space": "generic"},
    operands="""
        new_val   as .u32
        addr      32 bits
    """,
)


@meaning(tensormap_replace, tensormap_replace_dimension)
def _(x: Machine, m: Modifiers, at: Bits, first: Bits | int, value: Bits | int | None = None) -> None:
    ordinal, value = (0, first) if value is None else (first, value)
    assert isinstance(ordinal, int)
    replace(x, "shared" if m.space == "shared::cta" else str(m.space), at, str(m.field), ordinal, value)
