"""Copies and atomics between the memories of several GPUs (PTX ISA 9.4, 9.7.11), as CUDA's assembler accepts them.

They name memory by logical endpoints, which a host creates for several devices. OpenPTX has one device and no
endpoints, so a kernel that executes such an instruction ends in `Unsupported`.
"""

from __future__ import annotations

from functools import partial

from openptx.isa.instructions.tensor_copy import coordinates
from openptx.isa.notation import instruction, meaning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.isa.notation.forms import Modifiers

_ANCHOR = "parallel-synchronization-and-communication-instructions"
_TYPES = {
    "leId": "u32",
    "dataOff": "u64",
    "counterOff": "u64",
    "size": "u32",
    "byteMask": "b16",
    "membermask": "u32",
    "tensorCoords": "s32",
    "N": "u32",
}
_CHOICES = """
        .shared = { .shared::cta };
        .report = { .mbarrier::report::fabric };
        .counted = { .counted::bytes };
        .level::cache_hint = { .L2::cache_hint };
        .sem = { .relaxed };
        .scope = { .sys };
"""
_SHARED = "srcMem dstMem mbar   in .shared"
_REJECTS = """
        .relaxed scope=none   `.relaxed` has a scope: `.relaxed.sys`
"""

fabric = partial(instruction, types=_TYPES, operands=_SHARED, anchor=_ANCHOR, rejects=_REJECTS)

fabric_try_put = fabric(
    "fabric.try_put.async",
    summary="Copies size bytes of shared memory to the memory of another GPU, asynchronously.",
    syntax="""
        fabric.try_put.async{.multimem}.shared.completion_mechanism.report{.level::cache_hint}{.sem}{.scope}.b128
                [leId, dataOff], [srcMem], size, [mbar]{, cache-policy};              // PTX 9.3, sm_100 (ptxas)
        fabric.try_put.async{.multimem}.shared.completion_mechanism.report{.level::cache_hint}.cp_mask{.sem}{.scope}.b128
                [leId, dataOff], [srcMem], size, [mbar], byteMask{, cache-policy};    // PTX 9.3, sm_100 (ptxas)
        fabric.try_put.async{.multimem}.shared.completion_mechanism.report.counted{.level::cache_hint}{.sem}{.scope}.b128
                [leId, dataOff, counterOff], [srcMem], size, [mbar]{, cache-policy};  // PTX 9.3, sm_100 (ptxas)
        .completion_mechanism = { .mbarrier::complete_tx::16B };
    """
    + _CHOICES,
)

fabric_try_get = fabric(
    "fabric.try_get.async",
    summary="Copies size bytes of another GPU's memory to shared memory, asynchronously.",
    syntax="""
        fabric.try_get.async.shared.completion_mechanism.report{.level::cache_hint}{.sem}{.scope}.b128
                [dstMem], [leId, dataOff], size, [mbar]{, cache-policy};   // PTX 9.3, sm_100 (ptxas)
        .completion_mechanism = { .mbarrier::complete_tx::bytes };
    """
    + _CHOICES,
)

_REDUCTIONS = (
    ("{ .add }", "{ .u32, .u64, .f16, .bf16, .f32, .f64 }"),
    ("{ .and, .or, .xor }", "{ .b32, .b64 }"),
    ("{ .min, .max }", "{ .u32, .s32, .u64, .s64, .f16, .bf16 }"),
)

fabric_try_red = fabric(
    "fabric.try_red.async",
    summary="Reduces size bytes of shared memory into the memory of another GPU, asynchronously.",
    syntax="".join(
        f"""
        fabric.try_red.async{{.multimem}}.shared.completion_mechanism.report{{.level::cache_hint}}{{.sem}}{{.scope}}.op.type
                [leId, dataOff], [srcMem], size, [mbar]{{, cache-policy}};              // PTX 9.3, sm_100 (ptxas)
        .op   = {operations};
        .type = {types};
        fabric.try_red.async{{.multimem}}.shared.completion_mechanism.report.counted{{.level::cache_hint}}{{.sem}}{{.scope}}.op.type
                [leId, dataOff, counterOff], [srcMem], size, [mbar]{{, cache-policy}};  // PTX 9.3, sm_100 (ptxas)
        .op   = {operations};
        .type = {types};
        """
        for operations, types in _REDUCTIONS
    )
    + ".completion_mechanism = { .mbarrier::complete_tx::16B };"
    + _CHOICES,
)

_ATOMICS = (
    ("{ .add }", "{ .u32, .u64, .f16x2, .bf16x2, .f32, .f64 }"),
    ("{ .and, .or, .xor }", "{ .b32, .b64 }"),
    ("{ .min, .max }", "{ .u32, .s32, .u64, .s64, .f16x2, .bf16x2 }"),
    ("{ .exch, .cas }", "{ .b32, .b64, .b128 }"),
)

fabric_try_atom = fabric(
    "fabric.try_atom.async",
    summary="An atomic operation on the memory of another GPU, asynchronous: its result goes to shared memory.",
    syntax="".join(
        f"""
        fabric.try_atom.async.shared.completion_mechanism.report{{.level::cache_hint}}.sem.scope.op.type
                [leId, dataOff], [dstMem], [srcMem], [mbar]{{, cache-policy}};   // PTX 9.4, sm_100 (ptxas)
        .op   = {operations};
        .type = {types};
        """
        for operations, types in _ATOMICS
    )
    + ".completion_mechanism = { .mbarrier::complete_tx::16B };"
    + _CHOICES,
)

fabric_try_pullred = fabric(
    "fabric.try_pullred.async",
    summary="Reduces the values of several GPUs at a multicast address into shared memory, asynchronously.",
    syntax="".join(
        f"""
        fabric.try_pullred.async.multimem.shared.completion_mechanism.report{{.sem}}{{.scope}}.op{{.acc}}.type.sync
                [dstMem], [leId, dataOff], size, [mbar], membermask;   // PTX 9.3, sm_100 (ptxas)
        .op   = {operations};
        .type = {types};
        """
        for operations, types in (("{ .add }", "{ .u32, .u64, .f16, .bf16, .f32 }"), *_REDUCTIONS[1:])
    )
    + """
        .acc = { .acc::f32 };
        .completion_mechanism = { .mbarrier::complete_tx::bytes };
    """
    + _CHOICES,
    immediates="membermask",
    ranges="membermask   -1 or 4294967295",
    gates=".acc::f32   PTX 9.3, sm_100f sm_110f sm_120f",
    rejects=_REJECTS
    + """
        .acc::f32 .u32|.u64|.f32|.s32|.s64|.b32|.b64|.min|.max   only sums of halves are accumulated in f32
    """,
)

_TENSOR_VECTORS = {"tensorCoords": coordinates}
_SINCE = "// PTX 9.4, sm_107f (ptxas)"
_TENSOR_CHOICES = (
    """
        .mode = { .tile };
        .address = { .override::global_address };
        .dim = { .1d, .2d, .3d, .4d, .5d };
"""
    + _CHOICES
)

fabric_try_get_tensor = fabric(
    "fabric.try_get.async.tensor",
    summary="Copies a box of a tensor in another GPU's memory to shared memory, asynchronously.",
    syntax="""
        fabric.try_get.async.tensor.dim.shared{.mode}.done.report{.level::cache_hint}.address{.sem}{.scope}.b128
              [dstMem], [tensorMap, leId, dataOff, tensorCoords], [mbar]{, cache-policy};   // PTX 9.4, sm_107f (ptxas)
    """
    + ".done = { .mbarrier::complete_tx::bytes };"
    + _TENSOR_CHOICES,
    vectors=_TENSOR_VECTORS,
)

fabric_try_put_tensor = fabric(
    "fabric.try_put.async.tensor",
    summary="Copies a box of shared memory to a tensor in another GPU's memory, asynchronously.",
    syntax="".join(
        f"""
        fabric.try_put.async.tensor{{.multimem}}.dim.shared{{.mode}}.done.report{counted}{{.level::cache_hint}}.address{{.sem}}{{.scope}}.b128
                [tensorMap, leId, dataOff, {counter}tensorCoords], [srcMem], size, [mbar]{{, cache-policy}};   {_SINCE}
        """
        for counted, counter in (("", ""), (".counted", "counterOff, "))
    )
    + ".done = { .mbarrier::complete_tx::16B };"
    + _TENSOR_CHOICES,
    vectors=_TENSOR_VECTORS,
)

fabric_try_red_tensor = fabric(
    "fabric.try_red.async.tensor",
    summary="Reduces a box of shared memory into a tensor in another GPU's memory, asynchronously.",
    syntax="".join(
        f"""
        fabric.try_red.async.tensor{{.multimem}}.dim.shared{{.mode}}.done.report{counted}{{.level::cache_hint}}.address{{.sem}}{{.scope}}.op
                [tensorMap, leId, dataOff, {counter}tensorCoords], [srcMem], size, [mbar]{{, cache-policy}};   {_SINCE}
        """
        for counted, counter in (("", ""), (".counted", "counterOff, "))
    )
    + ".done = { .mbarrier::complete_tx::16B };\n.op = { .add, .min, .max, .and, .or, .xor };"
    + _TENSOR_CHOICES,
    vectors=_TENSOR_VECTORS,
)

fabric_submit = instruction(
    "fabric.submit",
    anchor=_ANCHOR,
    summary="Submits the thread's requests to the fabric.",
    syntax="""
        fabric.submit{.op_restrict};   // PTX 9.3, sm_100 (ptxas)
        .op_restrict = { .op_restrict::fetching };
        fabric.submit.commit_group;    // PTX 9.5, sm_100 (ptxas)
    """,
    ordered_prefix="commit_group",
)

fabric_wait = instruction(
    "fabric.wait",
    anchor=_ANCHOR,
    summary="Waits until the fabric has read the source data of its requests.",
    syntax="""
        fabric.wait.sync_restrict;         // PTX 9.3, sm_100 (ptxas)
        .sync_restrict = { .sync_restrict::reads };
        fabric.wait.sync_restrict    N;    // PTX 9.3, sm_100 (ptxas)
        .sync_restrict = { .sync_restrict::reads };
        fabric.wait.sync_restrict    N;    // PTX 9.5, sm_100 (ptxas)
        .sync_restrict = { .sync_restrict::read };
    """,
    types=_TYPES,
    immediates="N",
)


@meaning(fabric_submit, fabric_wait)
def _(x: Machine, m: Modifiers, n: int | None = None) -> None:
    """No operation is ever pending, because fabric operations are not executed."""
