"""Matrix multiplication by a warp, with opaque fragments (9.7.14.4)."""

from __future__ import annotations

from functools import partial

from openptx.isa.fidelity import Fidelity, modelled
from openptx.isa.notation import instruction, meaning
from openptx.isa.notation.forms import Modifiers
from openptx.isa.semantics.elements import as_tuple, one_or_tuple
from openptx.isa.semantics.matrix import products
from openptx.isa.semantics.matrix.fragments import fragment, registers, shape
from openptx.isa.semantics.matrix.generations import of
from openptx.isa.types import TYPES, Type
from openptx.numerics.formats import F16, F32, Format

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.isa.semantics.matrix.products import Operand
    from openptx.numerics import Bits


def count(matrix: str, type: Type, m: Modifiers) -> int:
    """The number of registers of a fragment of matrix a, b, c or d. Fragments of f16 factors hold every element twice:
    always 8."""
    rows, columns, depth = shape(m)
    if matrix in "ab" and type.name == "f16":
        return 8
    return registers({"a": rows * depth, "b": depth * columns}.get(matrix, rows * columns), type)


def _fragment_size(m: Modifiers) -> int:
    return count(m.matrix or "a", m.type, m)


def _moved(m: Modifiers) -> range:
    """The assembler moves registers of 64 bits one by one."""
    size = _fragment_size(m)
    return range(0, size, 1 if m.type.width == 64 else size)


def _load_type(m: Modifiers) -> Type:
    """The register types of a fragment: only integers for eight-bit elements (ptxas 13.5, measured)."""
    return TYPES["s32"] if m.type.name in ("s8", "u8") else fragment(m.type)


_ANCHOR = "warp-level-matrix-instructions-wmma-"
_LOAD_CHOICES = """
        .layout = { .row, .col };
        .space  = { .global, .shared{::cta} };
"""
_GATES = """
        aligned=none          PTX 6.0 to 6.2
        .aligned              PTX 6.3
        .m8n32k16|.m32n8k16   PTX 6.1
        .shared::cta          PTX 7.8
        .s8|.u8               PTX 6.3, sm_72
        .s32                  PTX 6.3, sm_72
"""

_LOAD = """
        wmma.load.{0}.sync{{.aligned}}.layout.shape{{.space}}.type   r, [p]{{, stride}};   // PTX 6.0, sm_70
        .shape  = {{ .m16n16k16, .m8n32k16, .m32n8k16 }};
        .type   = {{ {1} }};
        wmma.load.{0}.sync{{.aligned}}.layout.shape{{.space}}.type   r, [p]{{, stride}};   // PTX 7.0, sm_80
        .shape  = {{ .m16n16k8 }};
        .type   = {{ {2} }};
        wmma.load.{0}.sync{{.aligned}}.layout.shape{{.space}}.type   r, [p]{{, stride}};   // PTX 7.0, sm_80
        .shape  = {{ .m8n8k4 }};
        .type   = {{ .f64 }};
        wmma.load.{0}.sync{{.aligned}}.layout.shape{{.space}}.type   r, [p]{{, stride}};   // PTX 6.3, sm_75
        .layout = {{ {3} }};
        .shape  = {{ .m8n8k32 }};
        .type   = {{ {4} }};
        wmma.load.{0}.sync{{.aligned}}.layout.shape{{.space}}.type   r, [p]{{, stride}};   // PTX 6.3, sm_75
        .layout = {{ {3} }};
        .shape  = {{ .m8n8k128 }};
        .type   = {{ {5} }};

"""
_LOAD_BF16 = """
        wmma.load.{0}.sync{{.aligned}}.layout.shape{{.space}}.type   r, [p]{{, stride}};   // PTX 7.0, sm_80
        .shape  = {{ .m16n16k16, .m8n32k16, .m32n8k16 }};
        .type   = {{ .bf16 }};

"""
_FACTOR_TYPES = (".f16, .s8, .u8", ".tf32")
_LOAD_TYPES = {"r": _load_type, "stride": "u32"}
_LOAD_VECTORS = {"r": _fragment_size}
_LOAD_PIECES = {"r": _moved}

_load = partial(
    instruction,
    anchor=_ANCHOR + "ld",
    types=_LOAD_TYPES,
    vectors=_LOAD_VECTORS,
    pieces=_LOAD_PIECES,
    gates=_GATES,
)

load_a = _load(
    "wmma.load.a",
    summary="r = the fragment of matrix a at p, whose rows or columns are stride elements apart.",
    syntax=_LOAD.format("a", *_FACTOR_TYPES, ".row", ".s4, .u4", ".b1") + _LOAD_BF16.format("a") + _LOAD_CHOICES,
    defaults={"space": "generic", "matrix": "a"},
    operands="""
        r   no pairs, plain elements
        p   32 bits
    """,
)

load_b = _load(
    "wmma.load.b",
    summary="r = the fragment of matrix b at p, whose rows or columns are stride elements apart.",
    syntax=_LOAD.format("b", *_FACTOR_TYPES, ".col", ".s4, .u4", ".b1") + _LOAD_BF16.format("b") + _LOAD_CHOICES,
    defaults={"space": "generic", "matrix": "b"},
    operands="""
        r   no pairs, plain elements
        p   32 bits
    """,
)

load_c = _load(
    "wmma.load.c",
    by_generation=True,
    summary="r = the fragment of matrix c at p, whose rows or columns are stride elements apart.",
    syntax=_LOAD.format("c", ".f16, .f32, .s32", ".f32", ".row, .col", ".s32", ".s32") + _LOAD_CHOICES,
    defaults={"space": "generic", "matrix": "c"},
    operands="""
        r   strictly, plain elements
        p   32 bits
    """,
)


@meaning(load_a, load_b)
def _(x: Machine, m: Modifiers, p: Bits, stride: Bits | None = None) -> Operand:
    products.whole_warp(x, "wmma.load")
    found = [factor_register(x, m, p, line, along, stride) for line, along in factor_places(x, m)]
    found *= _fragment_size(m) // len(found)  # fragments of f16 factors hold every element twice
    return one_or_tuple(found)


@meaning(load_c)
def _(x: Machine, m: Modifiers, p: Bits, stride: Bits | None = None) -> Operand:
    products.whole_warp(x, "wmma.load")
    w = m.type.width
    found = [x.load(m.space, at, w)[0] for at in result_places(x, m, p, stride)]
    if w == 16:
        found = [x.join(found[i : i + 2]) for i in range(0, len(found), 2)]
    return tuple(found)


def factor_places(x: Machine, m: Modifiers) -> list[tuple[Bits, Bits]]:
    """For each register: its line (row of a, column of b), and the position of its first element along the depth."""
    rows, columns, depth = shape(m)
    lines = rows if m.matrix == "a" else columns
    halves = 2 if (m.matrix == "a") != products.exchanged(m) and lines >= 16 else 1
    per = max(32 // m.type.width, 1)
    lane = x.lane()
    g, t = lane >> 2, (lane & 3) * per
    return [
        (g + 8 * (halves * i + h), t + 4 * per * k)
        for i in range(lines // (8 * halves))
        for k in range(depth // (4 * per))
        for h in range(halves)
    ]


def factor_register(x: Machine, m: Modifiers, p: Bits, line: Bits, along: Bits, stride: Bits | None) -> Bits:
    """The elements from `along` on, as a register: one load if they are contiguous in memory."""
    rows, columns, depth = shape(m)
    w = m.type.width
    contiguous = (m.layout == "row") == (m.matrix == "a")
    step = x.const(depth if contiguous else rows if m.matrix == "a" else columns, 32) if stride is None else stride
    if contiguous:
        return x.load(m.space, element(x, p, line * step + along, w), max(w, 32))[0]
    places = [element(x, p, (along + i) * step + line, w) for i in range(max(32 // w, 1))]
    return x.join([x.load(m.space, at, w)[0] for at in places])


def result_places(x: Machine, m: Modifiers, p: Bits, stride: Bits | None) -> list[Bits]:
    """The addresses of the lane's elements of c or d."""
    rows, columns, _ = shape(m)
    step = x.const(columns if m.layout == "row" else rows, 32) if stride is None else stride
    swap = products.exchanged(m)
    lane = x.lane()
    g, t = lane >> 2, (lane & 3) << 1
    found: list[Bits] = []
    for i, j in products.places(columns, rows) if swap else products.places(rows, columns):
        row, column = g + 8 * i, t + (8 * (j // 2) + j % 2)
        across, along = (row, column) if (m.layout == "row") != swap else (column, row)
        found.append(element(x, p, across * step + along, m.type.width))
    return found


def element(x: Machine, p: Bits, i: Bits, w: int) -> Bits:
    return p + (x.resize(i, 64) * w >> 3)


store_d = instruction(
    "wmma.store.d",
    by_generation=True,
    anchor=_ANCHOR + "st",
    summary="Stores the fragment of matrix d at p, whose rows or columns are stride elements apart.",
    syntax="""
        wmma.store.d.sync{.aligned}.layout.shape{.space}.type   [p], r{, stride};   // PTX 6.0, sm_70
        .shape  = { .m16n16k16, .m8n32k16, .m32n8k16 };
        .type   = { .f16, .f32, .s32 };
        wmma.store.d.sync{.aligned}.layout.shape{.space}.type   [p], r{, stride};   // PTX 6.3, sm_75
        .shape  = { .m8n8k32, .m8n8k128 };
        .type   = { .s32 };
        wmma.store.d.sync{.aligned}.layout.shape{.space}.type   [p], r{, stride};   // PTX 7.0, sm_80
        .shape  = { .m16n16k8 };
        .type   = { .f32 };
        wmma.store.d.sync{.aligned}.layout.shape{.space}.type   [p], r{, stride};   // PTX 7.0, sm_80
        .shape  = { .m8n8k4 };
        .type   = { .f64 };

"""
    + _LOAD_CHOICES,
    types=_LOAD_TYPES,
    vectors=_LOAD_VECTORS,
    pieces=_LOAD_PIECES,
    defaults={"space": "generic", "matrix": "d"},
    gates=_GATES,
    operands="""
        r   registers, strictly, plain elements
        p   32 bits
    """,
)


@meaning(store_d)
def _(x: Machine, m: Modifiers, p: Bits, r: Operand, stride: Bits | None = None) -> None:
    products.whole_warp(x, "wmma.store")
    w = m.type.width
    values = [v for register in as_tuple(r) for v in (x.split(register, w) if w == 16 else [register])]
    for at, value in zip(result_places(x, m, p, stride), values, strict=True):
        x.store(m.space, at, (value,))


def _pieces(matrix: str, type: Type, m: Modifiers) -> range:
    """What each of the smaller `mma` that the assembler makes takes of a fragment: 16 rows, 8 columns and a depth of 16
    (8 on Turing, 4 for tf32), and for bytes on Turing 8 rows. Sums of another type are converted first (measured)."""
    rows, columns, depth = shape(m)
    whole = registers({"a": rows * depth, "b": depth * columns}.get(matrix, rows * columns), type)
    turing, byte = of(m) == "Turing", m.atype.width == 8
    converted = type.name == "f16" and matrix in "cd" and m.dtype is not m.ctype
    if m.atype.width < 8 or m.atype.name == "f64" or (byte and matrix in "ab" and not turing) or converted:
        return range(0, whole, whole)
    rows = 8 if byte and turing else 16
    depth = 4 if m.atype.name == "tf32" else 8 if turing and not byte else 16
    tall = matrix == ("b" if products.exchanged(m) else "a")
    return range(0, whole, registers((rows if tall else 8) * depth if matrix in "ab" else rows * 8, type))


def _factor(m: Modifiers) -> Type:
    """The operand types of a and b: a list of `.s4` or `.u4`, like one of integers, may consist of constants only
    (ptxas 13.5, measured)."""
    return TYPES["s32"] if m.atype.name in ("s4", "u4") else fragment(m.atype)


mma = instruction(
    "wmma.mma",
    by_generation=True,
    anchor=_ANCHOR + "mma",
    summary="d = a * b + c.",
    syntax="""
        wmma.mma.sync{.aligned}.alayout.blayout.shape.dtype.ctype                d, a, b, c;   // PTX 6.0, sm_70
        .dtype = .ctype = { .f16, .f32 };
        wmma.mma.sync{.aligned}.alayout.blayout.shape.dtype.ctype.satfinite   d, a, b, c;   // PTX 6.0 to 6.4, sm_70
        .dtype = .ctype = { .f16, .f32 };
        wmma.mma.sync{.aligned}.alayout.blayout.shape.s32.atype.btype.s32{.satfinite}   d, a, b, c;   // PTX 6.3, sm_72
        .atype = .btype = { .s8, .u8 };
        wmma.mma.sync{.aligned}.alayout.blayout.shape.f32.atype.btype.f32        d, a, b, c;   // PTX 7.0, sm_80
        .atype = .btype = { .bf16 };
        wmma.mma.sync{.aligned}.alayout.blayout.shape.f32.atype.btype.f32        d, a, b, c;   // PTX 7.0, sm_80
        .shape = { .m16n16k8 };
        .atype = .btype = { .tf32 };
        wmma.mma.sync{.aligned}.alayout.blayout.shape{.rnd}.f64.f64.f64.f64      d, a, b, c;   // PTX 7.0, sm_80
        .shape = { .m8n8k4 };
        .rnd   = { .rn, .rz, .rm, .rp };
        wmma.mma.sync{.aligned}.alayout.blayout.shape.s32.atype.btype.s32{.satfinite}   d, a, b, c;   // PTX 6.3, sm_75
        .alayout = { .row };
        .blayout = { .col };
        .shape = { .m8n8k32 };
        .atype = .btype = { .s4, .u4 };
        wmma.mma.op.popc.sync{.aligned}.alayout.blayout.shape.s32.atype.btype.s32   d, a, b, c;   // PTX 6.3, sm_75
        .alayout = { .row };
        .blayout = { .col };
        .shape = { .m8n8k128 };
        .atype = .btype = { .b1 };
        .op    = { .xor, .and };

        .alayout = .blayout = { .row, .col };
        .shape = { .m16n16k16, .m8n32k16, .m32n8k16 };
    """,
    types={
        "d": lambda m: fragment(m.dtype),
        "a": _factor,
        "b": _factor,
        "c": lambda m: fragment(m.ctype),
    },
    vectors={
        "d": lambda m: count("d", m.dtype, m),
        "a": lambda m: count("a", m.atype, m),
        "b": lambda m: count("b", m.btype, m),
        "c": lambda m: count("c", m.ctype, m),
    },
    pieces={
        "d": lambda m: _pieces("d", m.dtype, m),
        "a": lambda m: _pieces("a", m.atype, m),
        "b": lambda m: _pieces("b", m.btype, m),
        "c": lambda m: _pieces("c", m.ctype, m),
    },
    defaults={"atype": TYPES["f16"], "btype": TYPES["f16"]},
    rejects="""
        atype=.s8|.s4 btype=.u8|.u4   a and b must have the same type
        atype=.u8|.u4 btype=.s8|.s4   a and b must have the same type
    """,
    gates="""
        aligned=none          PTX 6.0 to 6.2
        .aligned              PTX 6.3
        .m8n32k16|.m32n8k16   PTX 6.1
        .and                  PTX 7.1, sm_80
    """,
    no_integers="""
        .m16n16k16 .s8|.u8   b
    """,
    operands="""
        a b   registers, strictly
        c d   registers, no pairs, as .b64
    """,
)


def saturates(m: Modifiers) -> bool:
    """Whether float results are made finite; the document no longer says what `.satfinite` did before PTX 6.5.

    CUDA's `mma_sync` has `satf`. On an H200 such old PTX keeps infinities and NaN; here it does so on all targets newer
    than the modifier.
    """
    return bool(m.satfinite) and m.dtype.name != "s32" and of(m) in ("Volta", "Turing")


def fidelity(m: Modifiers) -> Fidelity:
    return modelled("CUDA programming guide, mma_sync with satf") if saturates(m) else products.fidelity(m)


@meaning(mma, fidelity=fidelity)
def _(x: Machine, m: Modifiers, a: Operand, b: Operand, c: Operand) -> Operand:
    products.whole_warp(x, "wmma.mma")
    rows, columns, depth = shape(m)
    a = as_tuple(a)[: registers(rows * depth, m.atype)]  # fragments of f16 factors hold every element twice
    b = as_tuple(b)[: registers(depth * columns, m.btype)]
    d = products.product(x, m, a, b, as_tuple(c))
    if not saturates(m):
        return d
    f = F32 if m.dtype.name == "f32" else F16
    return tuple(x.join([finite(x, f, v) for v in x.split(word, f.width)]) for word in as_tuple(d))


def finite(x: Machine, f: Format, a: Bits) -> Bits:
    """Infinities become the largest numbers, NaN becomes zero."""
    return x.pick(x.isnan(f, a), 0, x.finite(f, a))
