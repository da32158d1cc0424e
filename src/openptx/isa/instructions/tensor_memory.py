"""Moving data to and from tensor memory, and waiting for it (9.7.16.8, 9.7.16.9, 9.7.16.11, 9.7.16.12)."""

from __future__ import annotations

from functools import partial

from openptx.isa.fidelity import EXACT, Fidelity, modelled
from openptx.isa.notation import instruction, meaning
from openptx.isa.notation.forms import Modifiers
from openptx.isa.semantics import mbarrier
from openptx.isa.semantics.clusters import in_each_cta
from openptx.isa.semantics.elements import as_tuple, one_or_tuple
from openptx.isa.semantics.matrix import products, tensor_execution
from openptx.isa.semantics.matrix.tensor import ranks, shift_rows
from openptx.isa.semantics.matrix.tensor_operations import TensorCopy
from openptx.isa.semantics.tensor_memory import LANE
from openptx.numerics.formats import F32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from openptx.isa.machine import Machine
    from openptx.numerics import Bits

_ANCHOR = "tcgen05-instructions-tcgen05-"
_GROUP = """
        .cta_group = { .cta_group::1, .cta_group::2 };
"""
_REGISTERS = {"16x128b": 2, "16x256b": 4}


def register_count(m: Modifiers) -> int:
    """The registers of a load or store: those of the shape, times `.num`."""
    return _REGISTERS.get(m.shape or "", 1) * int((m.num or "x1")[1:])


ld = instruction(
    "tcgen05.ld",
    anchor=_ANCHOR + "ld",
    summary="r = the contents of tensor memory at taddr.",
    syntax="""
        tcgen05.ld.sync.aligned.shape.num{.pack}.b32   r, [taddr];   // PTX 8.6, sm_100f sm_110f
        .shape = { .16x64b, .32x32b };
        tcgen05.ld.sync.aligned.shape.num{.pack}.b32   r, [taddr];   // PTX 8.6, sm_100f sm_110f
        .shape = { .16x128b };
        .num   = { .x1, .x2, .x4, .x8, .x16, .x32, .x64 };
        tcgen05.ld.sync.aligned.shape.num{.pack}.b32   r, [taddr];   // PTX 8.6, sm_100f sm_110f
        .shape = { .16x256b };
        .num   = { .x1, .x2, .x4, .x8, .x16, .x32 };
        tcgen05.ld.sync.aligned.shape.num{.pack}.b32   r, [taddr], immHalfSplitoff;   // PTX 8.6, sm_100f sm_110f
        .shape = { .16x32bx2 };

        .num   = { .x1, .x2, .x4, .x8, .x16, .x32, .x64, .x128 };
        .pack  = { .pack::16b };
    """,
    types={"r": "b32", "immHalfSplitoff": "u32"},
    vectors={"r": register_count},
    operands="r   as .b32, plain elements, no sinks",
)


THEIR_LANES = "a warp accesses the 32 lanes from `(%warpid & 3) * 32` on, of its own CTA"


def places(x: Machine, m: Modifiers, address: Bits, split: Bits | None, count: int) -> Iterator[tuple[Bits, int]]:
    """Where a thread's registers lie (9.7.16.2.3.1): yields the address of a run of columns, and their number.

    With `.pack` or `.unpack` two columns share a register. Faults if they are in lanes of another warp (9.7.16.8.1).
    """
    t, shape = x.lane(), m.shape
    address = x.resize(address, 32)
    quads, pair = t >> 2, t & 3
    warp = x.special("warpid", 32) & 3
    halved = bool(m.pack or m.unpack)
    together = {"32x32b": count, "16x32bx2": count, "16x256b": 2}.get(shape or "", 1)
    for i in range(0, count, together):
        if shape == "32x32b":
            lane, column = t, x.const(0, 32)
        elif shape == "16x32bx2":
            lane, column = t & 15, x.const(0, 32)
        elif shape == "16x64b":
            lane, column = quads + ((t & 1) << 3), (pair >> 1) + 2 * i
        elif shape == "16x128b":
            lane, column = quads + 8 * (i & 1), pair + 4 * (i >> 1)
        else:  # 16x256b
            lane, column = quads + 8 * (i >> 1 & 1), (pair << 1) + 8 * (i >> 2)
        if halved:
            column = column << 1
        if split is not None:  # the second half of the threads has its own address
            column = column + (t >> 4) * split
        at = address + (lane << LANE) + column
        own = (at >> LANE + 5) == warp
        message = f"`{m.form.instruction.name}` in lane {{value}} of tensor memory: {THEIR_LANES}"
        x.require(own, "undefined-behavior", message, at >> LANE)
        yield at, together << halved


def load_words(x: Machine, m: Modifiers, address: Bits, split: Bits | None) -> tuple[Bits, ...]:
    """The words of the columns of all registers."""
    found = places(x, m, address, split, register_count(m))
    return tuple(word for at, columns in found for word in x.tensor_memory.read(at, columns))


@meaning(ld)
def _(x: Machine, m: Modifiers, address: Bits, split: Bits | None = None) -> Bits | tuple[Bits, ...]:
    """Completes immediately."""
    products.whole_warp(x, "tcgen05.ld")
    found = load_words(x, m, address, split)
    if m.pack:
        found = tuple((low & 0xFFFF) | (high << 16) for low, high in zip(found[::2], found[1::2], strict=True))
    return one_or_tuple(found)


ld_red = instruction(
    "tcgen05.ld.red",
    anchor=_ANCHOR + "ld",
    summary="r = the contents of tensor memory at taddr; redval = their minimum or maximum.",
    syntax="""
        // PTX 8.8, sm_103f sm_110f
        tcgen05.ld.red.sync.aligned.shape.num.op{.abs}{.NaN}.f32   r, redval, [taddr];
        .shape = { .32x32b };
        tcgen05.ld.red.sync.aligned.shape.num.op{.abs}{.NaN}.f32   r, redval, [taddr], immHalfSplitoff;
        .shape = { .16x32bx2 };
        tcgen05.ld.red.sync.aligned.shape.num.op.type   r, redval, [taddr];
        .shape = { .32x32b };
        .type  = { .u32, .s32 };
        tcgen05.ld.red.sync.aligned.shape.num.op.type   r, redval, [taddr], immHalfSplitoff;
        .shape = { .16x32bx2 };
        .type  = { .u32, .s32 };

        .op    = { .min, .max };
        .num   = { .x2, .x4, .x8, .x16, .x32, .x64, .x128 };
    """,
    types={"immHalfSplitoff": "u32"},
    vectors={"r": register_count},
    writes="r redval",
    operands="""
        r        as .b32, plain elements, no sinks
        redval   as .b32
    """,
)


def reduced(m: Modifiers) -> Fidelity:
    """The document does not say whether two threads that share a lane share its result; here they do not."""
    shared = m.shape == "16x32bx2"
    return modelled("PTX ISA, tcgen05.ld: each thread's result is of what that thread loads") if shared else EXACT


@meaning(ld_red, fidelity=reduced)
def _(x: Machine, m: Modifiers, address: Bits, split: Bits | None = None) -> tuple[tuple[Bits, ...], Bits]:
    """Completes immediately. Each thread has all the words that it reduces."""
    products.whole_warp(x, "tcgen05.ld.red")
    words = load_words(x, m, address, split)
    return words, reduced_words(x, m, words)


def reduced_words(x: Machine, m: Modifiers, words: tuple[Bits, ...]) -> Bits:
    """The minimum or maximum of the words."""
    if m.type.format is not None:
        first, *rest = [x.fabs(F32, word) if m.abs else word for word in words]
        choose = x.fmax if m.op == "max" else x.fmin
        return choose(F32, first, *rest, nan=bool(m.NaN))
    best = words[0]
    for word in words[1:]:
        best = x.max(m.type, best, word) if m.op == "max" else x.min(m.type, best, word)
    return best


st = instruction(
    "tcgen05.st",
    anchor=_ANCHOR + "st",
    summary="Stores r to tensor memory at taddr.",
    syntax="""
        tcgen05.st.sync.aligned.shape.num{.unpack}.b32   [taddr], r;   // PTX 8.6, sm_100f sm_110f
        .shape  = { .16x64b, .32x32b };
        tcgen05.st.sync.aligned.shape.num{.unpack}.b32   [taddr], r;   // PTX 8.6, sm_100f sm_110f
        .shape  = { .16x128b };
        .num    = { .x1, .x2, .x4, .x8, .x16, .x32, .x64 };
        tcgen05.st.sync.aligned.shape.num{.unpack}.b32   [taddr], r;   // PTX 8.6, sm_100f sm_110f
        .shape  = { .16x256b };
        .num    = { .x1, .x2, .x4, .x8, .x16, .x32 };
        tcgen05.st.sync.aligned.shape.num{.unpack}.b32   [taddr], immHalfSplitoff, r;   // PTX 8.6, sm_100f sm_110f
        .shape  = { .16x32bx2 };

        .num    = { .x1, .x2, .x4, .x8, .x16, .x32, .x64, .x128 };
        .unpack = { .unpack::16b };
    """,
    types={"r": "b32", "immHalfSplitoff": "u32"},
    vectors={"r": register_count},
    operands="r   as .b32, registers in lists, short floats, plain elements",
)


@meaning(st)
def _(x: Machine, m: Modifiers, address: Bits, *more: Any) -> None:
    """Completes immediately."""
    products.whole_warp(x, "tcgen05.st")
    split, values = (None, *more)[-2], as_tuple(more[-1])
    words = tuple(half for value in values for half in (value & 0xFFFF, value >> 16)) if m.unpack else values
    for at, columns in places(x, m, address, split, len(values)):
        x.tensor_memory.write(at, words[:columns])
        words = words[columns:]


wait = instruction(
    "tcgen05",
    anchor=_ANCHOR + "wait",
    summary="Waits for the thread's loads from or stores to tensor memory.",
    syntax="""
        tcgen05.operation.sync.aligned;   // PTX 8.6, sm_100f sm_110f
        .operation = { .wait::ld, .wait::st };
    """,
    ordered_prefix=1,
)

fence = instruction(
    "tcgen05",
    anchor="tcgen05-special-sync-operations-fence",
    summary="Orders asynchronous operations on tensor memory before or after a synchronization of threads.",
    syntax="""
        tcgen05.operation;   // PTX 8.6, sm_100f sm_110f
        .operation = { .fence::before_thread_sync, .fence::after_thread_sync };
    """,
    ordered_prefix=1,
)


@meaning(wait, fence)
def _(x: Machine, m: Modifiers) -> None:
    """Loads, stores, copies and products complete when they are issued, so there is nothing to wait for."""


cp = instruction(
    "tcgen05.cp",
    anchor=_ANCHOR + "cp",
    summary="Copies from shared memory to tensor memory, asynchronously.",
    syntax="""
        tcgen05.cp.cta_group.shape{.dst_fmt.src_fmt}             [taddr], s-desc;   // PTX 8.6, sm_100f sm_110f
        .shape     = { .128x256b, .4x256b, .128x128b };
        tcgen05.cp.cta_group.shape.multicast{.dst_fmt.src_fmt}   [taddr], s-desc;   // PTX 8.6, sm_100f sm_110f
        .shape     = { .64x128b };
        .multicast = { .warpx2::02_13, .warpx2::01_23 };
        tcgen05.cp.cta_group.shape.multicast{.dst_fmt.src_fmt}   [taddr], s-desc;   // PTX 8.6, sm_100f sm_110f
        .shape     = { .32x128b };
        .multicast = { .warpx4 };

        .src_fmt   = { .b6x16_p32, .b4x16_p64 };
        .dst_fmt   = { .b8x16 };
    """
    + _GROUP,
    types={"s-desc": "b64"},
)

ROWS = {"128x256b": 128, "128x128b": 128, "64x128b": 64, "32x128b": 32, "4x256b": 4}
PADDED = {None: 0, "b4x16_p64": 4, "b6x16_p32": 6}
"""The bits of an element widened to a byte, with zero padding."""


@meaning(cp)
def _(x: Machine, m: Modifiers, address: Bits, code: Bits) -> None:
    """Completes immediately."""
    shape = m.shape or ""
    copied = TensorCopy(
        ROWS[shape], 2 if shape.endswith("256b") else 1, PADDED[m.src_fmt], 2 if m.cta_group == "cta_group::2" else 1,
        paired=m.multicast == "warpx2::01_23", apart=shape == "4x256b",
    )  # fmt: skip
    x.tensor_copy(copied, partial(tensor_execution.copy, x, copied), address, code)


shift = instruction(
    "tcgen05.shift",
    anchor=_ANCHOR + "shift",
    summary="Shifts the rows of tensor memory down by one, asynchronously.",
    syntax="""
        tcgen05.shift.cta_group.down   [taddr];   // PTX 8.6, sm_100a sm_103a sm_107a sm_110a
    """
    + _GROUP,
)

SHIFT = modelled(
    "NVIDIA's documentation of CuTe: each row takes the next row's words, the warp's last row keeps its own"
)


@meaning(shift, fidelity=SHIFT)
def _(x: Machine, m: Modifiers, address: Bits) -> None:
    """Completes immediately: 31 rows of 32 bytes in the lanes of one warp (Table of 9.7.16.2.3), in both CTAs of a
    pair."""
    address = x.resize(address, 32)
    aligned = "`tcgen05.shift` that starts at a lane that is not a multiple of 32"
    x.require((address >> LANE & 31) == 0, "misaligned-access", aligned)
    for rank in ranks(x, 2 if m.cta_group == "cta_group::2" else 1):
        shift_rows(x, address, range(1), rank)


commit = instruction(
    "tcgen05.commit",
    anchor="tcgen-async-sync-operations-commit",
    summary="Arrives at the mbarrier when the thread's asynchronous operations so far are complete.",
    syntax="""
        tcgen05.commit.cta_group.completion_mechanism{.shared::cluster}{.multicast}.b64
                [mbar]{, ctaMask};   // PTX 8.6, sm_100f sm_110f
        .completion_mechanism = { .mbarrier::arrive::one };
        .multicast = { .multicast::cluster };
    """
    + _GROUP,
    types={"ctaMask": "b16"},
    ranges="ctaMask   0 to 65535",
    when={"ctaMask": "multicast"},
    defaults={"space": "generic"},
    operands="mbar   32 bits",
)


commit_more = instruction(
    "tcgen05.commit",
    anchor="tcgen-async-sync-operations-commit",
    summary="Arrives at mbarriers of up to 32 CTAs, or as soon as all matrices a in shared memory have been read.",
    syntax="""
        tcgen05.commit.cta_group.completion_mechanism{.space}.multicast.b64
                [mbar], ctaMask;   // PTX 9.4, sm_107f (ptxas)
        .multicast = { .multicast::cluster::32b };
        tcgen05.commit.cta_group.completion_mechanism.sync_restrict{.space}.b64   [mbar];   // PTX 9.4, sm_107f (ptxas)
        tcgen05.commit.cta_group.completion_mechanism.sync_restrict{.space}.multicast.b64
                [mbar], ctaMask16;   // PTX 9.4, sm_107f (ptxas)
        .multicast = { .multicast::cluster };
        tcgen05.commit.cta_group.completion_mechanism.sync_restrict{.space}.multicast.b64
                [mbar], ctaMask;   // PTX 9.4, sm_107f (ptxas)
        .multicast = { .multicast::cluster::32b };
        .completion_mechanism = { .mbarrier::arrive::one };
        .space = { .shared::cluster };
        .sync_restrict = { .sync_restrict::shared::read::mma::a };
    """
    + _GROUP,
    types={"ctaMask": "b32", "ctaMask16": "b16"},
    ranges="""
        ctaMask     0 to 4294967295
        ctaMask16   0 to 65535
    """,
    defaults={"space": "generic"},
    operands="mbar   32 bits",
)


@meaning(commit, commit_more)
def _(x: Machine, m: Modifiers, barrier: Bits, mask: Bits | None = None) -> None:
    """All earlier operations have completed, so this arrives immediately, at the same offset in every CTA of the
    mask."""
    if mask is None:
        mbarrier.arrive(x, m.space, barrier, x.const(1, 32), x.const(0, 32))
        return

    def one(barrier: Bits) -> None:
        mbarrier.arrive(x, "shared::cluster", barrier, x.const(1, 32), x.const(0, 32))

    in_each_cta(x, mask, one, barrier)
