"""Judges brace lists (manual 6.4.3): how many elements, of which types, and what may stand among them."""

from __future__ import annotations

from openptx.check import kinds
from openptx.check.problems import Path, Problem
from openptx.isa.types import TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from openptx.check.kinds import Kind
    from openptx.check.places import Place
    from openptx.isa.types import Type

_RULE = "PTX ISA, Vectors as Operands (6.4.3)"


def judge_list(place: Place, kind: Kind, where: Path) -> Iterator[Problem]:
    """What is wrong with a list: its length, its elements, their types together."""
    number = len(kind.parts)
    if number not in lengths(place):
        wanted = " or ".join(str(n) for n in lengths(place)) or "no"
        yield Problem(
            "vector-length",
            f"operand `{place.name}` of `{place.opcode}` has {wanted} elements, not {number}",
            where,
            f"{number} element{'' if number == 1 else 's'}",
            operand=place.name,
            expected=f"{wanted} elements" if wanted != "no" else "a single operand",
            actual=f"{number} elements",
            rule=_RULE,
        )
        return
    bad = False
    for i, part in enumerate(kind.parts):
        for problem in _element(place, part, (*where, i)):
            bad = True
            yield problem
    if bad:
        return
    if place.writes and not kind.literal:
        yield Problem(
            "duplicate-destination",
            "a register stands twice in this list of destinations",
            where,
            "which value it gets is undefined",
            operand=place.name,
            rule=_RULE,
        )
    yield from _types(place, kind, where)


def lengths(place: Place) -> tuple[int, ...]:
    """How many elements a list may have here; none where no list can stand."""
    type = place.type
    if place.packs and type is not None:
        return tuple(n for n in (1, 2, 4) if n == 1 or type.width // n >= 8)
    if place.count:
        return (place.count,)
    if place.said.says("a list of one"):
        return (1, 2) if place.allows.shorter and place.context.precedent else (1,)
    return ()


def _element(place: Place, part: Kind, where: Path) -> Iterator[Problem]:
    """What can't be an element at all."""
    match part.sort:
        case kinds.REGISTER:
            return
        case kinds.SPECIAL if not part.count:
            return
        case kinds.SINK if place.writes or (place.said.says("sinks in lists") and place.type is TYPES["b32"]):
            return  # as a source, the assembler takes it in `mov.v2.b32` alone
        case kinds.INTEGER | kinds.FLOAT if not place.writes and place.allows.constant:
            return
        case kinds.NAME:
            yield Problem("unknown-name", "`{}` is not declared", where, "no such name here")
        case kinds.FUNCTION | kinds.VARIABLE if place.said.says("names in lists"):
            return
        case _:
            yield Problem(
                "vector-element",
                f"an element of operand `{place.name}` of `{place.opcode}` is a scalar register",
                where,
                f"this is {part.text}",
                operand=place.name,
                expected="a scalar register",
                actual=part.text,
                rule=_RULE,
            )


def _types(place: Place, kind: Kind, where: Path) -> Iterator[Problem]:
    """The elements agree with each other, and with the instruction."""
    from openptx.check.disagreement import mismatch
    from openptx.check.operands import constant

    common: Type | None = None
    sink = 0
    for i, part in enumerate(kind.parts):
        if part.sort == kinds.SINK:
            sink += 1
        elif part.sort in (kinds.REGISTER, kinds.SPECIAL) and part.type is not None:
            own = part.type if part.sort == kinds.REGISTER else TYPES[f"b{part.type.width}"]
            joined = own if common is None else together(common, own)
            if joined is None:
                yield Problem(
                    "vector-element",
                    f"the elements of a list have one type, and `.{part.type.name}` doesn't go with `{common}`",
                    (*where, i),
                    f"this is `.{part.type.name}`",
                    operand=place.name,
                    expected=f".{common.name}" if common else None,
                    actual=f".{part.type.name}",
                    rule=_RULE,
                )
                return
            common = joined
    if sink == len(kind.parts):
        yield Problem(
            "sink", "a list of nothing but `_` has no effect", where, "every element is left out", operand=place.name
        )
        return
    element = of_element(place, len(kind.parts))
    if common is not None and not fits(place, element, common):
        for i, part in enumerate(kind.parts):
            if part.sort in (kinds.REGISTER, kinds.SPECIAL) and part.type is not None:
                yield mismatch(element, part.type, (*where, i))
                break
        return
    for i, part in enumerate(kind.parts):
        if part.sort in (kinds.INTEGER, kinds.FLOAT) and not _constant_fits(element, part, common):
            yield from constant(element, part, (*where, i))


def _constant_fits(element: Place, part: Kind, common: Type | None) -> bool:
    wanted = common or element.type
    if wanted is None:
        return True
    if not element.context.precedent:
        return False
    if wanted.kind == "b" or (element.type is not None and element.type.kind == "b"):
        return True
    return (wanted.kind == "f") == (part.sort == kinds.FLOAT)


def together(a: Type, b: Type) -> Type | None:
    """The type of a list that holds both: of one width, and not a float beside an integer."""
    if b.kind == "pred" and a.width == 32 and a.kind == "b":
        return a
    if a.width != b.width or ("pred" in (a.kind, b.kind) and a is not b):
        return None
    if a.kind == "b":
        return b
    if b.kind == "b" or a.name == b.name or (a.kind in "su" and b.kind in "su"):
        return a
    return None


def fits(place: Place, element: Place, common: Type) -> bool:
    """Whether elements of a type fit. Loads and stores of float vectors take integers too, as the assembler does."""
    if place.packs:
        return common.kind != "pred" and element.type is not None and common.width == element.type.width
    if element.agrees(common):
        return True
    wanted = element.type
    return (
        element.context.precedent
        and place.form.instruction.access in ("load", "store")
        and bool(place.count)
        and wanted is not None
        and wanted.kind == "f"
        and common.kind in "su"
        and common.width == wanted.width
    )


def of_element(place: Place, count: int) -> Place:
    """The place of one element of a list."""
    from openptx.check.places import Place

    type = place.type
    if place.packs and type is not None:
        type = TYPES.get(f"b{type.width // count}")
    element = Place(place.form, place.m, place.template, type, place.context)
    element.count, element.packs = 0, False
    return element
