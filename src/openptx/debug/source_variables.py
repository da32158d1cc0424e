"""Variables of the program that PTX was made from, by its debug information (`nvcc -G`): where they are, and their
types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple
from weakref import WeakKeyDictionary

from openptx.dwarf import (
    ABSTRACT_ORIGIN,
    DEEPEST,
    HIGH_PC,
    INLINED,
    LINKAGE_NAME,
    LOW_PC,
    NAME,
    Block,
    Entry,
    Malformed,
    Reader,
    Value,
    entries,
    label_offsets,
    sections,
)
from openptx.runtime.cxx_names import demangled
from openptx.source import File

BIT_OFFSET, BIT_SIZE = 0x0C, 0x0D
LOCATION, BYTE_SIZE, CONST_VALUE, COUNT, OFFSET, ENCODING, TYPE = 0x02, 0x0B, 0x1C, 0x37, 0x38, 0x3E, 0x49
"""Attributes."""
PTX_TYPE, SPACE = -1, -2
"""Attributes of types that the file does not contain: the name of a type of PTX, the space that a pointer points into.
"""
UPPER_BOUND = 0x2F
PARAMETER, BLOCK, VARIABLE, FUNCTION = 0x05, 0x0B, 0x34, 0x2E
ARRAY, ENUM, POINTER, REFERENCE, STRUCT, UNION, CLASS, MEMBER, BASE_CLASS = (
    0x01, 0x04, 0x0F, 0x10, 0x13, 0x17, 0x02, 0x0D, 0x1C,
)  # fmt: skip
"""Tags."""
TYPEDEF, SUBRANGE, BASE_TYPE = 0x16, 0x21, 0x24
BASE = "__b_"
"""How the names of members begin that are base classes, in the debug information of nvcc."""
UNSPECIFIED = 0x3B
"""The tag of `void`."""
ALIASES = frozenset((TYPEDEF, 0x26, 0x35, 0x37))
"""Tags of `typedef`, `const`, `volatile` and `restrict`."""
AT_LABEL, IN_REGISTER, PLUS = 0x03, 0x90, 0x23
"""Operations of a location."""
NAMED = frozenset((STRUCT, UNION, CLASS, ENUM, TYPEDEF, BASE_TYPE))
"""Tags of types that have names."""
KINDS = {2: "u", 4: "f", 5: "s", 6: "s", 7: "u", 8: "u"}
"""By encoding of a base type, the letter of PTX's types."""


@dataclass(frozen=True, slots=True)
class Location:
    """A register of PTX by its name, or an offset in one of its variables."""

    register: str = ""
    variable: str = ""
    offset: int = 0


@dataclass(frozen=True, slots=True)
class SourceVariable:
    name: str
    type: Entry
    location: Location | None


class BitField(NamedTuple):
    """The bits of a number that a member of a structure has: `unsigned ready : 1`."""

    shift: int
    width: int

    @property
    def mask(self) -> int:
        return (1 << self.width) - 1


class Member(NamedTuple):
    """A member of a structure, at an offset in bytes. A base class has no name, nor has an anonymous union."""

    name: str
    offset: int
    type: Entry
    bits: BitField | None
    inherited: bool = False

    @property
    def label(self) -> str:
        return "base" if self.inherited else self.name


class DebugInformation:
    """The variables and types of a file."""

    def __init__(self, text: str) -> None:
        self._units = entries(text)
        self._entries = {entry.offset: entry for unit in self._units for entry in unit.walk()}
        self._made, self._names = dict[object, Entry](), dict[str, Entry]()
        self._labels = label_offsets(text) if self._units else {}
        self._lists = sections(text).get(".debug_loc") if self._units else None

    @property
    def known(self) -> bool:
        """Whether the file has any."""
        return bool(self._units)

    def enumerations(self) -> Iterator[Entry]:
        """The enumerations of all scopes."""
        return (entry for unit in self._units for entry in unit.walk() if entry.tag == ENUM)

    def type_named(self, name: str) -> Entry | None:
        """The type of the program with this name, which may lack its namespaces; None if there is none."""
        names = self.type_names()
        found = names.get(name) or next((type for full, type in names.items() if full.endswith(f"::{name}")), None)
        return self.type_of(found) if found is not None and found.tag == TYPEDEF else found

    def type_names(self) -> dict[str, Entry]:
        """The types of the program by name; of several with a name the one that is declared with its members."""
        if not self._names:
            every = [entry for unit in self._units for entry in unit.walk() if entry.tag in NAMED]
            every.sort(key=lambda entry: BYTE_SIZE in entry.attributes)
            self._names = {demangled(str(entry.attributes[NAME])): entry for entry in every if NAME in entry.attributes}
        return self._names

    def entry(self, tag: int, attributes: Mapping[int, Value], children: Sequence[Entry] = ()) -> Entry:
        """A type that the file does not contain, or a part of one; the same for the same attributes."""
        key = (tag, *attributes.items(), *map(id, children))
        if key not in self._made:
            made = Entry(-1 - len(self._made), tag, attributes, [*children])
            self._made[key] = self._entries[made.offset] = made
        return self._made[key]

    def visible(self, function: str, at: int, outward: int = 0) -> Iterator[SourceVariable]:
        """The variables that an instruction of a function sees, the innermost first; `at` is its place in the text, and
        `outward` the number of inlined calls there whose variables are left out."""
        for unit in self._units:
            for entry in unit.children:
                if entry.tag == FUNCTION and function in (entry.attributes.get(a) for a in (LINKAGE_NAME, NAME)):
                    scopes = self._around(entry, at)
                    calls = [i for i, scope in enumerate(scopes) if scope.tag == INLINED]
                    for scope in scopes[calls[outward - 1] + 1 if 0 < outward <= len(calls) else 0 :]:
                        yield from self._own(scope, at)
        for unit in self._units:
            yield from self._own(unit, at)

    def _around(self, scope: Entry, at: int) -> list[Entry]:
        """A scope and those in it around a place, the innermost first."""
        found = list[Entry]()
        for child in scope.children:
            if child.tag in (BLOCK, INLINED) and self._covers(child, at):
                found += self._around(child, at)
        return [*found, scope]

    def _covers(self, scope: Entry, at: int) -> bool:
        begin, end = (self._labels.get(str(scope.attributes.get(pc))) for pc in (LOW_PC, HIGH_PC))
        return begin is not None and end is not None and begin <= at < end

    def _own(self, scope: Entry, at: int) -> Iterator[SourceVariable]:
        for child in scope.children:
            if child.tag in (PARAMETER, VARIABLE):
                name, type = self._get(child, NAME), self.type_of(child)
                if isinstance(name, str) and type is not None:
                    yield SourceVariable(name, type, self._location(child.attributes.get(LOCATION), at))

    def _get(self, entry: Entry, attribute: int) -> object:
        """An attribute of an entry, or of the one that it is an instance of."""
        origin = entry.attributes.get(ABSTRACT_ORIGIN)
        if attribute in entry.attributes or not isinstance(origin, int) or origin not in self._entries:
            return entry.attributes.get(attribute)
        return self._entries[origin].attributes.get(attribute)

    def type_of(self, entry: Entry) -> Entry | None:
        """The type of a variable, a member, an array's elements or what a pointer points to; None for `void`."""
        for _ in range(DEEPEST):
            number = self._get(entry, TYPE)
            found = self._entries.get(number) if isinstance(number, int) else None
            if found is None or found.tag not in ALIASES:
                return None if found is None or found.tag == UNSPECIFIED else found
            entry = found
        return None

    def _location(self, value: object, at: int) -> Location | None:
        try:
            if isinstance(value, str) and self._lists is not None:  # a list of locations, by range
                value = self._listed(self._lists, int(value.partition("+")[2] or 0), at)
            return self._operation(value)
        except (Malformed, ValueError):
            return None

    def _operation(self, value: object) -> Location | None:
        if not isinstance(value, Block) or not value.data:
            return None
        rest = operands(value)
        if value.data[0] == IN_REGISTER:
            number = rest.leb()
            return Location(number.to_bytes((number.bit_length() + 7) // 8, "big").decode("latin-1"))
        if value.data[0] == AT_LABEL and value.label is not None:
            rest.at += 8
            more = rest.at < len(rest.data) and rest.number(1) == PLUS
            return Location("", value.label, rest.leb() if more else 0)
        return None

    def _listed(self, lists: Reader, offset: int, at: int) -> Block | None:
        lists.at = offset
        while True:
            ends = [self._labels.get(lists.labels.get(lists.at + i, "")) for i in (0, 8)]
            if not any(lists.take(16)) and ends == [None, None]:
                return None
            found = lists.block(lists.number(2))
            if ends[0] is not None and ends[1] is not None and ends[0] <= at < ends[1]:
                return found

    def members(self, type: Entry) -> Iterator[Member]:
        """The members of a structure or union."""
        for child in type.children:
            member = self.type_of(child)
            if child.tag in (MEMBER, BASE_CLASS) and member is not None:
                name, place = str(child.attributes.get(NAME, "")), child.attributes.get(OFFSET, 0)
                inherited = child.tag == BASE_CLASS or name.startswith(BASE)
                bits = bit_field(child, self.size(member))
                yield Member("" if inherited else name, offset_in(place), member, bits, inherited)

    def size(self, type: Entry) -> int:
        """The bytes of a type."""
        count, inner = 1, type
        for _ in range(DEEPEST):
            if inner.tag != ARRAY:
                size = inner.attributes.get(BYTE_SIZE)
                return count * size if isinstance(size, int) else count * 8
            count *= prod(extents(inner))
            element = self.type_of(inner)
            if element is None:
                break
            inner = element
        return 0


def type_name(information: DebugInformation, type: Entry | None, depth: int = 0) -> str:
    """A type as C writes it: `int`, `Point *`, `float [4]`."""
    if type is None or depth == DEEPEST:
        return "void" if type is None else "..."
    if type.tag not in (POINTER, REFERENCE, ARRAY):
        return demangled(str(type.attributes.get(NAME, "...")))
    inner = type_name(information, information.type_of(type), depth + 1)
    if SPACE in type.attributes:
        inner = f"@{type.attributes[SPACE]} {inner}"
    return inner + {POINTER: " *", REFERENCE: " &"}.get(type.tag, " " + "".join(f"[{n}]" for n in extents(type)))


def operands(expression: Block) -> Reader:
    """Reads what follows the first operation of an expression."""
    rest = Reader("")
    rest.data, rest.at = expression.data, 1
    return rest


def offset_in(place: object) -> int:
    """The offset of a member: a number, or an addition of one; 0 of what is neither."""
    if isinstance(place, Block):
        try:
            return operands(place).leb()
        except Malformed:
            return 0
    return place if isinstance(place, int) else 0


def bit_field(member: Entry, size: int) -> BitField | None:
    """The bits that a member has of the number of `size` bytes at its offset; None if it has all of them."""
    width, before = member.attributes.get(BIT_SIZE), member.attributes.get(BIT_OFFSET, 0)
    if not isinstance(width, int) or not isinstance(before, int) or not 0 < width <= 8 * size - before:
        return None
    return BitField(8 * size - before - width, width)  # DWARF counts from the number's most significant bit


def extents(type: Entry) -> list[int]:
    """The extents of an array."""
    found = list[int]()
    for child in type.children:
        count, last = child.attributes.get(COUNT), child.attributes.get(UPPER_BOUND)
        found.append(count if isinstance(count, int) else last + 1 if isinstance(last, int) else 0)
    return found


WRAPPED = {"__half": "f16", "__nv_bfloat16": "bf16", "__nv_fp8_e4m3": "e4m3", "__nv_fp8_e5m2": "e5m2"}
"""Structures of CUDA's headers that are one number."""


def scalar(type: Entry) -> str | None:
    """The type of PTX of a number, an enumeration or a pointer; None for other types."""
    if type.tag in (STRUCT, CLASS) and (name := type.attributes.get(NAME)) in WRAPPED:
        return WRAPPED[str(name)]
    size, encoding = type.attributes.get(BYTE_SIZE), type.attributes.get(ENCODING)
    if isinstance(ptx := type.attributes.get(PTX_TYPE), str):
        return ptx
    if type.tag in (POINTER, REFERENCE):
        return "b64"
    if type.tag == ENUM and isinstance(size, int):
        return f"s{8 * size}"
    if isinstance(size, int) and isinstance(encoding, int) and encoding in KINDS and size in (1, 2, 4, 8):
        return f"{KINDS[encoding]}{8 * size}"
    return None


_INFORMATION: WeakKeyDictionary[File, DebugInformation] = WeakKeyDictionary()


def debug_information(file: File) -> DebugInformation:
    """The debug information of a file, read once."""
    if file not in _INFORMATION:
        _INFORMATION[file] = DebugInformation(file.text)
    return _INFORMATION[file]
