"""Values of variables of the program that PTX was made from, in one thread: `sum`, `p.x`, `list[2].next`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from openptx.debug.source_variables import (
    ARRAY,
    CLASS,
    CONST_VALUE,
    POINTER,
    REFERENCE,
    SPACE,
    STRUCT,
    UNION,
    BitField,
    DebugInformation,
    Member,
    SourceVariable,
    debug_information,
    extents,
    scalar,
)
from openptx.debug.values import Array, TypedBits
from openptx.dwarf import NAME, Entry
from openptx.errors import InputError
from openptx.isa.types import Type
from openptx.keywords import did_you_mean
from openptx.program import Register
from openptx.runtime.cxx_names import demangled
from openptx.trace.values import type_of

if TYPE_CHECKING:
    from openptx.debug.scope import Scope

RECORDS = frozenset((STRUCT, UNION, CLASS))
DEEPEST, MOST_SHOWN = 5, 16
"""The levels of structures and arrays in each other, and the elements of an array, that are shown."""


@dataclass(frozen=True, slots=True)
class SourceObject:
    """An object of the program: in a register, or at an address of a state space. A pointer that an expression has
    computed has only a `value`."""

    information: DebugInformation
    type: Entry
    space: str = ""
    address: int = 0
    register: Register | None = None
    bits: BitField | None = None
    value: int | None = None

    def at(self, type: Entry | None, offset: int) -> SourceObject:
        """A part of it. Raises InputError for an object without a type."""
        if type is None:
            raise InputError("it has no type")
        return replace(self, type=type, address=self.address + offset)

    def member(self, member: Member) -> SourceObject:
        """A member of a structure."""
        return replace(self, type=member.type, address=self.address + member.offset, bits=member.bits)


@dataclass(frozen=True, slots=True)
class Pointer(TypedBits):
    """The value of a pointer, and the object that has it."""

    object: SourceObject = field(kw_only=True, compare=False)

    @property
    def space(self) -> str:
        """The state space that it points into."""
        return str(self.object.type.attributes.get(SPACE, "generic"))

    def moved(self, count: int) -> Pointer:
        """A pointer to an element after this one, or before it; to a byte if it points to `void`."""
        bits = self.bits + count * self.step & (1 << 64) - 1
        return Pointer(
            bits,
            self.type,
            object=replace(self.object, value=bits, register=None),
            name=spelled(self.object.type, bits),
        )

    @property
    def step(self) -> int:
        """The bytes of what it points to."""
        pointed = self.object.information.type_of(self.object.type)
        return max(self.object.information.size(pointed), 1) if pointed is not None else 1


def find(scope: Scope, name: str) -> SourceObject | None:
    """The object that a name, with members after dots, names; None if the program has no variable of that name."""
    first, *members = name.split(".")
    variables = {each.name: each for each in visible(scope)}
    if (found := variables.get(first)) is not None:
        value = located(scope, found)
    elif (this := variables.get("this")) is None or (own := own_member(scope, this, first)) is None:
        return None
    else:
        value = own
    if value.type.tag == REFERENCE:
        value = element_of(scope, value, 0)
    for member in members:
        value = member_of(scope, value, member)
    return value


def own_member(scope: Scope, this: SourceVariable, name: str) -> SourceObject | None:
    """A member of the object whose function this is; None if it has none of that name."""
    try:
        return member_of(scope, located(scope, this), name)
    except InputError:
        return None


def enumerator(scope: Scope, name: str) -> TypedBits | None:
    """The value of an enumerator, such as `State::BUSY`; None if there is none of that name."""
    information = information_of(scope)
    for type in information.enumerations():
        for each in type.children:
            full, value = demangled(str(each.attributes.get(NAME, ""))), each.attributes.get(CONST_VALUE)
            if full.endswith(name) and (full == name or full.endswith(f"::{name}")) and isinstance(value, int):
                return TypedBits(value, type_of(scalar(type) or "s32"), name=full)
    return None


def visible(scope: Scope) -> Iterator[SourceVariable]:
    """The variables that the thread's function sees at its instruction, each name once."""
    information, seen = information_of(scope), set[str]()
    at = scope.position if information.known else None
    function = scope.frame.plan.function.name
    for each in information.visible(function, at, scope.outward) if at is not None else ():
        if each.name not in seen:
            seen.add(each.name)
            yield each


def information_of(scope: Scope) -> DebugInformation:
    """The debug information of the program."""
    return debug_information(scope.batch.program.file)


def located(scope: Scope, variable: SourceVariable) -> SourceObject:
    """A variable where it is now. Raises InputError if it has no value here."""
    information, place = information_of(scope), variable.location
    registers = {r.name: r for r in scope.frame.plan.function.registers}
    if place is not None and place.register in registers:
        return SourceObject(information, variable.type, register=registers[place.register])
    shared = scope.kernel_frame.plan.function.shared  # of the kernel, which the functions that it calls may name
    memory = [v for v in (*scope.variables(), *shared) if place is not None and v.name == place.variable]
    if place is None or not memory:
        raise InputError(f"`{variable.name}` has no value here: its register is used for something else, or not yet")
    array = scope.array(memory[0])
    return SourceObject(information, variable.type, array.space, array.address + place.offset)


def member_of(scope: Scope, value: SourceObject, name: str, depth: int = 0) -> SourceObject:
    """`value.name`, and `value->name` of a pointer; `depth` is the number of base classes that it is in. Raises
    InputError if there is none of that name."""
    if value.type.tag in (POINTER, REFERENCE):
        value = element_of(scope, value, 0)
    if value.type.tag not in RECORDS:
        raise InputError(f"it has no member `{name}`: it is no structure")
    members = list(value.information.members(value.type))
    for member in members:
        if member.name == name:
            return value.member(member)
    bases = [value.member(member) for member in members if not member.name]
    for base in bases if depth < DEEPEST else ():
        try:
            return member_of(scope, base, name, depth + 1)
        except InputError:
            continue
    names = [member.name for member in members if member.name]
    raise InputError(f"it has no member `{name}`{did_you_mean(name, names)}")


def element_of(scope: Scope, value: SourceObject, index: int) -> SourceObject:
    """`value[index]` of an array or a pointer. Raises InputError for any other object, and beyond an array's end."""
    information, element = value.information, value.information.type_of(value.type)
    if value.type.tag not in (ARRAY, POINTER, REFERENCE):
        raise InputError("only arrays and pointers have elements")
    if element is None:
        raise InputError("what a pointer to void points to has no type: cast the pointer, such as *(int*)p")
    if value.type.tag != ARRAY:
        pointer = number(scope, value)
        if pointer.undefined:
            raise InputError("the pointer is undefined: this thread has not written it")
        address = pointer.bits + index * information.size(element)
        return SourceObject(information, element, str(value.type.attributes.get(SPACE, "generic")), address)
    first, *rest = extents(value.type) or [0]
    if not 0 <= index < first:
        raise InputError(f"the array has {first} elements, not one at {index}")
    if rest:  # the rows of an array of several dimensions
        row = information.entry(ARRAY, value.type.attributes, value.type.children[1:])
        return value.at(row, index * information.size(row))
    return value.at(element, index * information.size(element))


def number(scope: Scope, value: SourceObject) -> TypedBits:
    """A number, an enumeration or a pointer as a value of a type of PTX. Raises InputError for an object that is not a
    number."""
    name = scalar(value.type)
    if name is None:
        raise InputError("it is no number")
    type = type_of(name)
    if value.value is not None:
        found = TypedBits(value.value, type)
    elif value.register is None:
        found = scope.read(value.space, value.address, type, 1)[0]
    else:
        found = scope.register(value.register)
    bits = found.bits & (1 << type.width) - 1
    if value.bits is not None:
        bits = extracted(bits, value.bits, type)
    name = spelled(value.type, bits)
    if value.type.tag == POINTER:
        return Pointer(bits, type, found.undefined, name, object=value)
    return TypedBits(bits, type, found.undefined, name)


def spelled(type: Entry, bits: int) -> str:
    """How a program writes a number: an enumerator's name, an address in hexadecimal; empty for others."""
    if type.tag in (POINTER, REFERENCE):
        space = type.attributes.get(SPACE)
        return f".{space} 0x{bits:x}" if space else f"0x{bits:x}"
    named = (each.attributes.get(NAME) for each in type.children if each.attributes.get(CONST_VALUE) == bits)
    return demangled(str(next(named, "")))


def extracted(bits: int, field: BitField, type: Type) -> int:
    """A bit-field of a number, with its sign in a signed type."""
    found = bits >> field.shift & field.mask
    negative = type.signed and found >> field.width - 1
    return (found | ~field.mask if negative else found) & (1 << type.width) - 1


def inserted(bits: int, field: BitField, value: TypedBits) -> int:
    """A number with another value in a bit-field. Raises InputError if that has too many bits."""
    if extracted(value.bits << field.shift, field, value.type) != value.bits:
        raise InputError(f"{value} does not fit into {field.width} bits")
    return bits & ~(field.mask << field.shift) | (value.bits & field.mask) << field.shift


def evaluated(scope: Scope, value: SourceObject) -> TypedBits | Array | SourceObject:
    """An object as the value of an expression: a number, an array of numbers, or the object itself."""
    if scalar(value.type) is not None:
        return number(scope, value)
    element = value.information.type_of(value.type)
    if value.type.tag == ARRAY and element is not None and (name := scalar(element)) is not None:
        shape = tuple(extents(value.type))
        count = value.information.size(value.type) // max(value.information.size(element), 1)
        return Array("it", value.space, value.address, type_of(name), count, shape)
    return value


def shown(scope: Scope, value: SourceObject, text: Callable[[TypedBits], str] = str, depth: int = 0) -> str:
    """An object as text: `{x = 1, tag = {7, 0}}`; `text` writes its numbers."""
    if scalar(value.type) is not None:
        return text(number(scope, value))
    if value.type.tag in (ARRAY, *RECORDS) and depth == DEEPEST:
        return "{...}"
    if value.type.tag in RECORDS:
        members = value.information.members(value.type)
        parts = [(member.label, shown(scope, value.member(member), text, depth + 1)) for member in members]
        return "{" + ", ".join(f"{label} = {part}" if label else part for label, part in parts) + "}"
    if value.type.tag == ARRAY:
        count = next(iter(extents(value.type)), 0)
        parts = [shown(scope, element_of(scope, value, i), text, depth + 1) for i in range(min(count, MOST_SHOWN))]
        return "{" + ", ".join([*parts, *(["..."] if count > MOST_SHOWN else [])]) + "}"
    return text(number(scope, value))
