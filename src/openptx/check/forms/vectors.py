"""Checks brace lists (manual 6.4.3): number, types and kinds of their elements."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from openptx.check.availability import too_new
from openptx.check.explain.suggestions import short_float
from openptx.check.explain.type_errors import mismatch
from openptx.check.forms.immediates import is_short, judge_constant, no_integers
from openptx.check.operand import kinds
from openptx.check.operand.kinds import Kind
from openptx.check.operand.slot import Place
from openptx.check.problems import Path, Problem, rewrite, undeclared
from openptx.isa.notation import resolve
from openptx.isa.types import TYPES, Type

_DECLARED = frozenset((kinds.REGISTER, kinds.VARIABLE))
_TYPED = _DECLARED | {kinds.SPECIAL}
_NOT_PLAIN = frozenset((kinds.SPECIAL, kinds.VARIABLE))
_VECTORS = frozenset(("v2", "v4", "v8"))
_RULE = "PTX ISA, Vectors as Operands (6.4.3)"


def judge_list(place: Place, kind: Kind, where: Path) -> Iterator[Problem]:
    """The problems of a list: its length, its elements, their types together."""
    number = len(kind.parts)
    if number not in lengths(place):
        wanted = " or ".join(str(n) for n in lengths(place))
        elements = f"{wanted} element{'' if wanted == '1' else 's'}"
        must = f"must have {elements}, not {number}" if wanted else "must be a single value, not a list"
        problem = place.problem(
            "vector-length",
            f"operand `{place.name}` of `{place.opcode}` {must}",
            where,
            f"{number} element{'' if number == 1 else 's'}",
            expected=elements if wanted else "a single operand",
            actual=f"{number} elements",
            rule=_RULE,
        )
        yield advised(problem, place, number)
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
            "duplicate-destination",
            "a register occurs twice in this list of destinations",
            where,
            "which value it gets is undefined",
            rule=_RULE,
        )
    if all(part.sort == kinds.SINK for part in kind.parts):
        yield place.problem(
            "sink", "a list that contains only `_` has no effect", where, "every element is left out",
            expected="a register among them", actual="`_` alone",
        )  # fmt: skip
    else:
        yield from _types(place, kind, where)


def advised(problem: Problem, place: Place, number: int) -> Problem:
    """A wrong number of elements, with the opcode for that number: its `.v2` replaced, left out, or put before the
    type."""
    words = place.opcode.split(".")
    at = next((i for i, word in enumerate(words) if word in _VECTORS), None)
    before, after = (words[:-1], words[-1:]) if at is None else (words[:at], words[at + 1 :])
    opcode = ".".join([*before, *([f"v{number}"] if number > 1 else ()), *after])
    if opcode == place.opcode or not any(max(form.count_of(place.name, m), 1) == number for form, m in resolve(opcode)):
        wanted = lengths(place)
        return problem.advising(_written(place, wanted[0]), None) if wanted and wanted[0] <= len(_NAMES) else problem
    takes = f"{number} elements" if number > 1 else "a single register"
    return problem.advising(f"`{opcode}` takes {takes}", rewrite(opcode))


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
        case _ if _must_be_plain(place) and (part is kinds.PREDICATE_KIND or part.sort in _NOT_PLAIN):
            yield _no_element(place, part, where)
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
            yield _no_element(place, part, where)


def _must_be_plain(place: Place) -> bool:
    """Whether elements are registers of the function: the assembler moves them in statements of its own."""
    return place.context.follows_ptxas and place.operand_rule.says("plain elements")


def _no_element(place: Place, part: Kind, where: Path) -> Problem:
    return place.problem(
        "vector-element",
        f"an element of operand `{place.name}` of `{place.opcode}` must be a scalar register",
        where,
        part.described,
        expected="a scalar register",
        actual=part.text,
        rule=_RULE,
    )


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


def _types(place: Place, kind: Kind, where: Path) -> Iterator[Problem]:
    """The elements must agree with each other, and with the instruction."""
    element = of_element(place, len(kind.parts))
    # Integers are as wide as their neighbouring registers, even if these are wider than the instruction's type:
    # `st.v2.b8 [a], {0, %rs1}` (ptxas, measured, and nvcc's code for pairs of bytes).
    width = next((p.type.width for p in kind.parts if p.sort in _DECLARED and p.type is not None), None)
    types = [(i, own) for i, part in enumerate(kind.parts) if (own := _own(part, element, width)) is not None]
    for (_, last), (i, own) in pairwise(types):
        if not together(last, own):
            yield _disagreement(place, kind.parts[i], last, own, (*where, i))
            return
    typed = [own for i, own in types if kind.parts[i].sort in _TYPED]
    common = next((own for own in reversed(typed) if own.kind == "b"), typed[0] if typed else None)
    if common is not None and not fits(place, element, common):
        declared = ((i, part.type) for i, part in enumerate(kind.parts) if part.sort in _TYPED)
        yield from [mismatch(element, own, (*where, i)) for i, own in declared if own is not None][:1]
        return
    if place.m.aligned:  # fragments of matrices
        yield from _predicates(place, kind, where)
    yield from _constants(place, kind, where, element, common)


def _disagreement(place: Place, part: Kind, last: Type, own: Type, where: Path) -> Problem:
    return place.problem(
        "vector-element",
        f"the elements of a list must have one type, and `.{own.name}` doesn't agree with `{last}`",
        where,
        f"this is `.{own.name}`" if part.sort in _TYPED else part.described,
        expected=f".{last.name}",
        actual=f".{own.name}",
        rule=_RULE,
    )


def _constants(place: Place, kind: Kind, where: Path, element: Place, common: Type | None) -> Iterator[Problem]:
    """Constant elements: whether they are allowed, and have values of the type."""
    for i, part in enumerate(kind.parts):
        if part.sort not in (kinds.INTEGER, kinds.FLOAT):
            continue
        rejected = no_integers(place) if part.sort == kinds.INTEGER else part.bits == 64 and _short_floats(place)
        if rejected:
            yield _no_element(place, part, (*where, i))
        elif not i and not _may_lead(element, part):
            yield _no_element(place, part, (*where, i))
            return
        elif common is None and _needs_register(place) and not _stands_alone(element, part):
            yield _no_element(place, part, (*where, i))
            if place.allows.constant:
                return  # one error: beside a register the others would be accepted
        elif common is None and part.sort == kinds.FLOAT and place.allows.constant and _of_bits(element):
            yield from judge_constant(element, part, (*where, i))
        elif is_short(element, part):
            yield short_float(element, (*where, i))
        elif not _constant_fits(element, part, common):
            yield from judge_constant(element, part, (*where, i))


def _short_floats(place: Place) -> bool:
    """Whether the assembler rejects floats of 64 bits in this list (measured)."""
    narrow = _must_be_plain(place) and place.type is not None and place.type.width <= 32
    return narrow or (place.context.follows_ptxas and place.operand_rule.says("short floats"))


def _needs_register(place: Place) -> bool:
    """Whether constants are allowed in a place for registers only."""
    by_itself = place.context.follows_ptxas and place.operand_rule.says("registers in lists")
    return by_itself or not place.allows.constant


def _predicates(place: Place, kind: Kind, where: Path) -> Iterator[Problem]:
    """Predicates are accepted among the registers of a fragment, but the assembler's code generator fails on them."""
    for i, part in enumerate(kind.parts):
        if part is kinds.PREDICATE_KIND:
            yield place.problem(
                "assembler-crash" if place.context.crashes_measured else "document-disagrees",
                f"`{place.opcode}` can't take a predicate in operand `{place.name}`",
                (*where, i),
                "a predicate",
                expected="a register of 32 bits",
                actual=".pred",
                rule=_RULE,
            )


def _stands_alone(element: Place, part: Kind) -> bool:
    """Whether a list of constants only is accepted in a place for registers: they must have its type, not only its size
    (measured).

    `.f64` accepts floats of either size, and integers if it accepts 64-bit integer registers. Elements of any 32 bits
    accept `0f...`, but not if only integer registers are accepted.
    """
    wanted, rule = element.type, element.rule
    if wanted is None or rule is None:
        return False
    if part.sort == kinds.INTEGER:
        return wanted.kind in "su" or (wanted.name == "f64" and rule.type.kind == "b")
    any_bits = wanted.name == "b32" and not rule.strict
    return wanted.name == "f64" or (part.bits == 32 and (wanted.name == "f32" or any_bits))


def _of_bits(element: Place) -> bool:
    """Whether elements are bits, where a float constant must have their size if no element is a register."""
    return element.type is not None and element.type.kind == "b"


def _may_lead(element: Place, part: Kind) -> bool:
    """Whether a constant may be the first element, which decides about the type of lists that take integers for floats
    (measured).

    A float is `.f32` or `.f64` there, and an integer fits any single number whose type registers can have.
    """
    wanted = element.type
    decides = element.context.follows_ptxas and element.operand_rule.says("integers in lists")
    if wanted is None or wanted.kind != "f" or not decides:
        return True
    long = wanted.fundamental and wanted.count == 1
    return long and (part.sort == kinds.INTEGER or wanted.width >= 32)


def _own(part: Kind, element: Place, width: int | None) -> Type | None:
    """The type that an element contributes: a variable its declared one, a float one of the place's size, an integer
    one of `width`."""
    match part.sort:
        case kinds.REGISTER | kinds.VARIABLE:
            return part.type
        case kinds.SPECIAL if part.type is not None:
            return TYPES[f"b{part.type.width}"]
        case kinds.INTEGER if element.type is not None:
            return TYPES.get(f"s{width or element.type.width}")
        case kinds.FLOAT if element.type is not None:
            return TYPES.get("e4m3" if element.type.width == 8 else f"f{element.type.width}")
        case _:
            return None


def _constant_fits(element: Place, part: Kind, common: Type | None) -> bool:
    wanted = common or (element.rule.type if element.rule is not None else element.type)
    if wanted is None:
        return True
    if not element.context.follows_ptxas:
        return False
    if wanted.kind == "b" or (element.type is not None and element.type.kind == "b"):
        return True
    return (wanted.kind == "f") == (part.sort == kinds.FLOAT)


def together(a: Type, b: Type) -> bool:
    """Whether two elements can be adjacent in a list: equal widths, and not a float beside an integer.

    The assembler compares neighbours only, so an untyped element may separate a float from an integer: `{f, b, u}` is a
    list (ptxas 13.5, measured). A predicate and `.b32` can be adjacent, too.
    """
    if {a.kind, b.kind} == {"b", "pred"}:
        return 32 in (a.width, b.width)
    if a.width != b.width or ("pred" in (a.kind, b.kind) and a is not b):
        return False
    return "b" in (a.kind, b.kind) or a.name == b.name or (a.kind in "su" and b.kind in "su")


def fits(place: Place, element: Place, common: Type) -> bool:
    """Whether elements of a type fit. In the assembler, loads and stores of float vectors accept integers too."""
    if place.packs:
        return common.kind != "pred" and element.type is not None and common.width == element.type.width
    if element.agrees(common):
        return True
    wanted = element.type
    return (
        element.context.follows_ptxas
        and (place.form.instruction.access in ("load", "store") or place.operand_rule.says("integers in lists"))
        and bool(place.count)
        and wanted is not None
        and wanted.kind == "f"
        and wanted.fundamental
        and wanted.count == 1
        and common.kind in "su"
        and common.width == wanted.width
    )


def of_element(place: Place, count: int) -> Place:
    """The place of one element of a list."""
    type = place.type
    if place.packs and type is not None:
        type = TYPES.get(f"b{type.width // count}")
    element = Place(place.form, place.m, place.template, type, place.context)
    element.count, element.packs = 0, False
    return element
