"""Checks the types of brace lists (manual 6.4.3): elements agree with each other, and with the instruction."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from openptx.check.explain.suggestions import short_float
from openptx.check.explain.type_errors import mismatch
from openptx.check.forms.immediates import is_short, judge_constant, no_integers
from openptx.check.operand import kinds
from openptx.check.operand.kinds import Kind
from openptx.check.operand.slot import Place
from openptx.check.problems import Path, Problem
from openptx.isa import agreement
from openptx.isa.types import TYPES, Type

_DECLARED = frozenset((kinds.REGISTER, kinds.VARIABLE))
_TYPED = _DECLARED | {kinds.SPECIAL}
_RULE = "PTX ISA, Vectors as Operands (6.4.3)"


def judge_types(place: Place, kind: Kind, where: Path) -> Iterator[Problem]:
    """The elements must agree with each other, and with the instruction."""
    element = of_element(place, len(kind.parts))
    # Integers are as wide as their neighbouring registers, even if these are wider than the instruction's type:
    # `st.v2.b8 [a], {0, %rs1}` (ptxas, measured, and nvcc's code for pairs of bytes).
    beside = _TYPED if _integer_decides(place, kind) else _DECLARED
    width = next((p.type.width for p in kind.parts if p.sort in beside and p.type is not None), None)
    types = [(i, own) for i, part in enumerate(kind.parts) if (own := _own(part, element, width)) is not None]
    for (_, last), (i, own) in pairwise(types):
        if not together(last, own):
            yield _disagreement(place, kind.parts[i], last, own, (*where, i))
            return
    typed = [own for i, own in types if kind.parts[i].sort in _TYPED]
    common = _common_with_constants(place, kind, typed)
    decided = _integer_decides(place, kind) and common is not None and common.kind in "bsu"
    if common is not None and not decided and not fits(place, element, common):
        declared = ((i, part.type) for i, part in enumerate(kind.parts) if part.sort in _TYPED)
        yield from [mismatch(element, own, (*where, i)) for i, own in declared if own is not None][:1]
        return
    if typed and (problem := _wrong_piece(place, element, kind, types, where)) is not None:
        yield problem
        return
    if place.m.aligned:  # fragments of matrices
        yield from _predicates(place, kind, where)
    yield from _constants(place, kind, where, element, common)


def _wrong_piece(
    place: Place, element: Place, kind: Kind, types: list[tuple[int, Type]], where: Path
) -> Problem | None:
    """The problem of the first piece whose elements do not fit."""
    for piece in pieces(place, place.name, place.count):
        inside = [(i, own) for i, own in types if i in piece]
        if inside and not _fits_piece(place, element, piece, inside, kind):
            i, own = inside[0]
            part, at = kind.parts[i], (*where, i)
            return mismatch(element, own, at) if part.sort in _TYPED else no_element(place, part, at)
    return None


def _common(place: Place, types: list[Type]) -> Type | None:
    """The type of a list: bits if an element is of bits or, in the assembler, if some are signed and some unsigned."""
    if place.context.follows_ptxas and {"s", "u"} <= {own.kind for own in types}:
        return TYPES[f"b{types[0].width}"]
    return next((own for own in reversed(types) if own.kind == "b"), types[0] if types else None)


def _common_with_constants(place: Place, kind: Kind, types: list[Type]) -> Type | None:
    """The type of a list of these registers' types and of its constants."""
    common = _common(place, types)
    if common is not None and place.context.follows_ptxas and _differs(place, kind, common):
        return TYPES[f"b{common.width}"]
    return common


def _integer_decides(place: Place, kind: Kind) -> bool:
    """Whether an integer constant at the beginning alone decides the type of the list, as in selectors of scales."""
    decides = place.context.follows_ptxas and place.operand_rule.says("integers after one")
    return decides and kind.parts[0].sort == kinds.INTEGER


def _differs(place: Place, kind: Kind, common: Type) -> bool:
    """Whether a constant has another type than the registers beside it, which makes the list one of bits: integers have
    64 bits, floats 32 or 64. Only fragments may begin with it (measured)."""
    parts = kind.parts if place.m.aligned else kind.parts[1:] if kind.parts[0].sort in _TYPED else ()
    if common.kind == "f":
        return any(part.sort == kinds.FLOAT and part.bits != common.width for part in parts)
    return common.kind in "su" and common.width < 64 and any(part.sort == kinds.INTEGER for part in parts)


def pieces(place: Place, name: str, count: int) -> list[range]:
    """The positions of the elements that the assembler judges together, where it takes apart a list of so many."""
    declared, target = place.form.instruction.pieces.get(name), place.context.target
    if declared is None or target is None or not place.context.follows_ptxas:
        return []
    from openptx.isa.semantics.matrix.generations import generation

    starts = declared(place.m.with_(generation=generation(target)))
    return [range(i, i + starts.step) for i in starts] if starts.step < count else []


def _fits_piece(place: Place, element: Place, piece: range, inside: list[tuple[int, Type]], kind: Kind) -> bool:
    """Whether what is inside a piece fits: a single element is moved or added by an instruction of the very type."""
    if len(piece) == 1 and kind.parts[piece[0]].sort == kinds.SPECIAL:
        inside = [(piece[0], kind.parts[piece[0]].type or inside[0][1])]
    registers = [own for i, own in inside if kind.parts[i].sort in _TYPED]
    if len(piece) > 1 and not registers:
        return _stands_alone(element, kind.parts[inside[0][0]])
    common = _common(place, registers or [inside[0][1]])
    if common is None or element.type is None:
        return True
    return agreement.agrees(element.type, common, relaxed=False) if len(piece) == 1 else fits(place, element, common)


def _disagreement(place: Place, part: Kind, last: Type, own: Type, where: Path) -> Problem:
    return place.problem(
        "vector-element", f"the elements of a list must have one type, and `.{own.name}` doesn't agree with `{last}`",
        where, f"this is `.{own.name}`" if part.sort in _TYPED else part.described,
        expected=f".{last.name}", actual=f".{own.name}", rule=_RULE,
        help=f"use registers of `.{place.type.name}`, or of bits of that size" if place.type is not None else None,
    )  # fmt: skip


def _constants(place: Place, kind: Kind, where: Path, element: Place, common: Type | None) -> Iterator[Problem]:
    """Constant elements: whether they are allowed, and have values of the type."""
    for i, part in enumerate(kind.parts):
        if part.sort not in (kinds.INTEGER, kinds.FLOAT):
            continue
        rejected = no_integers(place) if part.sort == kinds.INTEGER else part.bits == 64 and _short_floats(place)
        if rejected:
            yield no_element(place, part, (*where, i))
        elif not i and not _may_lead(element, part):
            yield no_element(place, part, (*where, i))
            return
        elif common is None and _needs_register(place) and not _stands_alone(element, part):
            yield no_element(place, part, (*where, i))
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
    narrow = must_be_plain(place) and place.type is not None and place.type.width <= 32
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
                f"`{place.opcode}` can't take a predicate in operand `{place.name}`", (*where, i), "a predicate",
                expected="a register of 32 bits", actual=".pred", rule=_RULE,
            )  # fmt: skip


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


def no_element(place: Place, part: Kind, where: Path) -> Problem:
    return place.problem(
        "vector-element", f"an element of operand `{place.name}` of `{place.opcode}` must be a scalar register", where,
        part.described,
        expected="a scalar register", actual=part.text, rule=_RULE,
    )  # fmt: skip


def must_be_plain(place: Place) -> bool:
    """Whether elements are registers of the function: the assembler moves them in statements of its own."""
    return place.context.follows_ptxas and place.operand_rule.says("plain elements")
