"""Judges what stands in brackets after an address: the coordinates of a texel, or of a box of a tensor (6.4.1)."""

from __future__ import annotations

from openptx.check.availability import too_new
from openptx.check.operand import kinds
from openptx.check.problems import Path, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from openptx.check.operand.kinds import Kind
    from openptx.check.operand.slot import Place
    from openptx.isa.types import Type

_WIDTH = 32
_VECTORS = (1, 2, 4)


def judge_parts(place: Place, parts: tuple[Kind, ...], where: Path) -> Iterator[Problem]:
    """The parts after the address, under the names that the form gives them."""
    for number, (name, kind) in enumerate(zip(place.template.parts[1:], parts, strict=False), 1):
        count, type = place.form.count_of(name, place.m), place.form.type_of(name, place.m)
        if type is not None and type.kind == "opaque" and place.context.independent and not _is_sampler(kind):
            yield Problem(
                "operand-kind", f"`{place.opcode}` takes a sampler after the texture", (*where, number),
                f"this is {kind.text}", operand=name, expected="a `.samplerref`, or a 64-bit register",
                actual=kind.text, rule="PTX ISA, Texturing Modes (9.7.10.1)",
            )  # fmt: skip
            return
        if not count or type is None:
            continue
        unknown = [i for i, part in enumerate(kind.parts) if part.sort == kinds.NAME]
        if unknown:
            yield Problem("unknown-name", "`{}` is not declared", (*where, number, unknown[0]), "no such name here")
            return
        for number_within, part in enumerate(kind.parts if kind.sort == kinds.LIST else (kind,)):
            yield from too_new(place.context, part, (*where, number, number_within))
        problem = _length(place, name, count, kind) or _elements(place, name, type, kind)
        if problem is not None:
            about, message, label = problem
            yield Problem(
                about, message, (*where, number), label, operand=name, expected=f"{count} elements", actual=kind.text
            )
            return


def _is_sampler(kind: Kind) -> bool:
    if kind.type is None or kind.sort == kinds.NAME:
        return True
    if kind.sort == kinds.REGISTER:
        return kind.type.kind in "bsu" and kind.type.width == 64
    return kind.sort == kinds.VARIABLE and kind.type.name == "samplerref"


_Found = tuple[str, str, str] | None


def _length(place: Place, name: str, count: int, kind: Kind) -> _Found:
    padded = name in place.form.instruction.may_be_longer
    if kind.sort == kinds.LIST:
        given = len(kind.parts)
    elif kind.sort == kinds.VECTOR:
        given = kind.count
    elif kind.sort == kinds.REGISTER and padded:
        return None  # the assembler takes one register for any geometry
    elif kind.sort == kinds.NAME:
        return "unknown-name", "`{}` is not declared", "no such name here"
    else:
        return "operand-kind", f"`{name}` of `{place.opcode}` is a list in braces", f"this is {kind.text}"
    if given == count or (padded and given > count and given in _VECTORS):
        return None
    return (
        "vector-length",
        f"`{name}` of `{place.opcode}` has {count} element{'s' if count > 1 else ''}, not {given}",
        f"{given} element{'s' if given > 1 else ''}",
    )


def _elements(place: Place, name: str, type: Type, kind: Kind) -> _Found:
    """All of 32 bits. The first tells integers from floats, but for the index of an array."""
    parts = kind.parts if kind.sort == kinds.LIST else (kind,)
    for part in parts:
        if part.sort == kinds.SINK:
            return "sink", f"`_` can't stand in `{name}` of `{place.opcode}`", "a value is needed here"
        if (part.sort == kinds.SPECIAL and part.count) or part.sort == kinds.SELECTED:
            return "vector-element", f"the elements of `{name}` of `{place.opcode}` are single values", "not a value"
        if part.type is not None and part.type.width != _WIDTH:
            return (
                "operand-size",
                f"the elements of `{name}` of `{place.opcode}` have {_WIDTH} bits",
                f"this holds `.{part.type.name}`",
            )
    layered = name in place.form.instruction.may_be_longer and (place.m.values.get("geom") or "")[:1] == "a"
    first = _letter(parts[0])
    wanted = "i" if type.kind != "f" or (layered and kind.sort == kinds.LIST) else "f"
    if first and first != wanted and (wanted == "i" or kind.sort == kinds.REGISTER):
        what = "an index of layers" if type.kind == "f" and layered else f"`.{type.name}`"
        return (
            "operand-type",
            f"the first element of `{name}` of `{place.opcode}` is {what}",
            f"this is {parts[0].text}",
        )
    rest = {_letter(part) for part in parts[layered:]} - {""}
    if name in place.form.instruction.may_be_longer and len(rest) > 1 and first:
        return "operand-type", f"the elements of `{name}` of `{place.opcode}` are of one type", "integers and floats"
    return None


def _letter(kind: Kind) -> str:
    """`f` for a float, `i` for an integer, nothing for bits, which may be either."""
    if kind.sort == kinds.INTEGER:
        return "i"
    if kind.sort == kinds.FLOAT:
        return "f"
    return "" if kind.type is None or kind.type.kind == "b" else "f" if kind.type.kind == "f" else "i"
