"""Loading, storing and transposing the fragments of matrices (9.7.14.5.15 to 9.7.14.5.17)."""

from __future__ import annotations

from openptx.isa.forms import Modifiers
from openptx.isa.notation import instruction


def loaded(m: Modifiers) -> int:
    """One register a matrix, two for those of sixteen rows and columns."""
    return int((m.num or "x1")[1:]) * (2 if m.shape == "m16n16" else 1)


_FAMILIES = "sm_100f sm_110f sm_120f"

ldmatrix = instruction(
    "ldmatrix",
    anchor="warp-level-matrix-instructions-ldmatrix",
    summary="r = fragments of up to four matrices whose rows the lanes point to.",
    syntax=f"""
        ldmatrix.sync.aligned.shape.num{{.trans}}{{.space}}.type   r, [p];      // PTX 6.5, sm_75
        .shape   = {{ .m8n8 }};
        .type    = {{ .b16 }};
        ldmatrix.sync.aligned.shape.num.trans{{.space}}.type   r, [p];        // PTX 8.6, {_FAMILIES}
        .shape   = {{ .m16n16 }};
        .num     = {{ .x1, .x2 }};
        .type    = {{ .b8 }};
        ldmatrix.sync.aligned.shape.num{{.space}}.dst_fmt.src_fmt   r, [p];     // PTX 8.6, {_FAMILIES}
        .shape   = {{ .m8n16 }};
        ldmatrix.sync.aligned.shape.num.trans{{.space}}.dst_fmt.src_fmt   r, [p];   // PTX 8.6, {_FAMILIES}
        .shape   = {{ .m16n16 }};
        .num     = {{ .x1, .x2 }};

        .num     = {{ .x1, .x2, .x4 }};
        .space   = {{ .shared{{::cta}} }};
        .dst_fmt = {{ .b8x16 }};
        .src_fmt = {{ .b6x16_p32, .b4x16_p64 }};
    """,
    types={"r": "b32"},
    vectors={"r": loaded},
    defaults={"space": "generic"},
    gates="""
        .shared::cta   PTX 7.8
    """,
)

stmatrix = instruction(
    "stmatrix",
    anchor="warp-level-matrix-instructions-stmatrix",
    summary="Stores fragments of up to four matrices where the lanes point.",
    syntax=f"""
        stmatrix.sync.aligned.shape.num{{.trans}}{{.space}}.type   [p], r;   // PTX 7.8, sm_90
        .shape = {{ .m8n8 }};
        .type  = {{ .b16 }};
        stmatrix.sync.aligned.shape.num.trans{{.space}}.type   [p], r;     // PTX 8.6, {_FAMILIES}
        .shape = {{ .m16n8 }};
        .type  = {{ .b8 }};

        .num   = {{ .x1, .x2, .x4 }};
        .space = {{ .shared{{::cta}} }};
    """,
    types={"r": "b32"},
    vectors={"r": loaded},
    defaults={"space": "generic"},
)

movmatrix = instruction(
    "movmatrix",
    anchor="warp-level-matrix-instructions-movmatrix",
    summary="d = the fragment of the transpose of the matrix of which a is a fragment.",
    syntax="""
        movmatrix.sync.aligned.shape.trans.type   d, a;   // PTX 7.8, sm_75
        .shape = { .m8n8 };
        .type  = { .b16 };
    """,
    types={"d": "b32", "a": "b32"},
)
