"""Checks the further operands of an address: texel or box coordinates, samplers (6.4.1)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from openptx.check.availability import INDIRECT_SAMPLING, require, too_new
from openptx.check.forms.list_types import pieces
from openptx.check.operand import kinds
from openptx.check.operand.kinds import Kind
from openptx.check.operand.slot import Place
from openptx.check.problems import Path, Problem, undeclared
from openptx.isa.types import TYPES, Type

_VECTORS = (1, 2, 4)
_NOT_SINGLE = frozenset((kinds.SELECTED, kinds.VECTOR, kinds.FUNCTION))
_SHORT = (1, 2)
"""The first version of PTX in which coordinates of textures may have fewer than four elements (ptxas 13.5)."""


def judge_parts(place: Place, parts: tuple[Kind, ...], where: Path) -> Iterator[Problem]:
    """The parts after the address, under their names in the form."""
    for number, (name, kind) in enumerate(zip(place.template.parts[1:], parts, strict=False), 1):
        count, type = place.form.count_of(name, place.m), place.form.type_of(name, place.m)
        if type is not None and type.kind == "opaque":
            found = list(_sampler(place, name, kind, (*where, number)))
            yield from found
            if found:
                return
        if type is not None and not count and type.kind in "bsu" and not _fits(kind, type):
            label, expected = kind.described, f"a {type.width}-bit integer register"
            message = f"`{name}` in the address of `{place.opcode}` is in {expected}"
            yield Problem(
                "operand-type", message, (*where, number), label, operand=name, expected=expected, actual=kind.text
            )
            return
        if not count or type is None:
            continue
        unknown = [i for i, part in enumerate(kind.parts) if part.sort == kinds.NAME]
        if unknown:
            yield Problem("unknown-name", "`{}` is not declared", (*where, number, unknown[0]), "no such name here")
            return
        for number_within, part in enumerate(kind.parts if kind.sort == kinds.LIST else (kind,)):
            yield from too_new(place.context, part, (*where, number, number_within))
        problem = (
            _length(place, name, count, kind)
            or _elements(place, name, type, kind)
            or (_moved(place, name, type, kind) if kind.sort == kinds.LIST else None)
        )
        if problem is not None:
            about, message, label = problem
            yield Problem(
                about, message, (*where, number), label, operand=name, expected=f"{count} elements", actual=kind.text,
                help=_completed(place, name, count, kind) if about == "vector-length" else None,
            )  # fmt: skip
            return


def _fits(kind: Kind, type: Type) -> bool:
    register = kind.type if kind.sort == kinds.REGISTER else None
    return register is not None and register.kind in "bsu" and register.width == type.width


def samples(place: Place) -> bool:
    """Whether this is an instruction that samples a texture."""
    return "samplerref" in place.form.instruction.types.values()


def lacks_sampler(place: Place) -> bool:
    """Whether this is the form without a sampler of a texture instruction that must have one in the file's mode."""
    return place.context.independent_textures and samples(place) and len(place.template.parts) == 2


def no_sampler(place: Place, where: Path) -> Problem:
    """Coordinates directly after the texture, in a file where samplers are separate."""
    return place.problem(
        "address-form", f"`{place.opcode}` needs a sampler after the texture in the file's mode, `texmode_independent`",
        where, "no sampler",
        expected="`[a, b, c]`: texture, sampler, coordinates", actual="`[a, c]`: no sampler",
        rule="PTX ISA, Texturing Modes (9.7.10.1)",
    )  # fmt: skip


def whole_array(place: Place, where: Path) -> Problem:
    """An array of textures, samplers or surfaces in place of one of them (measured, ptxas 13.5)."""
    return place.problem(
        "operand-kind",
        f"`{place.opcode}` takes one `.{place.form.instruction.types[place.name]}`, not an array of them", where,
        "an array",
        expected="one of them, or a 64-bit register", actual="the whole array",
        rule="PTX ISA, Texture Sampler and Surface Types (5.3)",
        help="take the address of the one you mean: `mov.u64 %rd, name+8;`",
    )  # fmt: skip


def _sampler(place: Place, name: str, kind: Kind, where: Path) -> Iterator[Problem]:
    """A sampler between the texture and the coordinates."""
    unified = not place.context.independent_textures
    if kind.sort == kinds.NAME and not unified:
        yield undeclared(where, _is_sampler)
        return
    if kind.sort == kinds.LIST or (not unified and not _is_sampler(kind)):
        yield Problem(
            "operand-kind", f"`{place.opcode}` takes a sampler after the texture", where,
            kind.described, operand=name, expected="a `.samplerref`, or a 64-bit register",
            actual=kind.text, rule="PTX ISA, Texturing Modes (9.7.10.1)",
        )  # fmt: skip
        return
    if kind.sort == kinds.REGISTER:
        yield from require("a sampler in a register", INDIRECT_SAMPLING, place.context, where)
    if unified and place.context.follows_ptxas and not _overlooks(place, kind):
        yield Problem(
            "operand-kind", f"`{place.opcode}` takes no sampler with `.texmode_unified`", where,
            kind.described, operand=name, expected="coordinates after the texture",
            actual=kind.text, rule="PTX ISA, Texturing Modes (9.7.10.1)",
        )  # fmt: skip


def _overlooks(place: Place, kind: Kind) -> bool:
    """Whether the assembler accepts this between texture and coordinates in a mode without samplers: what may be a
    handle, and unless there are gradients what may be the coordinates (measured)."""
    if place.m.geom in ("cube", "acube") and place.m.mipmap != "level":
        return False
    declared = kind.type
    match kind.sort:
        case kinds.NAME:
            return True  # reported where the coordinates are
        case kinds.VARIABLE:
            return kind.literal and declared is not None and (declared.kind == "opaque" or declared.width == 64)
        case kinds.REGISTER if declared is not None and declared.kind in "bsu" and declared.width == 64:
            return True
        case kinds.FUNCTION | kinds.REGISTER | kinds.VECTOR if place.m.mipmap != "grad":
            type, count = place.form.type_of("c", place.m), place.form.count_of("c", place.m)
            if kind.sort == kinds.FUNCTION or type is None:
                return True
            return (_length(place, "c", count, kind) or _elements(place, "c", type, kind)) is None
        case _:
            return False


def _is_sampler(kind: Kind) -> bool:
    match kind.sort:
        case kinds.REGISTER if kind.type is not None:
            return kind.type.kind in "bsu" and kind.type.width == 64
        case kinds.VARIABLE if kind.type is not None:
            return kind.type.name == "samplerref" and kind.literal and not kind.count
        case _:
            return False


_Found = tuple[str, str, str] | None


def _length(place: Place, name: str, count: int, kind: Kind) -> _Found:
    padded = name in place.form.instruction.may_be_longer
    if padded and place.context.version < _SHORT and place.context.follows_ptxas:
        count = 4
    if kind.sort == kinds.LIST:
        given = len(kind.parts)
    elif kind.sort == kinds.VECTOR:
        given = kind.count
    elif kind.sort == kinds.REGISTER and padded:
        return None  # the assembler takes one register for any geometry
    elif kind.sort == kinds.NAME:
        return "unknown-name", "`{}` is not declared", "no such name here"
    else:
        return "operand-kind", f"`{name}` of `{place.opcode}` must be a list in braces", kind.described
    if given == count or (padded and given > count and given in _VECTORS):
        return None
    return (
        "vector-length",
        f"`{name}` of `{place.opcode}` must have {count} element{'s' if count > 1 else ''}, not {given}",
        f"{given} element{'s' if given > 1 else ''}",
    )


def _completed(place: Place, name: str, count: int, kind: Kind) -> str | None:
    """The help for a list of another length; of coordinates the last may be one that is not read (9.7.10.3)."""
    if (
        name not in place.form.instruction.may_be_longer
        or kind.sort != kinds.LIST
        or (count, len(kind.parts)) != (4, 3)
    ):
        return f"write `{{{', '.join('xyzwv'[:count])}}}`" if count > 1 else "write one element"
    return "add a fourth element, which is not read: `{x, y, z, z}`"


def _single(place: Place, name: str, width: int, part: Kind, listed: bool) -> _Found:
    """The problem with one element by itself, or with a whole vector in place of a list."""
    if part.sort == kinds.SINK:
        return "sink", f"`_` is not allowed in `{name}` of `{place.opcode}`", "a value is needed here"
    if (part.sort in _NOT_SINGLE and listed) or (part.sort == kinds.SPECIAL and part.count):
        return "vector-element", f"the elements of `{name}` of `{place.opcode}` must be single values", "not a value"
    if part.type is not None and part.type.width != width:
        message = f"the elements of `{name}` of `{place.opcode}` must have {width} bits"
        return "operand-size", message, f"this holds `.{part.type.name}`"
    return None


def _elements(place: Place, name: str, type: Type, kind: Kind) -> _Found:
    """All elements have the type's size; each has the type of the one before it, or is untyped; all have the form's
    type. The index of an array of textures must only be an integer (measured)."""
    listed = kind.sort == kinds.LIST
    parts = kind.parts if listed else (kind,)
    if found := next(filter(None, (_single(place, name, type.width, part, listed) for part in parts)), None):
        return found
    sorts, fixed = [_sort(part) for part in parts], place.form.instruction.types.get(name) in TYPES
    geometry = str(place.m.values.get("geom") or "")
    layered = listed and not fixed and geometry.startswith("a")
    if layered and name in place.form.instruction.may_be_longer:
        at = int(geometry.endswith("ms"))  # after the index of a sample, which may be anything
        layer, sorts = sorts[at], sorts[at + 1 :]
        if layer not in ("", "i", "1"):
            which = ("first", "second")[at]
            message = f"the {which} element of `{name}` of `{place.opcode}` must be an integer, the index of a layer"
            return "operand-type", message, parts[at].described
    if any(one and other and _ALIKE[one] != _ALIKE[other] for one, other in pairwise(sorts)):
        return "operand-type", f"the elements of `{name}` of `{place.opcode}` must have one type", "integers and floats"
    fitting = _fitting(type, fixed, listed)
    if len(set(sorts)) > 1 or sorts[0] in fitting or (layered and sorts[0] != "1"):
        return None
    message = f"the first element of `{name}` of `{place.opcode}` must be `.{type.name}`"
    return "operand-type", message, parts[0].described


def _moved(place: Place, name: str, type: Type, kind: Kind) -> _Found:
    """The problem with an element that the assembler moves by itself, where it takes the list apart (measured)."""
    for i in (i for piece in pieces(place, name, len(kind.parts)) for i in piece):
        part = kind.parts[i]
        special = part.sort == kinds.SPECIAL and type.kind == "f"
        if special or _sort(part) not in (("", "f", ".") if type.kind == "f" else ("", "i", "1", "p")):
            return (
                "operand-type",
                f"the elements of `{name}` of `{place.opcode}` must be `.{type.name}`",
                part.described,
            )
    return None


def _fitting(type: Type, fixed: bool, listed: bool) -> tuple[str, ...]:
    """The kind of the first element, as `_sort` names it."""
    if type.kind == "f":
        return ("", "f", ".", "i") if listed else ("", "f")
    return ("", "i", "1") if fixed else ("", "i", "1", "p")


_ALIKE = {"i": "i", "1": "i", "f": "f", ".": "f", "p": "p"}


def _sort(kind: Kind) -> str:
    """The sort that is compared with that of the previous element: integers and floats, in registers `i f` or constants
    `1 .` (one of 32 bits is `f`), a pair of halves `p`; nothing for bits and special registers, which may be any."""
    if kind.sort == kinds.SPECIAL:
        return ""
    if kind.sort in (kinds.INTEGER, kinds.FLOAT):
        return "1" if kind.sort == kinds.INTEGER else "f" if kind.bits == 32 else "."
    if kind.type is None or kind.type.kind == "b":
        return ""
    return "p" if kind.type.name == "f16x2" else "f" if kind.type.kind == "f" else "i"
