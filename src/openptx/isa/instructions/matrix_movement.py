"""Loading, storing and transposing the fragments of matrices (9.7.14.5.15 to 9.7.14.5.17)."""

from __future__ import annotations

from openptx.isa.fidelity import EXACT, Fidelity, modelled
from openptx.isa.notation import instruction, meaning
from openptx.isa.notation.forms import Modifiers
from openptx.isa.semantics.elements import as_tuple, one_or_tuple
from openptx.isa.semantics.matrix.products import whole_warp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.isa.semantics.matrix.products import Operand
    from openptx.numerics import Bits


def register_count(m: Modifiers) -> int:
    """One register per matrix, two for matrices of sixteen rows and columns."""
    return int((m.num or "x1")[1:]) * (2 if m.shape == "m16n16" else 1)


_FAMILIES = "sm_100f sm_110f sm_120f"

ldmatrix = instruction(
    "ldmatrix",
    anchor="warp-level-matrix-instructions-ldmatrix",
    summary="r = fragments of up to four matrices; the lanes provide the addresses of the rows.",
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
    vectors={"r": register_count},
    defaults={"space": "generic"},
    gates="""
        .shared::cta   PTX 7.8
    """,
    operands="""
        r   as .b32
        p   32 bits if .generic
    """,
)


def fidelity_of_packed(m: Modifiers) -> Fidelity:
    """The text lacks the figure that shows where small elements lie in their bytes."""
    return (
        modelled("CUTLASS for sm_120: elements below a byte stand in its low bits, zeros above") if m.src_fmt else EXACT
    )


@meaning(ldmatrix, fidelity=fidelity_of_packed)
def _(x: Machine, m: Modifiers, p: Bits) -> Operand:
    whole_warp(x, "ldmatrix")
    require_aligned(x, m, p)
    part = {"m8n8": columns_of_8 if m.trans else rows_of_8, "m8n16": rows_of_16, "m16n16": columns_of_16}[m.shape or ""]
    return one_or_tuple([part(x, m, p, i) for i in range(register_count(m))])


def require_aligned(x: Machine, m: Modifiers, p: Bits) -> None:
    """Faults in lanes whose address of a row of 16 bytes is no multiple of that: lane 8i + j has that of row j of
    matrix i (16i + j if there are sixteen rows). So a place in a row is the row's address `or` the distance."""
    aligned, used = (p & 15) == 0, 8 * register_count(m)
    if used < 32:
        aligned = aligned | ((x.lane() & 32 - used) != 0)
    x.require(aligned, "misaligned-access", "a row of a matrix at an address that is not a multiple of 16")


def rows_of_8(x: Machine, m: Modifiers, p: Bits, i: int) -> Bits:
    """Lane 4g + t gets elements 2t and 2t + 1 of row g."""
    lane = x.lane()
    return x.load(m.space, x.shuffle(p, (lane >> 2) + 8 * i) | x.resize((lane & 3) << 2, 64), 32)[0]


def columns_of_8(x: Machine, m: Modifiers, p: Bits, i: int) -> Bits:
    """Lane 4g + t gets elements 2t and 2t + 1 of column g."""
    lane = x.lane()
    rows = [x.shuffle(p, ((lane & 3) << 1) + (8 * i + j)) for j in (0, 1)]
    return x.join([x.load(m.space, row | x.resize(lane >> 2 << 1, 64), 16)[0] for row in rows])


def rows_of_16(x: Machine, m: Modifiers, p: Bits, i: int) -> Bits:
    """Lane 4g + t gets elements 4t to 4t + 3 of row g, one per byte."""
    lane = x.lane()
    row, first = x.shuffle(p, (lane >> 2) + 8 * i), (lane & 3) << 2
    return x.join([element_of_16(x, m, row, first + e) for e in range(4)])


def columns_of_16(x: Machine, m: Modifiers, p: Bits, i: int) -> Bits:
    """Lane 4g + t gets elements 4t to 4t + 3 of columns g and g + 8 of each matrix, one register for each column."""
    lane = x.lane()
    at = (lane >> 2) + 8 * (i % 2)
    rows = [x.shuffle(p, ((lane & 3) << 2) + (16 * (i // 2) + e)) for e in range(4)]
    return x.join([element_of_16(x, m, row, at) for row in rows])


def element_of_16(x: Machine, m: Modifiers, row: Bits, i: Bits) -> Bits:
    """Element i of a row of sixteen, packed from the start of the row, as a byte."""
    w = {None: 8, "b6x16_p32": 6, "b4x16_p64": 4}[m.src_fmt]
    if w == 8:
        return x.load(m.space, row | x.resize(i, 64), 8)[0]
    bit = i * w
    at = row + x.resize(bit >> 3, 64)
    both = x.concat(x.load(m.space, at + 1, 8)[0], x.load(m.space, at, 8)[0])  # a row has padding after its elements
    return x.resize(both >> (bit & 7), 8) & (1 << w) - 1


stmatrix = instruction(
    "stmatrix",
    anchor="warp-level-matrix-instructions-stmatrix",
    summary="Stores fragments of up to four matrices; the lanes provide the addresses of the rows.",
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
    vectors={"r": register_count},
    defaults={"space": "generic"},
    operands="""
        r   registers, as .b32
        p   32 bits if .generic
    """,
)


@meaning(stmatrix)
def _(x: Machine, m: Modifiers, p: Bits, r: Operand) -> None:
    whole_warp(x, "stmatrix")
    require_aligned(x, m, p)
    lane = x.lane()
    g, t = x.resize(lane >> 2, 64), (lane & 3) << 1
    for i, value in enumerate(as_tuple(r)):
        if not m.trans:
            x.store(m.space, x.shuffle(p, (lane >> 2) + 8 * i) | x.resize(t << 1, 64), (value,))
            continue
        rows = [x.shuffle(p, t + (8 * i + j)) for j in (0, 1)]
        if m.shape == "m8n8":
            for row, half in zip(rows, x.split(value, 16), strict=True):
                x.store(m.space, row | (g << 1), (half,))
        else:  # sixteen rows of the matrix in eight rows of memory: bytes laid out as the elements of an accumulator
            for e, byte in enumerate(x.split(value, 8)):
                x.store(m.space, rows[e % 2] | (g + 8 * (e // 2)), (byte,))


movmatrix = instruction(
    "movmatrix",
    anchor="warp-level-matrix-instructions-movmatrix",
    summary="d = the fragment of the transposed matrix, of whose original a is the fragment.",
    syntax="""
        movmatrix.sync.aligned.shape.trans.type   d, a;   // PTX 7.8, sm_75
        .shape = { .m8n8 };
        .type  = { .b16 };
    """,
    types={"d": "b32", "a": "b32"},
    operands="a d   registers, as .b32",
)


@meaning(movmatrix)
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    whole_warp(x, "movmatrix")
    lane = x.lane()
    column = lane >> 2
    halves: list[Bits] = []
    for j in (0, 1):
        row = ((lane & 3) << 1) + j
        low, high = x.split(x.shuffle(a, (row << 2) + (column >> 1)), 16)
        halves.append(x.select((column & 1) != 0, high, low))
    return x.join(halves)
