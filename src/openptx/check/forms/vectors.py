"""Checks brace lists (manual 6.4.3): number, types and kinds of their elements."""

from __future__ import annotations

from collections.abc import Iterator

from openptx.check.availability import too_new
from openptx.check.forms.list_types import fits, judge_types, must_be_plain, no_element, of_element
from openptx.check.operand import kinds
from openptx.check.operand.kinds import Kind
from openptx.check.operand.slot import Place
from openptx.check.problems import Path, Problem, rewrite, undeclared
from openptx.isa.notation import resolve
from openptx.isa.types import TYPES

_DECLARED = frozenset((kinds.REGISTER, kinds.VARIABLE))
_NOT_PLAIN = frozenset((kinds.SPECIAL, kinds.VARIABLE))
_VECTORS = frozenset(("v2", "v4", "v8"))
_RULE = "PTX ISA, Vectors as Operands (6.4.3)"


def judge_list(place: Place, kind: Kind, where: Path) -> Iterator[Problem]:
    """The problems of a list: its length, its elements, their types together."""
    number = len(kind.parts)
    if number not in lengths(place):
        yield _wrong_length(place, number, where)
        return
    bad = False
    for i, part in enumerate(kind.parts):
        for problem in _element(place, part, number, (*where, i)):
            bad = True
            yield problem
    if bad:
        return
    if place.writes and not kind.literal:
        yield place.problem(
            "duplicate-destination", "a register occurs twice in this list of destinations", where,
            "which value it gets is undefined",
            rule=_RULE,
        )  # fmt: skip
    if all(part.sort == kinds.SINK for part in kind.parts):
        yield place.problem(
            "sink", "a list that contains only `_` has no effect", where, "every element is left out",
            expected="a register among them", actual="`_` alone",
        )  # fmt: skip
    else:
        yield from judge_types(place, kind, where)


def _wrong_length(place: Place, number: int, where: Path) -> Problem:
    packing = None if place.count else _packing(place)
    opcode, allowed = packing or (place.opcode, lengths(place))
    wanted = " or ".join(map(str, allowed))
    elements = f"{wanted} element{'' if wanted == '1' else 's'}"
    must = f"must have {elements}, not {number}" if allowed else "must be a single value, not a list"
    other = opcode != place.opcode
    problem = place.problem(
        "vector-length",
        f"operand `{place.name}` of `{place.opcode}` {'must be a single value, not a list' if other else must}",
        where, f"{number} element{'' if number == 1 else 's'}",
        expected=elements if allowed and not other else "a single operand", actual=f"{number} elements", rule=_RULE,
    )  # fmt: skip
    if packing is None:
        return advised(problem, place, number)
    verb = "unpacks" if place.writes else "packs"
    help = f"`{opcode}` {verb} {elements}, which fill its bits together"
    return problem.advising(help, rewrite(opcode) if other and number in allowed else None)


def advised(problem: Problem, place: Place, number: int) -> Problem:
    """A wrong number of elements, with the opcode for that number: its `.v2` replaced, left out, or put before the
    type."""
    words = place.opcode.split(".")
    at = next((i for i, word in enumerate(words) if word in _VECTORS), None)
    before, after = (words[:-1], words[-1:]) if at is None else (words[:at], words[at + 1 :])
    opcode = ".".join([*before, *([f"v{number}"] if number > 1 else ()), *after])
    if opcode == place.opcode or not any(max(form.count_of(place.name, m), 1) == number for form, m in resolve(opcode)):
        wanted = lengths(place)
        if not wanted:
            return problem.advising("write one operand, without braces", None)
        return problem.advising(_written(place, wanted[0]), None) if wanted[0] <= len(_NAMES) else problem
    takes = f"{number} elements" if number > 1 else "a single register"
    return problem.advising(f"`{opcode}` takes {takes}", rewrite(opcode))


def _packing(place: Place) -> tuple[str, tuple[int, ...]] | None:
    """The opcode that packs a list into a register of this type, or unpacks one, and the lengths of its lists: a list
    of one element is not packed."""
    if place.type is None:
        return None
    opcode = f"{place.opcode.rpartition('.')[0]}.b{place.type.width}"
    for form, m in resolve(opcode):
        template = next((each for each in form.operands if each.name == place.name), None)
        if template is not None:
            packed = Place(form, m, template, form.type_of(template.name, m), place.context)
            if packed.packs and (counts := tuple(n for n in lengths(packed) if n > 1)):
                return opcode, counts
    return None


_NAMES = "abcdefgh"


def _written(place: Place, count: int) -> str:
    """The help that shows a list of so many elements."""
    form = f"write `{{{', '.join(_NAMES[:count])}}}`"
    left_out = place.writes and _may_be_left_out(place)
    return f"{form}, with `_` for results that are not needed" if left_out and count > 1 else form


def lengths(place: Place) -> tuple[int, ...]:
    """The allowed lengths of a list in this place; none if no list is allowed."""
    type = place.type
    if place.packs and type is not None:
        return tuple(n for n in (1, 2, 4) if n == 1 or type.width // n >= 8)
    if place.count and place.name in place.form.instruction.may_be_longer and place.context.follows_ptxas:
        return tuple(n for n in (1, 2, 4) if n >= place.count)
    if place.count:
        return (place.count,)
    of_floats = place.operand_rule.says("a list of one float") and place.m.type.kind == "f"
    if of_floats or place.operand_rule.says("a list of one"):
        return (1, 2, 4) if place.allows.shorter and place.context.follows_ptxas else (1,)
    return ()


def _element(place: Place, part: Kind, number: int, where: Path) -> Iterator[Problem]:
    """The problem with something that cannot be an element at all."""
    match part.sort:
        case _ if must_be_plain(place) and (part is kinds.PREDICATE_KIND or part.sort in _NOT_PLAIN):
            yield no_element(place, part, where)
        case kinds.REGISTER:
            return
        case kinds.SPECIAL if not part.count:
            yield from too_new(place.context, part, where)
        case kinds.SINK if _may_be_left_out(place):
            return
        case kinds.INTEGER | kinds.FLOAT if not place.writes and (place.allows.constant or place.context.follows_ptxas):
            return
        case kinds.NAME:
            element = of_element(place, number)
            yield undeclared(
                where,
                lambda kind: kind.sort == kinds.REGISTER and kind.type is not None and fits(place, element, kind.type),
            )
        case kinds.VARIABLE if not place.writes and part.type is not None and part.type.kind != "opaque":
            return
        case _:
            yield no_element(place, part, where)


def _may_be_left_out(place: Place) -> bool:
    """Whether an element may be `_`: a result that is not read too."""
    if place.writes:
        moved = place.context.follows_ptxas and place.operand_rule.says("no sinks")
        return not (place.updates or moved)
    return _leaves_out(place)


def _leaves_out(place: Place) -> bool:
    """Whether a source may be `_`: in 256-bit stores, which leave that part unchanged (9.7.9.11), and in `mov.v2.b32`
    (ptxas)."""
    type, said = place.type, place.operand_rule
    if said.says("sinks in 256 bits"):
        return type is not None and type.width * place.count == 256
    return said.says("sinks in lists") and type is TYPES["b32"]
