"""Communication between the lanes of a warp (9.7.13.8 to 9.7.13.12, 9.7.13.14)."""

from __future__ import annotations

from functools import partial

from openptx.isa.fidelity import modelled
from openptx.isa.notation import instruction, meaning
from openptx.numerics import FORMATS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.isa.notation.forms import Modifiers
    from openptx.numerics import Bits

vote = instruction(
    "vote",
    anchor="parallel-synchronization-and-communication-instructions-vote",
    summary="d = whether a is true in all, in any, or equal in all active lanes, or the mask of a. Deprecated.",
    syntax="""
        vote.mode.pred   d, {!}a;   // PTX 1.2 to 6.3, sm_12 or PTX 1.2, sm_12 to sm_62
        .mode = { .all, .any, .uni };
        vote.mode.b32    d, {!}a;   // PTX 1.2 to 6.3, sm_20 or PTX 1.2, sm_20 to sm_62
        .mode = { .ballot };
    """,
    types={"a": "pred"},
    operands="a   strictly",
    across_lanes=True,
)


@meaning(vote)
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    return count_votes(x, m.mode, a, x.const(-1, 32))


def count_votes(x: Machine, mode: str, a: Bits, members: Bits) -> Bits:
    """The combined value of the active lanes in `members`."""
    yes = x.ballot(a) & members
    if mode == "ballot":
        return yes
    active = x.ballot(x.const(1, 1)) & members
    if mode == "all":
        return yes == active
    return yes != 0 if mode == "any" else (yes == 0) | (yes == active)


vote_sync = instruction(
    "vote",
    anchor="parallel-synchronization-and-communication-instructions-vote-sync",
    summary="d = whether a is true in all, in any, or equal in all lanes of membermask, or the mask of a.",
    syntax="""
        vote.sync.mode.pred   d, {!}a, membermask;   // PTX 6.0, sm_30
        .mode = { .all, .any, .uni };
        vote.sync.mode.b32    d, {!}a, membermask;   // PTX 6.0, sm_30
        .mode = { .ballot };
    """,
    types={"a": "pred"},
    converges="membermask",
    operands="a   strictly",
)


@meaning(vote_sync)
def _(x: Machine, m: Modifiers, a: Bits, members: Bits) -> Bits:
    return count_votes(x, m.mode, a, members)


_match = partial(
    instruction,
    "match",
    anchor="parallel-synchronization-and-communication-instructions-match-sync",
    steps=50,
    types={"d": "b32"},
    converges="membermask",
)

match_any = _match(
    summary="d = the lanes of membermask with the same a.",
    syntax="""
        match.mode.sync.type   d, a, membermask;      // PTX 6.0, sm_70
        .mode = { .any };
        .type = { .b32, .b64 };
    """,
)

match_all = _match(
    summary="d = membermask if all of its lanes have the same a, else 0; p = whether they have.",
    syntax="""
        match.mode.sync.type   d[|p], a, membermask;  // PTX 6.0, sm_70
        .mode = { .all };
        .type = { .b32, .b64 };
    """,
    operands="*   sink",
)


@meaning(match_any, match_all)
def _(x: Machine, m: Modifiers, a: Bits, members: Bits) -> Bits | tuple[Bits, Bits]:
    members = members & x.ballot(x.const(1, 1))
    d = x.const(0, 32)
    for i in range(32):
        d = d | (x.resize(x.shuffle(a, x.const(i, 32)) == a, 32) << i)
    d = d & members
    if m.mode == "any":
        return d
    agree = x.ballot(d == members) & members
    p = agree == members
    return x.pick(p, members, 0), p


activemask = instruction(
    "activemask",
    anchor="parallel-synchronization-and-communication-instructions-activemask",
    summary="d = the active lanes of the warp.",
    syntax="""
        activemask.b32   d;   // PTX 6.2, sm_30
    """,
    across_lanes=True,
)


@meaning(activemask)
def _(x: Machine, m: Modifiers) -> Bits:
    return x.ballot(x.const(1, 1))


redux_sync = instruction(
    "redux",
    anchor="parallel-synchronization-and-communication-instructions-redux-sync",
    summary="dst = the reduction of src over the lanes of membermask.",
    steps=20,
    syntax="""
        redux.sync.op.type            dst, src, membermask;   // PTX 7.0, sm_80
        .op   = { .add, .min, .max };
        .type = { .u32, .s32 };
        redux.sync.op.b32             dst, src, membermask;   // PTX 7.0, sm_80
        .op   = { .and, .or, .xor };
        redux.sync.op{.abs}{.NaN}.f32 dst, src, membermask;   // PTX 8.6, sm_100f
        .op   = { .min, .max };
    """,
    converges="membermask",
    operands="*   strictly",
)


@meaning(redux_sync)
def _(x: Machine, m: Modifiers, src: Bits, members: Bits) -> Bits:
    t = m.type
    if t.format is not None:
        return extreme(x, m, src, members)
    low, high = (1 << 31, (1 << 31) - 1) if t.signed else (0, (1 << 32) - 1)
    match m.op:
        case "add":
            return x.reduce(lambda a, b: a + b, 0, src, members)
        case "min":
            return x.reduce(lambda a, b: x.min(t, a, b), high, src, members)
        case "max":
            return x.reduce(lambda a, b: x.max(t, a, b), low, src, members)
        case "and":
            return x.reduce(lambda a, b: a & b, (1 << 32) - 1, src, members)
        case "or":
            return x.reduce(lambda a, b: a | b, 0, src, members)
        case _:
            return x.reduce(lambda a, b: a ^ b, 0, src, members)


def extreme(x: Machine, m: Modifiers, src: Bits, members: Bits) -> Bits:
    """The smallest or largest float. Without `.NaN` the neutral element is the canonical NaN, with it the opposite
    infinity."""
    f = FORMATS["f32"]
    nan, largest = bool(m.NaN), m.op == "max"
    infinity = f.infinity or 0
    unit = (infinity | f.sign if largest else infinity) if nan else f.nan or 0
    a = x.magnitude(f, src) if m.abs else src
    choose = x.fmax if largest else x.fmin
    return x.reduce(lambda a, b: choose(f, a, b, nan=nan), unit, a, members)


elect_sync = instruction(
    "elect",
    anchor="parallel-synchronization-and-communication-instructions-elect-sync",
    summary="p = whether this lane is the one elected from membermask; d = the elected lane.",
    syntax="""
        elect.sync   d|p, membermask;   // PTX 8.0, sm_90
    """,
    types={"d": "b32"},
    converges="membermask",
    operands="d   sink",
)


@meaning(elect_sync, fidelity=modelled("a guess: the lowest lane; the document asks only for the same one every time"))
def _(x: Machine, m: Modifiers, members: Bits) -> tuple[Bits, Bits]:
    candidates = members & x.ballot(x.const(1, 1))
    leader = 31 - x.clz(candidates & -candidates)
    return leader, x.lane() == leader
