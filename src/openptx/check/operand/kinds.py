"""Kinds: operands without their text, reduced to what form selection depends on. Equal kinds are one object."""

from __future__ import annotations

from functools import lru_cache
from weakref import WeakValueDictionary

from openptx.isa.types import TYPES
from openptx.syntax import operands as text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from openptx.isa.notation.gates import Gate
    from openptx.isa.special_registers import SpecialRegister
    from openptx.isa.types import Type

    Known = Callable[[str], "Kind"]

# Sorts of kinds, each followed by the fields of Kind that it uses.
REGISTER = "register"  # type; align where it is more than the type's
VECTOR = "vector"  # type, count: a whole vector register; align as above
INTEGER = "integer"  # bits: the least of 4, 8, 16, 32, 64 that holds it, else 128; space "-" where it is negative
FLOAT = "float"  # bits 32 for `0f...`, 64 for `0d...` and decimals; space "zero" for +0.0; literal
SPECIAL = "special"  # type, gate, count 4 for all of `%tid`, bits: the fewest that `mov` reads
VARIABLE = "variable"  # space, type, align, room: the address of a variable, plus a constant where `offset`
SUM = "sum"  # parts: the first summand, which is not a variable
ELEMENT = "element"  # the same for `a[i]`, and parts: base, index; without a type if the base is not an array
FUNCTION = "function"  # space "entry" or "func"
NAME = "name"  # undeclared: a label, or a mistake
TABLE = "table"  # space: the label of a .branchtargets, .calltargets or .callprototype
ADDRESS = "address"  # parts: base, then the further operands; bits of the offset, count 1 if there is one
LIST = "list"  # parts; not literal if a register occurs in it twice
PAIR = "pair"  # parts: first, second
NEGATED = "negated"  # parts: the operand
MINUS = "minus"  # parts: the operand
SELECTED = "selected"  # parts: the register; `a.b0`
SINK = "sink"
ABSENT = "absent"
ARGUMENTS = "arguments"  # parts
UNREADABLE = "unreadable"

PARAMETERS = {"param": "param", "frame": "param", "argument": "param", "result": "param"}
"""Spaces within `.param`: parameters of kernels; of calls in bodies; parameters of a function; its results."""

FAR = 256
"""Sizes and alignments from this many bytes on are the same to every rule."""


class Kind:
    """A kind. Created only by the functions below, so that identity is equality."""

    __slots__ = (
        "__weakref__", "align", "bits", "count", "gate", "literal", "parts", "room", "sort", "space", "text", "type",
    )  # fmt: skip

    def __init__(
        self, sort: str, type: Type | None, count: int, bits: int, space: str, parts: tuple[Kind, ...], align: int,
        room: int, literal: bool, text: str, gate: Gate | None,
    ) -> None:  # fmt: skip
        self.sort, self.type, self.count, self.bits = sort, type, count, bits
        self.space, self.parts, self.align, self.room, self.literal = space, parts, align, room, literal
        self.text = text
        self.gate = gate

    @property
    def described(self) -> str:
        """The text of a label beside the operand."""
        return f"this is {self._in_words()}"

    def _in_words(self) -> str:
        count = len(self.parts)
        match self.sort:
            case "register" | "vector":
                return f"`{self.text}`"
            case "address":
                return "an address, in brackets"
            case "list":
                return f"a list of {count} element{'s' * (count != 1)}"
            case "arguments":
                return "a list in parentheses"
            case "pair":
                return "a pair"
            case "negated":
                return f"`!` and {self.parts[0]._in_words()}"
            case "minus":
                return f"a minus and {self.parts[0]._in_words()}"
            case "sum":
                return f"a sum of {self.parts[0]._in_words()} and a constant"
            case "selected":
                return f"`.{self.space}` of {self.parts[0]._in_words()}"
            case _:
                return self.text

    def __repr__(self) -> str:
        return self.text


_KINDS: WeakValueDictionary[tuple[object, ...], Kind] = WeakValueDictionary()
"""The kinds that something refers to."""
_MOST = 1 << 14
"""The maximum number of composed kinds that are remembered: a long-lived process checks any number of files."""


def kind(
    sort: str, text: str, *, type: Type | None = None, count: int = 0, bits: int = 0, space: str = "",
    parts: tuple[Kind, ...] = (), align: int = 0, room: int = FAR, literal: bool = True, gate: Gate | None = None,
) -> Kind:  # fmt: skip
    """The unique kind with these properties. `text` describes the operand in PTX words: `.b32`, an integer."""
    key = sort, type and type.name, count, bits, space, parts, align, room, literal, gate
    found = _KINDS.get(key)
    if found is None:
        found = _KINDS[key] = Kind(sort, type, count, bits, space, parts, align, room, literal, text, gate)
    return found


def register(type: Type, align: int = 0) -> Kind:
    """A scalar register. An alignment above the type's counts for arguments; that of predicates is left out."""
    raised = align if 8 * align > type.width and type.kind != "pred" else 0
    return kind(REGISTER, f".{type.name}", type=type, align=min(raised, FAR))


def vector(type: Type, count: int, align: int = 0) -> Kind:
    """A whole vector register."""
    raised = align if 8 * align > type.width * count else 0
    return kind(VECTOR, f".v{count} .{type.name}", type=type, count=count, align=min(raised, FAR))


def integer(value: int, literal: bool = True) -> Kind:
    """An integer constant: the bits it needs, read as signed or unsigned."""
    if not literal and value >= 1 << 63:  # `~0` is unsigned, and means -1 in every width
        value -= 1 << 64
    return _integer(value < 0, value.bit_length() if value >= 0 else (~value).bit_length() + 1, literal)


@lru_cache(_MOST)
def _integer(negative: bool, width: int, literal: bool) -> Kind:
    bits = next((bits for bits in (4, 8, 16, 32, 64) if width <= bits), 128)
    return kind(INTEGER, "an integer", bits=bits, space="-" if negative else "", literal=literal)


def floating(bits: int, width: int, literal: bool = True) -> Kind:
    """A floating-point constant: `0f...` is 32 bits wide; `0d...` and decimals are 64."""
    return kind(FLOAT, "a floating-point constant", bits=width, literal=literal, space="" if bits else "zero")


def special(register: SpecialRegister, *, component: bool = False) -> Kind:
    """A special register: one of a single value, all four components of a vector, or one of them."""
    return kind(
        SPECIAL, "a special register", type=register.type, count=4 if register.vector and not component else 0,
        bits=register.narrowest, gate=register.gate,
    )  # fmt: skip


@lru_cache(_MOST)
def composed(sort: str, parts: tuple[Kind, ...], repeated: bool = False) -> Kind:
    """A list, pair, negation, subword or argument list of other kinds. `repeated`: a register occurs in it twice."""
    words = ", ".join([part.text for part in parts])
    return kind(sort, _BRACKETS.get(sort, "{}").format(words), parts=parts, literal=not repeated)


_BRACKETS = {LIST: "{{{}}}", ARGUMENTS: "({})", NEGATED: "!{}", MINUS: "-{}", PAIR: "{}"}

SINK_KIND = kind(SINK, "`_`")
NAME_KIND = kind(NAME, "an undeclared name")
TABLE_KINDS = {
    name: kind(TABLE, f"the label of a `.{name}`", space=name)
    for name in ("branchtargets", "calltargets", "callprototype")
}
ENTRY_KIND = kind(FUNCTION, "a kernel", space="entry")
FUNCTION_KIND = kind(FUNCTION, "a function", space="func")
ABSENT_KIND = kind(ABSENT, "nothing")
PREDICATE_KIND = register(TYPES["pred"])
UNREADABLE_KIND = kind(UNREADABLE, "unreadable")


FIELDS = {"x": 0, "y": 1, "z": 2, "w": 3, "r": 0, "g": 1, "b": 2, "a": 3}
"""Components of vector registers (manual 6.4.3), by position."""


def kind_of(tree: text.Operand, known: Known) -> Kind:
    """The kind of an operand. `known` returns the kind of a plain name; variables with their whole size."""
    match tree:
        case text.Name():
            base = known(tree.text)
            return at(base, 0) if base.sort == VARIABLE else base
        case text.Integer():
            return integer(tree.value, tree.literal)
        case text.Float():
            return floating(tree.bits, tree.width, tree.literal)
        case text.Sink():
            return SINK_KIND
        case text.Address():
            return _address(tree, known)
        case text.Vector():
            names = [element.text for element in tree.elements if isinstance(element, (text.Name, text.Selector))]
            parts = tuple(kind_of(element, known) for element in tree.elements)
            return composed(LIST, parts, len(set(names)) < len(names))
        case text.Arguments():
            return composed(ARGUMENTS, tuple(kind_of(element, known) for element in tree.elements))
        case text.Pair():
            return composed(PAIR, (kind_of(tree.first, known), kind_of(tree.second, known)))
        case text.Negated():
            return composed(NEGATED, (kind_of(tree.operand, known),))
        case text.Minus():
            return composed(MINUS, (kind_of(tree.operand, known),))
        case text.Selector():
            return selected(known(tree.base.text), tree.field)
        case text.Sum():
            return offset_kind(known(tree.base.text), tree.offset.value)
        case text.Subscript():
            return _subscript(tree, known)


def selected(base: Kind, field: str) -> Kind:
    """One component: of a vector register, of a special register, or a sub-word of a scalar one."""
    position = FIELDS.get(field)
    if base.sort == VECTOR and base.type is not None and position is not None:
        return kind(REGISTER, f".{base.type.name}", type=base.type, space="" if position < base.count else "beyond")
    if base.sort == SPECIAL and base.count and position is not None:
        return kind(SPECIAL, base.text, type=base.type, bits=base.bits, gate=base.gate)
    return kind(SELECTED, f"{base.text}.{field}", parts=(base,), space=field)


def offset_kind(base: Kind, offset: int) -> Kind:
    """`var+offset`: the remaining size of the variable there, and the alignment."""
    return at(base, offset) if base.sort == VARIABLE else composed(SUM, (base,))


def at(base: Kind, offset: int, sort: str = VARIABLE) -> Kind:
    """The variable `base` with a constant added to its address."""
    align = min(FAR, base.align, offset & -offset or FAR)
    room = base.room if base.room < 0 else min(base.room - offset, FAR) if 0 <= offset <= base.room else 0
    return kind(
        sort, base.text, type=base.type, count=base.count, bits=base.bits, space=base.space, align=align, room=room,
        parts=base.parts, literal=offset == 0,
    )  # fmt: skip


def _subscript(tree: text.Subscript, known: Known) -> Kind:
    base = known(tree.base.text)
    if base.sort != VARIABLE or not base.count:
        return composed(ELEMENT, (base, kind_of(tree.index, known)))
    index = tree.index.value if isinstance(tree.index, text.Integer) else 0
    element = base.bits // 8
    place = at(base, index * element, ELEMENT)
    return kind(
        ELEMENT, "an array element", type=base.type, count=base.count, bits=base.bits, space=base.space,
        align=place.align, room=place.room if isinstance(tree.index, text.Integer) else base.room,
        parts=(base, kind_of(tree.index, known)),
    )  # fmt: skip


def _address(tree: text.Address, known: Known) -> Kind:
    parts = tuple(kind_of(part, known) for part in tree.parts)
    base = known(tree.base.text) if isinstance(tree.base, text.Name) else kind_of(tree.base, known)
    return address(base, tree.offset.value if tree.offset is not None else None, parts, tree.suffix)


def address(base: Kind, offset: int | None, parts: tuple[Kind, ...] = (), suffix: str = "") -> Kind:
    """`[base+offset, parts]`. `bits` is 64 if the offset has more than 32 bits, `count` 1 if there is one."""
    written, offset = offset is not None, offset or 0
    if base.sort in (VARIABLE, ELEMENT):
        base = at(base, offset, base.sort)
    return _bracketed((base, *parts), written, not -(1 << 31) <= offset < 1 << 31, suffix)


@lru_cache(_MOST)
def _bracketed(parts: tuple[Kind, ...], written: bool, far: bool, suffix: str) -> Kind:
    words = ", ".join(part.text for part in parts)
    return kind(ADDRESS, f"[{words}]", parts=parts, bits=64 if far else 0, count=int(written), space=suffix)


def resized(base: Kind, length: int) -> Kind:
    """The address of an array that equals another one-dimensional array except in length."""
    return kind(
        VARIABLE, base.text, type=base.type, count=1, bits=base.bits, space=base.space, align=base.align,
        room=base.bits // 8 * length,
    )  # fmt: skip


def variable(type_name: str, space: str, size: int, align: int, shape: tuple[int, ...], vector: int, text: str) -> Kind:
    """The address of a variable: `bits` of an element, `room` bytes (-1: open size), `count` dimensions."""
    type = TYPES[type_name]
    element = max(8, type.width) * vector
    for length in shape[1:]:
        element *= length
    return kind(
        VARIABLE, text, type=type, count=len(shape), bits=element, space=space, align=align,
        room=size if size else -1,
    )  # fmt: skip
