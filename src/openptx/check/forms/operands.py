"""Checks one operand: whether its kind is allowed in its place in the form."""

from __future__ import annotations

from collections.abc import Iterator
from re import fullmatch

from openptx.check.availability import require
from openptx.check.explain.type_errors import mismatch, what, wrong_kind
from openptx.check.forms.addresses import judge_address
from openptx.check.forms.immediates import judge_constant
from openptx.check.forms.list_types import fits
from openptx.check.forms.symbol_operands import (
    adds,
    alone,
    function,
    ignored,
    ignored_operand,
    special,
    summed,
    variable,
)
from openptx.check.forms.vectors import advised, judge_list, lengths
from openptx.check.operand import kinds
from openptx.check.operand.kinds import Kind, selected
from openptx.check.operand.slot import Place
from openptx.check.problems import Path, Problem, passes, undeclared
from openptx.isa.notation.gates import gate

_ADDRESSES = frozenset((kinds.VARIABLE, kinds.ELEMENT, kinds.FUNCTION, kinds.VECTOR))
"""What can't be negated: addresses, and whole vectors."""
_NO_LABEL = {
    kinds.FUNCTION: "`call` calls a function: `call (result), {}, (arguments);`",
    kinds.REGISTER: "`brx.idx index, targets;` branches to one of several labels: `targets: .branchtargets L0, L1;`",
    kinds.ADDRESS: "a label stands without brackets",
}
"""What to write instead of an operand that is no label."""


def judge(place: Place, kind: Kind, where: Path) -> Iterator[Problem]:
    """Errors and warnings about one operand."""
    match place.template.role:
        case "label":
            if kind.sort != kinds.NAME:
                yield place.problem(
                    "branch-target", f"`{place.opcode}` branches to a label", where, kind.described,
                    expected="a label", actual=kind.text, help=_NO_LABEL.get(kind.sort),
                    rule="PTX ISA, Labels and Function Names as Operands (6.4.4)",
                )  # fmt: skip
        case "targets" | "prototype":
            if kind.sort != kinds.TABLE or kind.space not in _tables(place):
                yield wrong_kind(place, kind, where, _table(place), "target-list")
        case "function":
            if kind.sort == kinds.FUNCTION and kind.space == "entry":
                yield Problem(
                    "call-of-entry", "`{}` is a kernel; only a `.func` can be called", where, "a kernel",
                    help="kernels are launched: move the code into a `.func`, and call that from both",
                )  # fmt: skip
            elif kind.sort not in (kinds.FUNCTION, kinds.NAME, kinds.REGISTER):
                yield wrong_kind(place, kind, where, "a function", "wrong-kind-of-name")
        case "returns" | "arguments":
            if kind.sort != kinds.ARGUMENTS:
                yield wrong_kind(place, kind, where, "a list in parentheses")
        case "address":
            yield from judge_address(place, kind, where)
        case "sink":
            if kind.sort != kinds.SINK:
                yield wrong_kind(place, kind, where, "the sink `_`")
        case "immediate":
            if kind.sort != kinds.INTEGER:
                yield wrong_kind(place, kind, where, "an integer constant")
        case _:
            yield from value(place, kind, where)


def _tables(place: Place) -> tuple[str, ...]:
    """The directives whose labels may stand here. The targets of a call are checked by the rules of calls."""
    if place.template.role == "prototype":
        return ("callprototype",)
    calls = place.form.instruction.control == "call"
    return ("branchtargets", "calltargets") if calls else ("branchtargets",)


def _table(place: Place) -> str:
    if place.template.role == "prototype":
        return "the label of a `.callprototype`"
    return f"the label of a `.{'calltargets' if place.form.instruction.control == 'call' else 'branchtargets'}`"


_DESTINATIONS = {
    kinds.INTEGER: "the destination is the first operand, as in `add.s32 d, a, b;`",
    kinds.FLOAT: "the destination is the first operand, as in `add.s32 d, a, b;`",
    kinds.NEGATED: "leave out the `!`: only an operand that is read can be negated",
    kinds.SPECIAL: "special registers are only read: write a register, and `mov` the special one to another",
}
"""What to write instead of an operand of this sort as a destination."""


def value(place: Place, kind: Kind, where: Path) -> Iterator[Problem]:
    """An operand that holds a value or a destination."""
    if ignored(place, kind):
        yield ignored_operand(place, where)
        return
    match kind.sort:
        case kinds.REGISTER:
            yield from _register(place, kind, where)
        case kinds.VECTOR:
            yield from _vector(place, kind, where)
        case kinds.LIST:
            yield from judge_list(place, kind, where)
        case kinds.SINK:
            yield from _sink(place, where)
        case kinds.NAME:
            yield undeclared(where, lambda kind: passes(judge(place, kind, where)))
        case kinds.SELECTED if kind.parts[0].sort == kinds.NAME:
            yield undeclared(where, lambda base: passes(judge(place, selected(base, kind.space), where)))
        case kinds.SELECTED if kind.parts[0].sort in (kinds.SPECIAL, kinds.VECTOR):
            yield _component(kind, where)
        case kinds.SELECTED if place.template.selectors:
            yield from _part(place, kind, where)
        case kinds.MINUS if place.allows.minus:
            inner = kind.parts[0]
            if inner.type is not None and inner.type.name == "f16x2":  # passes for an integer without a minus
                yield mismatch(place, inner.type, where)
            else:
                yield from value(place, inner, where)
        case _ if place.writes:
            yield place.problem(
                "destination",
                f"operand `{place.name}` of `{place.opcode}` is written, so it must be a register",
                where,
                kind.described,
                expected=place.expected(),
                actual=kind.text,
                rule="PTX ISA, Destination Operands (6.3)",
                help=_DESTINATIONS.get(kind.sort),
            )
        case _:
            yield from _source(place, kind, where)


def _source(place: Place, kind: Kind, where: Path) -> Iterator[Problem]:
    """Read-only operands: constants, special registers, functions, addresses of variables."""
    match kind.sort:
        case kinds.INTEGER | kinds.FLOAT if not place.count or place.takes_one:
            yield from judge_constant(place, kind, where)
            if place.count:
                yield from alone(place, where)
        case kinds.SPECIAL:
            yield from special(place, kind, where)
        case kinds.NEGATED:
            yield from _negated(place, kind, where)
        case kinds.FUNCTION if place.takes_functions:
            yield from function(place, kind, where)
        case kinds.VARIABLE | kinds.ELEMENT:
            yield from variable(place, kind, where)
        case kinds.SUM if adds(place, kind.parts[0]):
            yield from summed(place, kind.parts[0], where)
        case _:
            yield wrong_kind(place, kind, where, what(place))


def _sink(place: Place, where: Path) -> Iterator[Problem]:
    """`_`, in place of a result that may be left out or of anything else."""
    if place.writes and place.allows.sink:
        if since := place.operand_rule.sink_gate:
            yield from require("`{}` for a result", gate(since), place.context, where)
        return
    yield place.problem(
        "sink", f"`_` is not allowed as operand `{place.name}` of `{place.opcode}`", where,
        "this result can't be left out" if place.writes else "a value is needed here",
        expected=place.expected(), actual="`_`",
    )  # fmt: skip


def _component(kind: Kind, where: Path) -> Problem:
    """A component that neither vectors nor special registers have."""
    if kind.parts[0].sort == kinds.SPECIAL:
        return Problem(
            "unknown-special-register", "there is no special register `{}`", where, "no such component",
            expected=".x, .y, .z or .w" if kind.parts[0].count else "no component", actual=f".{kind.space}",
            rule="PTX ISA, Special Registers (10)",
            help="its components are `.x`, `.y` and `.z`" if kind.parts[0].count else "leave the component out",
        )  # fmt: skip
    return Problem(
        "vector-selector", f"a vector has no element `.{kind.space}`", where, "no such element",
        expected=".x, .y, .z, .w or .r, .g, .b, .a", actual=f".{kind.space}",
        rule="PTX ISA, Vectors as Operands (6.4.3)",
        help="the components are `.x`, `.y`, `.z` and `.w`, or `.r`, `.g`, `.b` and `.a`",
    )  # fmt: skip


def _part(place: Place, kind: Kind, where: Path) -> Iterator[Problem]:
    """A byte or a half of a register: `a.b0`, `a.h32`."""
    if any(fullmatch(selector, kind.space) for selector in place.template.selectors):
        yield from value(place, kind.parts[0], where)
        return
    selectors = " ".join(f".{selector}" for selector in place.template.selectors)
    yield place.problem(
        "vector-selector", f"operand `{place.name}` of `{place.opcode}` has no part `.{kind.space}`", where,
        "no such part",
        expected=selectors, actual=f".{kind.space}", rule="PTX ISA, Video Instructions (9.7.18)",
    )  # fmt: skip


def _register(place: Place, kind: Kind, where: Path) -> Iterator[Problem]:
    if kind.space == "beyond":
        yield place.problem(
            "selector-out-of-range" if place.context.follows_ptxas else "vector-selector",
            "the vector of `{}` has no such element", where, "beyond its end",
            expected="an element of the vector", actual="one beyond its end",
            rule="PTX ISA, Vectors as Operands (6.4.3)",
        )  # fmt: skip
    if place.count and not place.takes_one:
        yield advised(wrong_kind(place, kind, where, what(place), "vector-length"), place, 1)
        return
    declared = kind.type
    assert declared is not None
    if not place.agrees(declared):
        yield mismatch(place, declared, where)
    elif place.count:
        yield from alone(place, where)


def _vector(place: Place, kind: Kind, where: Path) -> Iterator[Problem]:
    declared = kind.type
    assert declared is not None
    if place.packs and place.type is not None:
        if declared.width * kind.count != place.type.width or declared.kind == "pred":
            yield wrong_kind(place, kind, where, f"elements of {place.type.width} bits in all", "vector-length")
        return
    shorter = place.allows.shorter and place.context.follows_ptxas and kind.count in lengths(place)
    if not shorter and (place.count != kind.count or place.template.elements):
        yield advised(wrong_kind(place, kind, where, what(place), "vector-length"), place, kind.count)
        return
    if not fits(place, place, declared):
        yield mismatch(place, declared, where)


def _complement(place: Place, inner: Kind) -> str | None:
    """How to compute what `!` means in other languages."""
    wanted, given = place.type, inner.type
    if wanted is None or wanted.kind not in "bsu" or given is None:
        return None
    if given.kind == "pred":
        return f"make it a number first: `selp.{wanted.name} %x, 0, 1, ...;`"
    return f"`not.b{given.width}` inverts the bits; `setp.eq` compares with 0" if given.kind in "bsu" else None


def _negated(place: Place, kind: Kind, where: Path) -> Iterator[Problem]:
    if not (place.template.negatable or place.allows.negated):
        yield place.problem(
            "negation", f"operand `{place.name}` of `{place.opcode}` can't be negated", where,
            "`!` is not allowed here",
            expected=what(place), actual=kind.text,
            help=_complement(place, kind.parts[0]),
        )  # fmt: skip
        return
    inner = kind.parts[0]
    if inner.sort in (kinds.REGISTER, kinds.SPECIAL) and inner.type is not None and inner.type.kind != "pred":
        yield mismatch(place, inner.type, (*where, 0))
    elif inner.sort in _ADDRESSES:
        yield wrong_kind(place, kind, where, "a predicate after `!`")
    else:
        yield from value(place, inner, (*where, 0))
