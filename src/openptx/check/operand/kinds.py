"""Kinds: operands without their text, all that a form's selection depends on. Equal kinds are one object."""

from __future__ import annotations

from functools import cache

from openptx.isa.types import TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.notation.gates import Gate
    from openptx.isa.special_registers import SpecialRegister
    from openptx.isa.types import Type

# Sorts of kinds. Where a sort uses fields of Kind, they stand after it.
REGISTER = "register"  # type
VECTOR = "vector"  # type, count: a whole vector register
INTEGER = "integer"  # bits: the least of 4, 8, 16, 32, 64 that holds it, else 128; space "-" where it is negative
FLOAT = "float"  # bits 32 for `0f...`, 64 for `0d...` and decimals; literal
SPECIAL = "special"  # type, gate, count 4 for all of `%tid`, bits: the fewest that `mov` reads
VARIABLE = "variable"  # space, type, align, room: the address of a variable, plus a constant where `offset`
SUM = "sum"  # parts: what something was added to, but is no variable
ELEMENT = "element"  # the same for `a[i]`, and parts: base, index; without type where base is no array
FUNCTION = "function"  # space "entry" or "func"
NAME = "name"  # no declaration: a label, or a mistake
TABLE = "table"  # space: which; the label of a .branchtargets, .calltargets or .callprototype
ADDRESS = "address"  # parts: base, then the further operands; bits of the offset, count 1 where there is one
LIST = "list"  # parts; not literal where a register stands in it twice
PAIR = "pair"  # parts: first, second
NEGATED = "negated"  # parts: the operand
MINUS = "minus"  # parts: the operand
SELECTED = "selected"  # parts: the register; `a.b0`
SINK = "sink"
ABSENT = "absent"
ARGUMENTS = "arguments"  # parts
UNREADABLE = "unreadable"

PARAMETERS = {"param": "param", "frame": "param", "argument": "param", "result": "param"}
"""What is in `.param`: of kernels; of bodies, for calls; what a function takes; what it gives back."""

FAR = 256
"""Sizes and alignments beyond this many bytes are the same to every rule."""


class Kind:
    """A kind. Made by the functions below, never directly, so that identity is equality."""

    __slots__ = ("align", "bits", "count", "gate", "literal", "parts", "room", "sort", "space", "text", "type")

    def __init__(
        self,
        sort: str,
        type: Type | None,
        count: int,
        bits: int,
        space: str,
        parts: tuple[Kind, ...],
        align: int,
        room: int,
        literal: bool,
        text: str,
        gate: Gate | None,
    ) -> None:
        self.sort, self.type, self.count, self.bits = sort, type, count, bits
        self.space, self.parts, self.align, self.room, self.literal = space, parts, align, room, literal
        self.text = text
        self.gate = gate

    @property
    def described(self) -> str:
        """What a label beside the operand says of it."""
        return f"this is `{self.text}`" if self.sort == REGISTER else f"this is {self.text}"

    def __repr__(self) -> str:
        return self.text


_KINDS: dict[tuple[object, ...], Kind] = {}


def kind(
    sort: str,
    text: str,
    *,
    type: Type | None = None,
    count: int = 0,
    bits: int = 0,
    space: str = "",
    parts: tuple[Kind, ...] = (),
    align: int = 0,
    room: int = FAR,
    literal: bool = True,
    gate: Gate | None = None,
) -> Kind:
    """The one kind with these facts. `text` says in PTX words what the operand is: `.b32`, an integer."""
    key = sort, type and type.name, count, bits, space, parts, align, room, literal, gate
    found = _KINDS.get(key)
    if found is None:
        found = _KINDS[key] = Kind(sort, type, count, bits, space, parts, align, room, literal, text, gate)
    return found


def register(type: Type) -> Kind:
    """A scalar register."""
    return kind(REGISTER, f".{type.name}", type=type)


def vector(type: Type, count: int) -> Kind:
    """A whole vector register."""
    return kind(VECTOR, f".v{count} .{type.name}", type=type, count=count)


def integer(value: int, literal: bool = True) -> Kind:
    """An integer constant: how many bits it needs, whichever way they are read."""
    if not literal and value >= 1 << 63:  # `~0` is unsigned, and means -1 in every width
        value -= 1 << 64
    return _integer(value < 0, value.bit_length() if value >= 0 else (~value).bit_length() + 1, literal)


@cache
def _integer(negative: bool, width: int, literal: bool) -> Kind:
    bits = next((bits for bits in (4, 8, 16, 32, 64) if width <= bits), 128)
    return kind(INTEGER, "an integer", bits=bits, space="-" if negative else "", literal=literal)


def floating(bits: int, width: int, text: str, literal: bool = True) -> Kind:
    """A floating-point constant: `0f...` is 32 bits wide; `0d...` and decimals are 64."""
    exact = text.lstrip("+-")[:2] in ("0f", "0F", "0d", "0D")
    return kind(FLOAT, "a floating-point constant", bits=width, literal=literal, space="exact" if exact else "")


def special(register: SpecialRegister, *, component: bool = False) -> Kind:
    """A special register: one of a single value, all four components of a vector, or one of them."""
    return kind(
        SPECIAL, "a special register", type=register.type, count=4 if register.vector and not component else 0,
        bits=register.narrowest, gate=register.gate,
    )  # fmt: skip


def composed(sort: str, parts: tuple[Kind, ...], repeated: bool = False) -> Kind:
    """A list, pair, negation, subword or argument list of other kinds. `repeated`: a register stands in it twice."""
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
