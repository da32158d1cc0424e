"""Matrix multiplication in tensor memory, asynchronous, started by one thread (9.7.16.10)."""

from __future__ import annotations

from functools import partial

from openptx.isa.fidelity import EXACT, Fidelity, modelled
from openptx.isa.notation import instruction, meaning
from openptx.isa.notation.forms import Modifiers
from openptx.isa.semantics.matrix import products, tensor_execution
from openptx.isa.semantics.matrix.scaled import SCALE_COUNT
from openptx.isa.semantics.matrix.tensor_operations import ENABLED, MODES, RANK, THREAD, TensorProduct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from openptx.isa.machine import Machine

_ANCHOR = "tcgen05-mma-instructions-"
MODE = 61  # first bit of the swizzling mode in a matrix descriptor

_SINCE = "// PTX 8.6, sm_100f sm_110f"
_TYPES = {
    "a-desc": "b64",
    "b-desc": "b64",
    "idesc": "b32",
    "enable-input-d": "pred",
    "scale-input-d": "u32",
    "disable-output-lane": "b32",
    "zero-column-mask-desc": "b64",
}
_CHOICES = """
        .cta_group = { .cta_group::1, .cta_group::2 };
        .collector_usage = { .collector::a::fill, .collector::a::use, .collector::a::lastuse, .collector::a::discard };
        .scale_vectorsize = { .scale_vec::1X, .scale_vec::2X, .scale_vec::4X, .block16, .block32 };
"""
_REJECTS = """
        .kind::mxf8f6f4 .scale_vec::2X|.scale_vec::4X|.block16   `.kind::mxf8f6f4` has one scale for 32 elements
        .kind::mxf4 .scale_vec::1X|.scale_vec::4X|.block16       `.kind::mxf4` has one scale for 32 elements
        .kind::mxf4nvf4 .scale_vec::1X                           `.kind::mxf4nvf4` has a scale for 16 or 32 elements
        .kind::mxf4nvf4 scale_vectorsize=none                    `.kind::mxf4nvf4` needs the size of a scaled block
        .ashift .collector::a::fill|.collector::a::use           a shifted a is used once
"""
_GATES = """
        .kind::i8                        sm_100a sm_110a
        .kind::mxf4nvf4                  PTX 8.7
        .scale_vec::1X|.scale_vec::2X|.scale_vec::4X   sm_100a sm_103a sm_107a sm_110a
        .block16|.block32                PTX 8.8
"""


_SPARSE_GATES = (
    _GATES
    + """
        .kind::mxf4|.kind::mxf4nvf4      sm_100a sm_103a sm_107a sm_110a
"""
)


def lanes(m: Modifiers) -> int:
    """A mask of the lanes of one or two CTAs."""
    return 8 if m.cta_group == "cta_group::2" else 4


def _block(name: str, meta: str) -> str:
    """The forms of dense and of sparse multiplication, which differ in the metadata operand `meta`."""
    forms: list[str] = []
    for a in ("a-desc", "[a-tmem]"):
        head = f"[d-tmem], {a}, b-desc, {meta}idesc"
        shift = "{.ashift}" if a == "[a-tmem]" else ""
        forms.append(
            f"""
        {name}.cta_group.kind{shift}{{.collector_usage}}
                {head}{{, disable-output-lane}}, enable-input-d;   {_SINCE}
        .kind = {{ .kind::f16, .kind::tf32, .kind::f8f6f4, .kind::i8 }};
        {name}.cta_group.kind{shift}{{.collector_usage}}
                {head}{{, disable-output-lane}}, enable-input-d, scale-input-d;   // PTX 8.6, sm_100f
        .kind = {{ .kind::f16, .kind::tf32 }};
        {name}.cta_group.kind.block_scale{{.scale_vectorsize}}{{.collector_usage}}
                {head}, [scale-A-tmem], [scale-B-tmem], enable-input-d;   {_SINCE}
        .kind = {{ .kind::mxf8f6f4, .kind::mxf4, .kind::mxf4nvf4 }};
"""
        )
    return "".join(forms) + _CHOICES


_OPERANDS = "enable-input-d   negated"

_product = partial(instruction, types=_TYPES, operands=_OPERANDS)

mma = _product(
    "tcgen05.mma",
    anchor=_ANCHOR + "mma",
    summary="d = a * b + d, asynchronously; d is in tensor memory, a in tensor or shared memory, b in shared memory.",
    syntax=_block("tcgen05.mma", ""),
    vectors={"disable-output-lane": lanes},
    rejects=_REJECTS,
    immediates="scale-input-d",
    ranges="scale-input-d   0 to 15",
    gates=_GATES,
)


mma_sp = _product(
    "tcgen05.mma",
    anchor=_ANCHOR + "mma-sp",
    summary="The same as `tcgen05.mma`, with a sparse a whose metadata is in tensor memory.",
    syntax=_block("tcgen05.mma.sp", "[sp-meta-tmem], "),
    vectors={"disable-output-lane": lanes},
    rejects=_REJECTS,
    immediates="scale-input-d",
    ranges="scale-input-d   0 to 15",
    gates=_SPARSE_GATES,
)


def _weight_stationary(name: str, meta: str) -> str:
    buffers = ", ".join(f".collector::b{i}::{use}" for i in range(4) for use in ("fill", "use", "lastuse", "discard"))
    return f"""
        {name}.cta_group::1.kind{{.collector_usage}}
                [d-tmem], a-desc, b-desc, {meta}idesc, enable-input-d{{, zero-column-mask-desc}};   {_SINCE}
        {name}.cta_group::1.kind{{.collector_usage}}
                [d-tmem], [a-tmem], b-desc, {meta}idesc, enable-input-d{{, zero-column-mask-desc}};   {_SINCE}
        .kind = {{ .kind::f16, .kind::tf32, .kind::f8f6f4, .kind::i8 }};
        .collector_usage = {{ {buffers} }};
    """


mma_ws = _product(
    "tcgen05.mma.ws",
    anchor=_ANCHOR + "mma-ws",
    summary="The same as `tcgen05.mma`, but b is kept in a collector buffer.",
    syntax=_weight_stationary("tcgen05.mma.ws", ""),
    gates=_GATES,
)


mma_ws_sp = _product(
    "tcgen05.mma.ws",
    anchor=_ANCHOR + "mma-ws-sp",
    summary="The same as `tcgen05.mma.ws`, with a sparse a whose metadata is in tensor memory.",
    syntax=_weight_stationary("tcgen05.mma.ws.sp", "[sp-meta-tmem], "),
    gates=_GATES,
)


METADATA = "metadata is laid out as in CUTLASS for sm_100"
SHIFTED = (
    "NVIDIA's documentation of CuTe: after the product, each row of a but a warp's last takes the next row's words"
)


def fidelity(m: Modifiers) -> Fidelity:
    """The document shows the layout of metadata only in figures, and calls the direction of a shift `down`."""
    sums = (
        EXACT if m.kind == "kind::i8" else products.BLOCKS if products.is_block_scaled_e2m1(m) else products.TENSOR_CORE
    )
    more = [SHIFTED] if m.ashift else []
    more += [METADATA] if m.form.instruction in (mma_sp, mma_ws_sp) else []
    return modelled("; ".join([*([sums.text] if sums.text else []), *more])) if more else sums


def scales(m: Modifiers) -> int:
    """The number of scales of a line."""
    if m.scale_vectorsize is None or m.scale_vectorsize == "block32":
        return 2 if products.is_block_scaled_e2m1(m) else 1
    return 4 if m.scale_vectorsize == "block16" else SCALE_COUNT[m.scale_vectorsize]


@meaning(mma, mma_sp, mma_ws, mma_ws_sp, fidelity=fidelity)
def _(x: Machine, m: Modifiers, *operands: Any) -> None:
    """Computes immediately, for every thread that executes it, the product that its descriptors describe."""
    of = dict(zip((t.name for t in m.form.operands), operands, strict=True))
    of = {name: value for name, value in of.items() if value is not None}
    code = x.resize(of["idesc"], 64)
    for i, name in enumerate(name for name in ("a-desc", "b-desc") if name in of):
        code = code | x.resize(of[name] >> MODE, 64) << MODES + 3 * i
    code = code | x.resize(of.pop("enable-input-d"), 64) << ENABLED
    code = code | x.resize((x.special("warpid", 32) << 5) + x.lane(), 64) << THREAD
    if m.cta_group == "cta_group::2":
        code = code | x.resize(x.special("cluster_ctarank", 32) & 1, 64) << RANK
    divisor = of.pop("scale-input-d", 0)
    masks = of.pop("disable-output-lane", ())
    zeros = of.pop("zero-column-mask-desc", x.const(0, 64))
    declared = m.form.instruction
    product = TensorProduct(
        m.kind or "", [*of], len(masks), ctas=2 if m.cta_group == "cta_group::2" else 1,
        kept=declared in (mma_ws, mma_ws_sp), sparse=declared in (mma_sp, mma_ws_sp), scales=scales(m),
        divisor=divisor, shifts=bool(m.ashift),
    )  # fmt: skip
    x.tensor_product(product, partial(tensor_execution.multiply, x, product), zeros, code, *of.values(), *masks)
