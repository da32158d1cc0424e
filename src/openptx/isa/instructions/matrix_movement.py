"""Loading, storing and transposing the fragments of matrices (9.7.14.5.15 to 9.7.14.5.17)."""

from __future__ import annotations

from openptx.isa.fidelity import EXACT, UNSUPPORTED, Fidelity
from openptx.isa.forms import Modifiers
from openptx.isa.notation import instruction, meaning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.numerics import Bits


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


def only_b16(m: Modifiers) -> Fidelity:
    """Matrices of bytes and of packed sub-bytes can not be moved yet."""
    return EXACT if m.shape == "m8n8" and m.values.get("type") is not None else UNSUPPORTED


@meaning(ldmatrix, fidelity=only_b16)
def _(x: Machine, m: Modifiers, p: Bits) -> Bits | tuple[Bits, ...]:
    """Lanes 8i to 8i + 7 point to the rows of matrix i; a lane gets two neighbours of a row, or of a column."""
    x.require((p & 15) == 0, "misaligned-access", "a row of a matrix at an address that is not a multiple of 16")
    lane = x.lane()
    found: list[Bits] = []
    for i in range(loaded(m)):
        if m.trans:
            rows = (lane & 3) << 1
            halves = [
                x.load(m.space, x.shuffle(p, rows + (8 * i + j)) + x.resize(lane >> 2 << 1, 64), 16)[0] for j in (0, 1)
            ]
            found.append(x.join(halves))
        else:
            row = x.shuffle(p, (lane >> 2) + 8 * i)
            found += x.load(m.space, row + x.resize((lane & 3) << 2, 64), 32)
    return tuple(found) if len(found) > 1 else found[0]


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


@meaning(stmatrix, fidelity=only_b16)
def _(x: Machine, m: Modifiers, p: Bits, r: Bits | tuple[Bits, ...]) -> None:
    x.require((p & 15) == 0, "misaligned-access", "a row of a matrix at an address that is not a multiple of 16")
    lane = x.lane()
    for i, value in enumerate(r if isinstance(r, tuple) else (r,)):
        if m.trans:
            for j, half in enumerate(x.split(value, 16)):
                row = x.shuffle(p, ((lane & 3) << 1) + (8 * i + j))
                x.store(m.space, row + x.resize(lane >> 2 << 1, 64), (half,))
        else:
            row = x.shuffle(p, (lane >> 2) + 8 * i)
            x.store(m.space, row + x.resize((lane & 3) << 2, 64), (value,))


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


@meaning(movmatrix)
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    lane = x.lane()
    column = lane >> 2
    halves: list[Bits] = []
    for j in (0, 1):
        row = ((lane & 3) << 1) + j
        low, high = x.split(x.shuffle(a, (row << 2) + (column >> 1)), 16)
        halves.append(x.select((column & 1) != 0, high, low))
    return x.join(halves)
