"""Judges brace lists (manual 6.4.3): how many elements, of which types, and what may stand among them."""

from __future__ import annotations

from openptx.check import kinds
from openptx.check.problems import Path, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from openptx.check.kinds import Kind
    from openptx.check.operands import Place

_RULE = "PTX ISA, Vectors as Operands (6.4.3)"


def judge_list(place: Place, kind: Kind, where: Path) -> Iterator[Problem]:
    """What is wrong with a list, element by element."""
    from openptx.check.operands import value

    wanted = place.count
    if place.packs:
        wanted = len(kind.parts) if len(kind.parts) in (2, 4) else 2
    if len(kind.parts) != wanted and not (not wanted and len(kind.parts) == 1 and place.relaxed):
        yield Problem(
            "vector-length",
            f"operand `{place.name}` of `{place.opcode}` has {wanted} elements, not {len(kind.parts)}"
            if wanted
            else f"operand `{place.name}` of `{place.opcode}` is no list",
            where,
            f"{len(kind.parts)} elements",
            operand=place.name,
            expected=f"{wanted} elements" if wanted else "a single operand",
            actual=f"{len(kind.parts)} elements",
            rule=_RULE,
        )
        return
    element = Element(place, len(kind.parts))
    for i, part in enumerate(kind.parts):
        yield from value(element, part, (*where, i))


def Element(place: Place, count: int) -> Place:
    """The place of one element of a list."""
    from openptx.check.operands import Place
    from openptx.check.places import Allowance
    from openptx.isa.types import TYPES

    type = place.type
    if place.packs and type is not None:
        type = TYPES.get(f"b{type.width // count}")
    element = Place(place.form, place.m, place.template, type, place.context)
    element.count, element.packs = 0, False
    element.allows = Allowance(
        sink=True,
        special="narrower",
        address=place.allows.address,
        function=place.allows.function,
        constant=place.allows.constant,
    )
    return element
