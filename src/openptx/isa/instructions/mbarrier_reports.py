"""mbarriers with two layouts, waits for conditional phases and reports, multicast arrivals (PTX ISA 9.4, 9.7.15.16)."""

from __future__ import annotations

from functools import partial

from openptx.isa.instructions.mbarrier import ANCHOR, TYPES_OF, is_complete
from openptx.isa.notation import instruction, meaning
from openptx.isa.semantics import mbarrier
from openptx.isa.semantics.clusters import in_each_cta
from openptx.isa.types import TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.isa.notation import Instruction
    from openptx.isa.notation.forms import Modifiers
    from openptx.numerics import Bits

_TYPES = {**TYPES_OF, "reportValue": "b8", "parity": "u32", "ctaMask": "u32"}
_U = TYPES["u32"]
_LAYOUT = """
        .layout = { .layout::v0, .layout::v1 };
        .space  = { .shared{::cta} };
"""

init = instruction(
    "mbarrier.init",
    anchor=ANCHOR + "init",
    summary="Initializes the mbarrier at addr with a layout; it expects count arrivals.",
    syntax="""
        mbarrier.init.layout{.space}.b64   [addr], count;   // PTX 9.3, sm_90 (ptxas)
    """
    + _LAYOUT,
    types=_TYPES,
    ranges="count   1 to 1048575",
    defaults={"space": "generic"},
    operands="addr   in .shared",
)


@meaning(init)
def _(x: Machine, m: Modifiers, addr: Bits, count: Bits) -> None:
    layout = int(m.layout == "layout::v1")
    most = mbarrier.COUNT_V1 if layout else mbarrier.COUNT
    right = x.less(_U, count - 1, x.const(most, 32))
    x.require(right, "undefined-behavior", f"an mbarrier of `.{m.layout}` expects 1 to {most} arrivals")
    x.store(m.space, addr, (mbarrier.fresh(x, count, layout),))


check_layout = instruction(
    "mbarrier.check_layout",
    anchor=ANCHOR + "init",
    summary="p = whether the mbarrier at addr has the layout.",
    syntax="""
        mbarrier.check_layout.layout{.space}.b64   p, [addr];   // PTX 9.3, sm_90 (ptxas)
    """
    + _LAYOUT,
    types={"p": "pred"},
    defaults={"space": "generic"},
    operands="addr   in .shared",
)


@meaning(check_layout)
def _(x: Machine, m: Modifiers, addr: Bits) -> Bits:
    (word,) = x.load(m.space, addr, 64)
    v1 = mbarrier.layout(x, word)
    return v1 if m.layout == "layout::v1" else ~v1


def _waits(name: str, hint: str) -> str:
    """The forms of a wait: with and without the value of the report, each for a state and for a parity."""
    results = (
        ("waitComplete[|isReportSeen]", "phaseParity"),
        ("waitComplete[|isReportSeen], reportValue", "parity"),  # the assembler does not check its value
    )
    return "".join(
        f"""
        mbarrier.{name}.phase_type{{.sem.scope}}{{.space}}.b64
                {result}, [addr], state{hint};         // PTX 9.3, sm_90 (ptxas)
        .phase_type = {{ .phase_type::primary }};
        mbarrier.{name}.parity.phase_type{{.sem.scope}}{{.space}}.b64
                {result}, [addr], {parity}{hint};   // PTX 9.3, sm_90 (ptxas)
        .phase_type = {{ .phase_type::primary }};
        """
        for result, parity in results
    )


def _wait(name: str, hint: str, summary: str) -> Instruction:
    return instruction(
        f"mbarrier.{name}",
        anchor=ANCHOR + "test-wait-try-wait",
        summary=summary,
        syntax=_waits(name, hint)
        + f"""
        mbarrier.{name}.parity.phase_type{{.sem.scope}}{{.space}}.b64
                waitComplete, [addr], phaseParity{hint};   // PTX 9.3, sm_90 (ptxas)
        .phase_type = {{ .phase_type::conditional }};
        .sem   = {{ .acquire, .relaxed }};
        .scope = {{ .cta, .cluster }};
        .space = {{ .shared{{::cta}} }};
        """,
        types=_TYPES,
        ranges="phaseParity   0 or 1",
        writes="waitComplete reportValue",
        defaults={"space": "generic", "sem": "acquire"},
        ordered_prefix="parity",
        operands="""
            addr           in .shared
            isReportSeen   sink
        """,
    )


test_wait = _wait(
    "test_wait",
    "",
    "waitComplete = whether a phase is complete; isReportSeen, reportValue = its report.",
)
try_wait = _wait(
    "try_wait", "{, suspendTimeHint}", "The same as `mbarrier.test_wait`, but the thread may be suspended for a while."
)


@meaning(test_wait, try_wait)
def _(x: Machine, m: Modifiers, addr: Bits, known: Bits, hint: Bits | None = None) -> Bits | tuple[Bits, ...]:
    (word,) = x.load(m.space, addr, 64)
    if m.phase_type == "phase_type::conditional":
        return is_complete(x, m, mbarrier.conditional_phase(x, word), known)
    done = is_complete(x, m, mbarrier.phase(x, word), known)
    answers = done, mbarrier.reported(x, word), x.const(0, 8)
    return answers[: len([t for t in m.form.operands if t.role == "write"])]


_MULTICAST = """
        .multicast = {{ .multicast::cluster::32b }};
        .sem   = {{ {} }};
        .scope = {{ .cta, .cluster }};
        .space = {{ .shared::cluster }};
"""
_TRANSACTION = """
        mbarrier.{0}{{.sem.scope}}{{.space}}.multicast.b64   [addr], txCount, ctaMask;   // PTX 9.4, sm_107f (ptxas)
"""
_ARRIVE = """
        mbarrier.{0}{{.sem.scope}}{{.space}}.multicast.b64
                _, [addr]{{, count}}, ctaMask;   // PTX 9.4, sm_107f (ptxas)
        mbarrier.{0}.expect_tx{{.sem.scope}}{{.space}}.multicast.b64
                _, [addr], txCount, ctaMask;   // PTX 9.4, sm_107f (ptxas)
"""

_SUMMARY = "The same as without `.multicast`, for the mbarriers at addr in the CTAs of ctaMask."


def _transaction(name: str) -> Instruction:
    return instruction(
        f"mbarrier.{name}",
        anchor=ANCHOR + name.replace("_", "-"),
        summary=_SUMMARY,
        syntax=_TRANSACTION.format(name) + _MULTICAST.format(".relaxed"),
        types=_TYPES,
        ranges="ctaMask   0 to 4294967295",
        defaults={"space": "generic"},
        operands="addr   in .shared",
    )


def _arrival(name: str) -> Instruction:
    return instruction(
        f"mbarrier.{name}",
        anchor=ANCHOR + name.replace("_", "-"),
        summary=_SUMMARY,
        syntax=_ARRIVE.format(name) + _MULTICAST.format(".release, .relaxed"),
        types=_TYPES,
        ranges="""
            count     at least 1
            ctaMask   0 to 4294967295
        """,
        defaults={"space": "generic", "sem": "release"},
        ordered_prefix="expect_tx",
        operands="addr   in .shared",
    )


expect_tx, complete_tx = _transaction("expect_tx"), _transaction("complete_tx")
arrive, arrive_drop = _arrival("arrive"), _arrival("arrive_drop")


@meaning(expect_tx, complete_tx)
def _(x: Machine, m: Modifiers, addr: Bits, count: Bits, mask: Bits) -> None:
    change = mbarrier.expect if m.form.instruction is expect_tx else mbarrier.complete

    in_each_cta(x, mask, partial(change, x, "shared::cluster"), addr, count)


@meaning(arrive, arrive_drop)
def _(x: Machine, m: Modifiers, addr: Bits, *more: Bits | None) -> None:
    *counts, mask = [operand for operand in more if operand is not None]
    unit = x.const(1, 32)
    count, tx = (unit, counts[0]) if m.expect_tx else (counts[0] if counts else unit, x.const(0, 32))

    arrives = partial(mbarrier.arrive, x, "shared::cluster", drop=m.form.instruction is arrive_drop)
    in_each_cta(x, mask, arrives, addr, count, tx)
