"""The kind of an operand: from its tree, given the kinds of the names in it."""

from __future__ import annotations

from openptx.check.operand import kinds
from openptx.check.operand.kinds import Kind, composed, floating, integer, kind
from openptx.isa.types import TYPES
from openptx.syntax import operands as text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Known = Callable[[str], Kind]

FIELDS = {"x": 0, "y": 1, "z": 2, "w": 3, "r": 0, "g": 1, "b": 2, "a": 3}
"""Components of vector registers (manual 6.4.3), by position."""


def kind_of(tree: text.Operand, known: Known) -> Kind:
    """The kind of an operand. `known` gives the kind of a plain name, variables with their whole size."""
    match tree:
        case text.Name():
            base = known(tree.text)
            return at(base, 0) if base.sort == kinds.VARIABLE else base
        case text.Integer():
            return integer(tree.value, tree.literal)
        case text.Float():
            return floating(tree.bits, tree.width, tree.text, tree.literal)
        case text.Sink():
            return kinds.SINK_KIND
        case text.Address():
            return _address(tree, known)
        case text.Vector():
            names = [element.text for element in tree.elements if isinstance(element, (text.Name, text.Selector))]
            parts = tuple(kind_of(element, known) for element in tree.elements)
            return composed(kinds.LIST, parts, len(set(names)) < len(names))
        case text.Arguments():
            return composed(kinds.ARGUMENTS, tuple(kind_of(element, known) for element in tree.elements))
        case text.Pair():
            return composed(kinds.PAIR, (kind_of(tree.first, known), kind_of(tree.second, known)))
        case text.Negated():
            return composed(kinds.NEGATED, (kind_of(tree.operand, known),))
        case text.Minus():
            return composed(kinds.MINUS, (kind_of(tree.operand, known),))
        case text.Selector():
            return selected(known(tree.base.text), tree.field)
        case text.Sum():
            return moved(known(tree.base.text), tree.offset.value)
        case text.Subscript():
            return _subscript(tree, known)


def selected(base: Kind, field: str) -> Kind:
    """One component: of a vector register, of a special register, or a sub-word of a scalar one."""
    position = FIELDS.get(field)
    if base.sort == kinds.VECTOR and base.type is not None and position is not None:
        return kind(
            kinds.REGISTER, f".{base.type.name}", type=base.type, space="" if position < base.count else "beyond"
        )
    if base.sort == kinds.SPECIAL and base.count and position is not None:
        return kind(kinds.SPECIAL, base.text, type=base.type, bits=base.bits, gate=base.gate)
    return kind(kinds.SELECTED, f"{base.text}.{field}", parts=(base,), space=field)


def moved(base: Kind, offset: int) -> Kind:
    """`var+offset`: what is left of the variable there, and how the place is aligned."""
    return at(base, offset) if base.sort == kinds.VARIABLE else composed(kinds.SUM, (base,))


def at(base: Kind, offset: int, sort: str = kinds.VARIABLE) -> Kind:
    """The variable `base` with a constant added to its address."""
    align = min(kinds.FAR, base.align, offset & -offset or kinds.FAR)
    room = base.room if base.room < 0 else min(base.room - offset, kinds.FAR) if 0 <= offset <= base.room else 0
    return kind(
        sort, base.text, type=base.type, count=base.count, bits=base.bits, space=base.space, align=align, room=room,
        parts=base.parts, literal=offset == 0,
    )  # fmt: skip


def _subscript(tree: text.Subscript, known: Known) -> Kind:
    base = known(tree.base.text)
    if base.sort != kinds.VARIABLE or not base.count:
        return composed(kinds.ELEMENT, (base, kind_of(tree.index, known)))
    index = tree.index.value if isinstance(tree.index, text.Integer) else 0
    element = base.bits // 8
    place = at(base, index * element, kinds.ELEMENT)
    return kind(
        kinds.ELEMENT, "an array element", type=base.type, count=base.count, bits=base.bits, space=base.space,
        align=place.align, room=place.room if isinstance(tree.index, text.Integer) else base.room,
        parts=(base, kind_of(tree.index, known)),
    )  # fmt: skip


def _address(tree: text.Address, known: Known) -> Kind:
    parts = tuple(kind_of(part, known) for part in tree.parts)
    base = known(tree.base.text) if isinstance(tree.base, text.Name) else kind_of(tree.base, known)
    return address(base, tree.offset.value if tree.offset is not None else None, parts, tree.suffix)


def address(base: Kind, offset: int | None, parts: tuple[Kind, ...] = (), suffix: str = "") -> Kind:
    """`[base+offset, parts]`. `bits` is 64 where the offset has more than 32 bits, `count` 1 where there is one."""
    written, offset = offset is not None, offset or 0
    if base.sort in (kinds.VARIABLE, kinds.ELEMENT):
        base = at(base, offset, base.sort)
    far = not -(1 << 31) <= offset < 1 << 31
    words = ", ".join(part.text for part in (base, *parts))
    return kind(
        kinds.ADDRESS, f"[{words}]", parts=(base, *parts), bits=64 if far else 0, count=int(written), space=suffix
    )


def variable(type_name: str, space: str, size: int, align: int, shape: tuple[int, ...], vector: int, text: str) -> Kind:
    """The address of a variable: `bits` of an element, `room` bytes (-1: its size is open), `count` dimensions."""
    type = TYPES[type_name]
    element = max(8, type.width) * vector
    for length in shape[1:]:
        element *= length
    return kind(
        kinds.VARIABLE, text, type=type, count=len(shape), bits=element, space=space, align=align,
        room=size if size else -1,
    )  # fmt: skip
