"""Barriers in memory (9.7.13.15)."""

from __future__ import annotations

from functools import partial

from openptx.isa.notation import instruction, meaning
from openptx.isa.semantics import mbarrier

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine, Word
    from openptx.isa.notation.forms import Modifiers
    from openptx.numerics import Bits

ANCHOR = "parallel-synchronization-and-communication-instructions-mbarrier-"
TYPES_OF = {
    "count": "u32",
    "txCount": "u32",
    "state": "b64",
    "waitComplete": "pred",
    "phaseParity": "u32",
    "suspendTimeHint": "u32",
}
_DEFAULTS = {"space": "generic"}
_ARRIVES = {"space": "generic", "sem": "release"}
_WAITS = {"space": "generic", "sem": "acquire"}
_GATES = """
        .shared::cta              PTX 7.8
        .shared::cluster          PTX 8.0, sm_90
        .cta|.cluster             PTX 8.0
        .cluster                  sm_90
"""
_RELAXED_GATES = (
    _GATES
    + """
        .relaxed                  PTX 8.6, sm_90
"""
)

on_mbarrier = partial(instruction, types=TYPES_OF, defaults=_DEFAULTS, gates=_GATES, operands="addr   in .shared")

init = on_mbarrier(
    "mbarrier.init",
    anchor=ANCHOR + "init",
    summary="Initializes the mbarrier at addr, which expects count arrivals.",
    syntax="""
        mbarrier.init{.space}.b64   [addr], count;   // PTX 7.0, sm_80
        .space = { .shared{::cta} };
    """,
    ranges="count   1 to 1048575",
)


@meaning(init)
def _(x: Machine, m: Modifiers, addr: Bits, count: Bits) -> None:
    right = (count != 0) & (count < 1 << 20)
    x.require(right, "undefined-behavior", "an mbarrier expects 1 to 2^20 - 1 arrivals")
    x.store(m.space, addr, (mbarrier.fresh(x, count),))


inval = on_mbarrier(
    "mbarrier.inval",
    anchor=ANCHOR + "inval",
    summary="Invalidates the mbarrier at addr, so that its memory can be reused.",
    syntax="""
        mbarrier.inval{.space}.b64   [addr];   // PTX 7.0, sm_80
        .space = { .shared{::cta} };
    """,
)


@meaning(inval)
def _(x: Machine, m: Modifiers, addr: Bits) -> None:
    x.store(m.space, addr, (x.const(0, 64),))


_TRANSACTION = """
        mbarrier.{0}{{.sem.scope}}{{.space}}.b64   [addr], txCount;   // PTX 8.0, sm_90
        .sem   = {{ .relaxed }};
        .scope = {{ .cta, .cluster }};
        .space = {{ .shared{{::cta}}, .shared::cluster }};
"""

expect_tx = on_mbarrier(
    "mbarrier.expect_tx",
    anchor=ANCHOR + "expect-tx",
    summary="Increases the number of transactions that the mbarrier expects in this phase by txCount.",
    syntax=_TRANSACTION.format("expect_tx"),
)


@meaning(expect_tx)
def _(x: Machine, m: Modifiers, addr: Bits, count: Bits) -> None:
    mbarrier.expect(x, m.space, addr, count)


complete_tx = on_mbarrier(
    "mbarrier.complete_tx",
    anchor=ANCHOR + "complete-tx",
    summary="Completes txCount transactions of the mbarrier.",
    syntax=_TRANSACTION.format("complete_tx"),
)


@meaning(complete_tx)
def _(x: Machine, m: Modifiers, addr: Bits, count: Bits) -> None:
    mbarrier.complete(x, m.space, addr, count)


_ARRIVE = """
        mbarrier.{0}{{.sem.scope}}{{.space}}.b64              state, [addr];            // PTX 7.0, sm_80
        mbarrier.{0}{{.sem.scope}}{{.space}}.b64              state, [addr], count;     // PTX 7.8, sm_90
        mbarrier.{0}.expect_tx{{.sem.scope}}{{.space}}.b64    state, [addr], txCount;   // PTX 8.0, sm_90

        mbarrier.{0}.noComplete{{.sem.scope}}{{.space}}.b64   state, [addr], count;     // PTX 7.0, sm_80
        .sem   = {{ .release }};
        .scope = {{ .cta }};
        .space = {{ .shared{{::cta}} }};
        mbarrier.{0}{{.sem.scope}}{{.space}}.b64              _, [addr]{{, count}};       // PTX 8.0, sm_90
        mbarrier.{0}.expect_tx{{.sem.scope}}{{.space}}.b64    _, [addr], txCount;       // PTX 8.0, sm_90
        .space = {{ .shared::cluster }};

        .sem   = {{ .release, .relaxed }};
        .scope = {{ .cta, .cluster }};
        .space = {{ .shared{{::cta}} }};
"""

arrive = instruction(
    "mbarrier.arrive",
    anchor=ANCHOR + "arrive",
    summary="Arrives at the mbarrier; state = its phase and counts before the arrival.",
    syntax=_ARRIVE.format("arrive"),
    types=TYPES_OF,
    ranges="count   at least 1",
    writes="state",
    defaults=_ARRIVES,
    gates=_RELAXED_GATES,
    operands="""
        *      sink since PTX 7.1
        addr   in .shared
        count  a list of one, one of several
    """,
    ordered_prefix="expect_tx",
)

arrive_drop = instruction(
    "mbarrier.arrive_drop",
    anchor=ANCHOR + "arrive-drop",
    summary="Arrives at the mbarrier, which expects one arrival less in later phases.",
    syntax=_ARRIVE.format("arrive_drop"),
    types=TYPES_OF,
    ranges="count   at least 1",
    writes="state",
    defaults=_ARRIVES,
    gates=_RELAXED_GATES,
    operands="""
        *      sink
        addr   in .shared
        count  a list of one, one of several
    """,
    ordered_prefix="expect_tx",
)


@meaning(arrive, arrive_drop)
def _(x: Machine, m: Modifiers, addr: Bits, count: Bits | None = None) -> Word:
    one = x.const(1, 32)
    drop = m.form.instruction is arrive_drop
    if m.expect_tx:
        return mbarrier.arrive(x, m.space, addr, one, count if count is not None else one, drop=drop)
    return mbarrier.arrive(x, m.space, addr, one if count is None else count, x.const(0, 32), drop=drop)


cp_async_mbarrier_arrive = instruction(
    "cp.async.mbarrier.arrive",
    anchor=ANCHOR.removesuffix("mbarrier-") + "cp-async-mbarrier-arrive",
    summary="Arrives at the mbarrier when the thread's asynchronous copies so far are complete.",
    syntax="""
        cp.async.mbarrier.arrive{.noinc}{.space}.b64   [addr];   // PTX 7.0, sm_80
        .space = { .shared{::cta} };
    """,
    types=TYPES_OF,
    defaults=_DEFAULTS,
    gates=_GATES,
    operands="addr   32 bits if .generic",
)


@meaning(cp_async_mbarrier_arrive)
def _(x: Machine, m: Modifiers, addr: Bits) -> None:
    # Copies complete when they are issued. Without `.noinc` the arrival was added for this one, so the count does not
    # change.
    if m.noinc:
        mbarrier.arrive(x, m.space, addr, x.const(1, 32), x.const(0, 32))


_CHOICES = """
        .sem   = { .acquire, .relaxed };
        .scope = { .cta, .cluster };
        .space = { .shared{::cta} };
"""

test_wait = instruction(
    "mbarrier.test_wait",
    anchor=ANCHOR + "test-wait-try-wait",
    summary="waitComplete = whether the phase of the mbarrier is complete.",
    syntax="""
        mbarrier.test_wait{.sem.scope}{.space}.b64          waitComplete, [addr], state;         // PTX 7.0, sm_80
        mbarrier.test_wait.parity{.sem.scope}{.space}.b64   waitComplete, [addr], phaseParity;   // PTX 7.1, sm_80
    """
    + _CHOICES,
    types=TYPES_OF,
    ranges="phaseParity   0 or 1",
    writes="waitComplete",
    defaults=_WAITS,
    gates=_RELAXED_GATES,
    ordered_prefix="parity",
    operands="addr   in .shared",
)

try_wait = instruction(
    "mbarrier.try_wait",
    anchor=ANCHOR + "test-wait-try-wait",
    summary="The same as `mbarrier.test_wait`, but the thread may be suspended for a limited time.",
    syntax="""
        mbarrier.try_wait{.sem.scope}{.space}.b64
                waitComplete, [addr], state{, suspendTimeHint};         // PTX 7.8, sm_90
        mbarrier.try_wait.parity{.sem.scope}{.space}.b64
                waitComplete, [addr], phaseParity{, suspendTimeHint};   // PTX 7.8, sm_90
    """
    + _CHOICES,
    types=TYPES_OF,
    ranges="phaseParity   0 or 1",
    writes="waitComplete",
    defaults=_WAITS,
    gates=_RELAXED_GATES,
    ordered_prefix="parity",
    operands="addr   in .shared",
)


@meaning(test_wait, try_wait)
def _(x: Machine, m: Modifiers, addr: Bits, known: Bits, hint: Bits | None = None) -> Bits:
    (word,) = x.load(m.space, addr, 64)
    return is_complete(x, m, mbarrier.phase(x, word), known)


def is_complete(x: Machine, m: Modifiers, now: Bits, known: Bits) -> Bits:
    """Whether the phase that a wait names, by a state or a parity, is not the current one."""
    return now != (x.resize(known, 1) if m.parity else mbarrier.phase(x, known))


pending_count = instruction(
    "mbarrier.pending_count",
    anchor=ANCHOR + "pending-count",
    summary="count = the pending arrivals in the opaque state.",
    syntax="""
        mbarrier.pending_count.b64   count, state;   // PTX 7.0, sm_80
    """,
    types=TYPES_OF,
    writes="count",
)


@meaning(pending_count)
def _(x: Machine, m: Modifiers, state: Bits) -> Bits:
    return x.resize(state, 32) & mbarrier.COUNT
