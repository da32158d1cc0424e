"""Matrix multiplication by a warp, with opaque fragments (9.7.14.4)."""

from __future__ import annotations

from openptx.isa import matrices
from openptx.isa.forms import Modifiers
from openptx.isa.fragments import fragment, registers, shape
from openptx.isa.notation import instruction, meaning
from openptx.isa.types import TYPES, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.numerics import Bits


def count(matrix: str, type: Type, m: Modifiers) -> int:
    """The registers of a fragment of matrix a, b, c or d. Those of f16 factors hold every element twice: always 8."""
    rows, columns, depth = shape(m)
    if matrix in "ab" and type.name == "f16":
        return 8
    return registers({"a": rows * depth, "b": depth * columns}.get(matrix, rows * columns), type)


def _loaded(m: Modifiers) -> int:
    return count(m.matrix or "a", m.type, m)


def _load_type(m: Modifiers) -> Type:
    return fragment(m.type)


_ANCHOR = "warp-level-matrix-instructions-wmma-"
_LOAD_CHOICES = """
        .layout = { .row, .col };
        .space  = { .global, .shared{::cta} };
"""
_GATES = """
        aligned=none          PTX 6.0 to 6.2
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
        .shape  = {{ .m16n16k16, .m8n32k16, .m32n8k16 }};
        .type   = {{ {2} }};
        wmma.load.{0}.sync{{.aligned}}.layout.shape{{.space}}.type   r, [p]{{, stride}};   // PTX 7.0, sm_80
        .shape  = {{ .m16n16k8 }};
        .type   = {{ {3} }};
        wmma.load.{0}.sync{{.aligned}}.layout.shape{{.space}}.type   r, [p]{{, stride}};   // PTX 7.0, sm_80
        .shape  = {{ .m8n8k4 }};
        .type   = {{ .f64 }};
        wmma.load.{0}.sync{{.aligned}}.layout.shape{{.space}}.type   r, [p]{{, stride}};   // PTX 6.3, sm_75
        .layout = {{ {4} }};
        .shape  = {{ .m8n8k32 }};
        .type   = {{ {5} }};
        wmma.load.{0}.sync{{.aligned}}.layout.shape{{.space}}.type   r, [p]{{, stride}};   // PTX 6.3, sm_75
        .layout = {{ {4} }};
        .shape  = {{ .m8n8k128 }};
        .type   = {{ {6} }};

"""
_FACTOR_TYPES = (".f16, .s8, .u8", ".bf16", ".tf32")
_LOAD_TYPES = {"r": _load_type, "stride": "u32"}
_LOAD_VECTORS = {"r": _loaded}

load_a = instruction(
    "wmma.load.a",
    anchor=_ANCHOR + "ld",
    summary="r = matrix a, from memory at p, its rows or columns stride elements apart.",
    syntax=_LOAD.format("a", *_FACTOR_TYPES, ".row", ".s4, .u4", ".b1") + _LOAD_CHOICES,
    types=_LOAD_TYPES,
    vectors=_LOAD_VECTORS,
    defaults={"space": "generic", "matrix": "a"},
    gates=_GATES,
)

load_b = instruction(
    "wmma.load.b",
    anchor=_ANCHOR + "ld",
    summary="r = matrix b, from memory at p, its rows or columns stride elements apart.",
    syntax=_LOAD.format("b", *_FACTOR_TYPES, ".col", ".s4, .u4", ".b1") + _LOAD_CHOICES,
    types=_LOAD_TYPES,
    vectors=_LOAD_VECTORS,
    defaults={"space": "generic", "matrix": "b"},
    gates=_GATES,
)

load_c = instruction(
    "wmma.load.c",
    anchor=_ANCHOR + "ld",
    summary="r = matrix c, from memory at p, its rows or columns stride elements apart.",
    syntax=_LOAD.format("c", ".f16, .f32, .s32", ".f32", ".f32", ".row, .col", ".s32", ".s32") + _LOAD_CHOICES,
    types=_LOAD_TYPES,
    vectors=_LOAD_VECTORS,
    defaults={"space": "generic", "matrix": "c"},
    gates=_GATES,
)


def place(m: Modifiers, matrix: str) -> tuple[int, int, bool]:
    """Of a matrix: how many lines it has, how long they are, and whether a line is a row of the text's matrix.

    Fragments hold a and the results by rows, b by columns; lane after lane, as many elements each.
    """
    rows, columns, depth = shape(m)
    return {"a": (rows, depth, True), "b": (columns, depth, False)}.get(matrix, (rows, columns, True))


def addresses(x: Machine, m: Modifiers, p: Bits, stride: Bits | None, w: int) -> list[Bits]:
    """Where the lane's elements are, or the first ones of each byte or word of smaller ones."""
    lines, length, by_rows = place(m, m.matrix or "a")
    contiguous = (m.layout == "row") == by_rows
    step = x.const(length if contiguous else lines, 32) if stride is None else stride
    per = lines * length // 32
    first = x.lane() * per
    line, along = first >> (length.bit_length() - 1), first & (length - 1)
    found: list[Bits] = []
    for i in range(0, per, max(1, 32 // w) if w < 8 else 1):
        at = along + i
        element = line * step + at if contiguous else at * step + line
        found.append(p + (x.resize(element, 64) * w >> 3))
    return found


@meaning(load_a, load_b, load_c)
def _(x: Machine, m: Modifiers, p: Bits, stride: Bits | None = None) -> Bits | tuple[Bits, ...]:
    w = m.type.width
    found = [x.load(m.space, at, max(w, 32) if w < 8 else w)[0] for at in addresses(x, m, p, stride, w)]
    registers_of_r = found if w < 8 else matrices.pack(x, found, w)
    registers_of_r += registers_of_r * (_loaded(m) // len(registers_of_r) - 1)  # f16 factors are held twice
    return tuple(registers_of_r) if len(registers_of_r) > 1 else registers_of_r[0]


store_d = instruction(
    "wmma.store.d",
    anchor=_ANCHOR + "st",
    summary="Memory at p = matrix d, its rows or columns stride elements apart.",
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
    defaults={"space": "generic", "matrix": "d"},
    gates=_GATES,
)


@meaning(store_d)
def _(x: Machine, m: Modifiers, p: Bits, r: Bits | tuple[Bits, ...], stride: Bits | None = None) -> None:
    w = m.type.width
    values = [v for register in (r if isinstance(r, tuple) else (r,)) for v in matrices.unpack(x, register, w)]
    for at, value in zip(addresses(x, m, p, stride, w), values, strict=True):
        x.store(m.space, at, (value,))


def factor_of(m: Modifiers) -> Type:
    """The type of the factors: f16 where the text names none."""
    return m.atype if "atype" in m.values and m.values["atype"] is not None else TYPES["f16"]


def _factor(m: Modifiers) -> Type:
    return fragment(factor_of(m))


mma = instruction(
    "wmma.mma",
    anchor=_ANCHOR + "mma",
    summary="d = a * b + c.",
    syntax="""
        wmma.mma.sync{.aligned}.alayout.blayout.shape.dtype.ctype{.satfinite}   d, a, b, c;   // PTX 6.0 to 6.4, sm_70
        .dtype = .ctype = { .f16, .f32 };
        wmma.mma.sync{.aligned}.alayout.blayout.shape.dtype.ctype                d, a, b, c;   // PTX 6.0, sm_70
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
        "a": lambda m: count("a", factor_of(m), m),
        "b": lambda m: count("b", factor_of(m), m),
        "c": lambda m: count("c", m.ctype, m),
    },
    defaults={"atype": TYPES["f16"], "btype": TYPES["f16"]},
    refuses="""
        atype=.s8|.s4 btype=.u8|.u4   a and b must have the same type
        atype=.u8|.u4 btype=.s8|.s4   a and b must have the same type
    """,
    gates="""
        aligned=none          PTX 6.0 to 6.2
        .m8n32k16|.m32n8k16   PTX 6.1
        .and                  PTX 7.1, sm_80
    """,
)


@meaning(mma, fidelity=lambda m: matrices.fidelity(factor_of(m)))
def _(x: Machine, m: Modifiers, *operands: Bits | tuple[Bits, ...]) -> Bits | tuple[Bits, ...]:
    a, b, c = (q if isinstance(q, tuple) else (q,) for q in operands)
    t, u = factor_of(m), m.btype if "btype" in m.values and m.values["btype"] is not None else factor_of(m)
    rows, columns, depth = shape(m)
    addends = [v for register in c for v in matrices.unpack(x, register, m.ctype.width)]
    first = x.lane() * len(addends)
    vector = line_of(x, a, t, first >> (columns.bit_length() - 1), depth, rows * depth // 32)
    results: list[Bits] = []
    for i, addend in enumerate(addends):
        column = (first & (columns - 1)) + i
        terms = list(zip(vector, line_of(x, b, u, column, depth, columns * depth // 32), strict=True))
        if t.width == 1:
            count = x.const(0, 64)
            for p, q in terms:
                count = count + (p ^ q if m.op == "xor" else p & q)
            results.append(addend + x.resize(count, 32))
        else:
            total = matrices.accumulate(x, m.dtype, m.ctype, addend, terms, m.rnd or "rn")
            results.append(matrices.finish(x, m.dtype, total, m.satfinite))
    return tuple(matrices.pack(x, results, m.dtype.width))


def line_of(x: Machine, registers: tuple[Bits, ...], t: Type, line: Bits, depth: int, per_lane: int) -> list[Bits]:
    """The elements of a line: `per_lane` of them are in each of the lanes that hold it."""
    lanes = depth // per_lane
    per = max(1, 32 // t.width)
    found: list[Bits] = []
    for i in range(lanes):
        for register in registers[: per_lane // per]:
            found += matrices.unpack(x, x.shuffle(register, line * lanes + i), t.width)
    return [matrices.widened(x, t, v) for v in found]
