"""Asynchronous matrix multiplication by a warpgroup (9.7.15)."""

from __future__ import annotations

from openptx.isa.fidelity import EXACT, Fidelity, modelled
from openptx.isa.notation import instruction, meaning
from openptx.isa.notation.forms import Modifiers
from openptx.isa.semantics.elements import as_tuple
from openptx.isa.semantics.matrix import products, shared, sparse
from openptx.isa.semantics.matrix.fragments import fragment, registers, shape
from openptx.isa.types import TYPES, Type
from openptx.numerics.dot import FRACTION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from openptx.isa.machine import Machine
    from openptx.isa.semantics.matrix.products import Operand

LANES = 128


def count_d(m: Modifiers) -> int:
    rows, columns, _ = shape(m)
    return registers(rows * columns, m.dtype, LANES)


def count_a(m: Modifiers) -> int:
    """The registers of matrix a; half as many if a is sparse."""
    rows, _, depth = shape(m)
    return registers(rows * depth // (2 if m.sp else 1), m.atype, LANES)


def type_d(m: Modifiers) -> Type:
    return fragment(m.dtype)


def type_a(m: Modifiers) -> Type:
    """To the assembler, float registers of every size hold pairs of halves (ptxas 13.5, measured)."""
    return TYPES["f16x2" if m.atype.kind == "f" else "b32"]


def shapes(depth: int, columns: range | tuple[int, ...] = range(8, 257, 8)) -> str:
    return ", ".join(f".m64n{n}k{depth}" for n in columns)


# Integer forms take every eighth column count up to 32, then every sixteenth.
INTEGER = (8, 16, 24, *range(32, 257, 16))

_TYPES = {
    "d": type_d,
    "a": type_a,
    "a-desc": "b64",
    "b-desc": "b64",
    "scale-d": "pred",
    "sp-meta": "b32",
    "sp-sel": "u32",
    "imm-scale-a": "s32",
    "imm-scale-b": "s32",
    "imm-trans-a": "s32",
    "imm-trans-b": "s32",
}
_VECTORS = {"d": count_d, "a": count_a}
_RANGES = """
    scale-d       0 or 1
    imm-scale-a   -1 or 1
    imm-scale-b   -1 or 1
    imm-trans-a   0 or 1
    imm-trans-b   0 or 1
"""
_SCALES = "scale-d, imm-scale-a, imm-scale-b"

_UNALIGNED = """
    aligned=none   `.aligned` is required
"""


def _block(name: str, metadata: str, factor: int, since: str) -> str:
    """The forms of dense and sparse multiplication differ in depth and in the metadata before the scales."""
    halves, scales = f"{metadata}{_SCALES}", f"{metadata}scale-d"
    return f"""
        // {since}, sm_90a
        {name}.sync{{.aligned}}.shape.dtype.f16.f16     d, a-desc, b-desc, {halves}, imm-trans-a, imm-trans-b;
        {name}.sync{{.aligned}}.shape.dtype.f16.f16     d, a, b-desc, {halves}, imm-trans-b;
        .shape = {{ {shapes(16 * factor)} }};
        {name}.sync{{.aligned}}.shape.f32.bf16.bf16     d, a-desc, b-desc, {halves}, imm-trans-a, imm-trans-b;
        {name}.sync{{.aligned}}.shape.f32.bf16.bf16     d, a, b-desc, {halves}, imm-trans-b;
        .shape = {{ {shapes(16 * factor)} }};
        {name}.sync{{.aligned}}.shape.f32.tf32.tf32     d, a-desc, b-desc, {halves};
        {name}.sync{{.aligned}}.shape.f32.tf32.tf32     d, a, b-desc, {halves};
        .shape = {{ {shapes(8 * factor)} }};
        {name}.sync{{.aligned}}.shape.dtype.atype.btype  d, a-desc, b-desc, {halves};
        {name}.sync{{.aligned}}.shape.dtype.atype.btype  d, a, b-desc, {halves};
        .shape = {{ {shapes(32 * factor)} }};
        .atype = .btype = {{ .e4m3, .e5m2 }};
        {name}.sync{{.aligned}}.shape{{.satfinite}}.s32.atype.btype  d, a-desc, b-desc, {scales};
        {name}.sync{{.aligned}}.shape{{.satfinite}}.s32.atype.btype  d, a, b-desc, {scales};
        .shape = {{ {shapes(32 * factor, INTEGER)} }};
        .atype = .btype = {{ .s8, .u8 }};

        .dtype = {{ .f16, .f32 }};
    """


def steps(m: Modifiers) -> int:
    """Words of b are loaded from places that its descriptor tells, up to four for each column by a lane."""
    return 3 * shape(m)[1]


mma_async = instruction(
    "wgmma.mma_async",
    anchor="asynchronous-warpgroup-level-matrix-instructions-wgmma-mma-async",
    summary="d = a * b + d, asynchronously; a is in registers or shared memory, b in shared memory.",
    syntax=f"""
        wgmma.mma_async.sync{{.aligned}}.shape.s32.b1.b1.op.popc  d, a-desc, b-desc, scale-d;   // PTX 8.0, sm_90a
        wgmma.mma_async.sync{{.aligned}}.shape.s32.b1.b1.op.popc  d, a, b-desc, scale-d;        // PTX 8.0, sm_90a
        .shape = {{ {shapes(256, INTEGER)} }};
        .op    = {{ .and }};
    """
    + _block("wgmma.mma_async", "", 1, "PTX 8.0"),
    types=_TYPES,
    vectors=_VECTORS,
    ranges=_RANGES,
    updates="d",
    steps=steps,
    manual_rejects=_UNALIGNED,
    gates="""
        .u8 .s8   PTX 8.4
    """,
    operands="""
        a         registers
        d         registers, strictly
        scale-d   negated
    """,
)

BYTES = ("e4m3", "e5m2")
BYTE_FRACTION = 13  # Hopper truncates sums of bytes earlier, and its results to as many bits


def fidelity_of_async(m: Modifiers) -> Fidelity:
    t = m.values.get("atype")
    if isinstance(t, Type) and t.format is None:
        return EXACT
    if isinstance(t, Type) and t.name in BYTES:
        return modelled("MMA-Sim, Hopper: terms cut 13 bits below the largest exponent, exact sum cut to 13 bits")
    return products.TENSOR_CORE


mma_async_sp = instruction(
    "wgmma.mma_async",
    anchor="asynchronous-warpgroup-level-matrix-instructions-wgmma-mma-async-sp",
    summary="d = a * b + d, asynchronously, with a sparse a: sp-meta contains the positions of its elements.",
    syntax=_block("wgmma.mma_async.sp", "sp-meta, sp-sel, ", 2, "PTX 8.2"),
    types=_TYPES,
    vectors=_VECTORS,
    ranges=_RANGES
    + """
    .s8 sp-sel     0
    .u8 sp-sel     0
    .e4m3 sp-sel   0
    .e5m2 sp-sel   0
    sp-sel         0 or 1
    """,
    immediates="sp-sel",
    updates="d",
    steps=steps,
    manual_rejects=_UNALIGNED,
    gates="""
        .u8 .s8   PTX 8.4
    """,
    operands="""
        a         registers
        d         registers, strictly
        scale-d   negated
        sp-meta   no constant, as .b32, a list of one, one of several
    """,
)


@meaning(mma_async, mma_async_sp, fidelity=fidelity_of_async)
def _(x: Machine, m: Modifiers, *operands: Any) -> Operand:
    """Completes immediately. Each warp has sixteen rows of a and d; for each eight columns, its fragments are those of
    `mma`."""
    products.whole_warp(x, m.form.instruction.name)
    of = dict(zip((t.name for t in m.form.operands), operands, strict=True))
    m = m.with_(ctype=m.dtype)
    _, columns, _ = shape(m)
    order = products.places(16, columns)
    if "a" in of:
        a = as_tuple(of["a"])
    else:
        own = (x.special("warpid", 32) & 3) << 1
        a = shared.Descriptor(x, of["a-desc"], of.get("imm-trans-a", 0) == 1).fragment([own, own + 1])
    if (of.get("imm-scale-a", 1) ^ of.get("imm-scale-b", 1)) >> 31 & 1:  # one of them is -1
        a = tuple(shared.negated(r, m.atype) for r in a)
    deep = shared.DEPTH * (2 if m.sp else 1)
    matrix = shared.Descriptor(x, of["b-desc"], of.get("imm-trans-b", 0) == 1, deep)
    b = tuple(r for i in range(columns // 8) for r in matrix.fragment([x.const(i, 32)]))
    addends = products.arranged(x, as_tuple(of["d"]), m.dtype.width, order)
    addends = tuple(tuple(x.pick(of["scale-d"], c, 0) for c in line) for line in addends)
    fraction = BYTE_FRACTION if m.atype.name in BYTES else FRACTION
    if m.sp:
        q = products.Quads(x)
        rows, lines = products.rows_of(q, a, 16), products.columns_of(q, b, columns)
        meta, selector = of["sp-meta"], of["sp-sel"]
        d = sparse.multiply_sparse(x, m, q, rows, lines, addends, meta, selector, fraction)
    else:
        d = products.multiply_fragments(x, m, a, b, addends, 16, columns, fraction)
    if m.atype.name in BYTES and m.dtype.name == "f32":
        d = tuple(tuple(v & (1 << 32) - (1 << 10) for v in line) for line in d)
    return products.fragment_of(x, d, order)


fence = instruction(
    "wgmma.fence",
    anchor="asynchronous-warpgroup-level-matrix-instructions-wgmma-fence",
    summary="Orders accesses to registers and shared memory before a `wgmma.mma_async`.",
    syntax="""
        wgmma.fence.sync{.aligned};   // PTX 8.0, sm_90a
    """,
    manual_rejects=_UNALIGNED,
)

commit_group = instruction(
    "wgmma.commit_group",
    anchor="asynchronous-warpgroup-level-matrix-instructions-wgmma-commit-group",
    summary="Commits the multiplications that are not in a group yet as a new group.",
    syntax="""
        wgmma.commit_group.sync{.aligned};   // PTX 8.0, sm_90a
    """,
    manual_rejects=_UNALIGNED,
)

wait_group = instruction(
    "wgmma.wait_group",
    anchor="asynchronous-warpgroup-level-matrix-instructions-wgmma-wait-group",
    summary="Waits until at most the N newest groups of multiplications are pending.",
    syntax="""
        wgmma.wait_group.sync{.aligned}   N;   // PTX 8.0, sm_90a
    """,
    manual_rejects=_UNALIGNED,
    types={"N": "u32"},
    immediates="N",
    ranges="N   at least 0",
)


@meaning(fence, commit_group, wait_group)
def _(x: Machine, m: Modifiers, n: int | None = None) -> None:
    """Multiplications complete when they are issued, so there is nothing to wait for."""
