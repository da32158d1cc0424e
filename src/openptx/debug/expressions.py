"""Expressions over registers, memory and variables of one thread: `%r1 + 4 * i`, `f32[p]`, `tile[3] > 0 and not c`.

The grammar is Python's for arithmetic, comparison and `and or not`, or C's; names are PTX's. `f32[address]` reads
memory through a generic address, `shared.f32[address]` in a state space; `f32(x)` takes the bits of a register as
another type, `f32(1.5)` those of a number. `&x` is the address of what `x` names.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from openptx.debug import source_values
from openptx.debug.c_expressions import in_python
from openptx.debug.scope import Scope
from openptx.debug.source_variables import BitField
from openptx.debug.values import Array, TypedBits, bits_for
from openptx.errors import InputError
from openptx.isa.types import TYPES, Type
from openptx.program import Register
from openptx.trace.values import type_of

_SPACES = frozenset(("global", "shared", "local", "const", "param", "generic"))
# fmt: off
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b, ast.FloorDiv: lambda a, b: a // b, ast.Mod: lambda a, b: a % b,
    ast.BitAnd: lambda a, b: a & b, ast.BitOr: lambda a, b: a | b, ast.BitXor: lambda a, b: a ^ b,
    ast.LShift: lambda a, b: a << b, ast.RShift: lambda a, b: a >> b,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_, ast.Invert: operator.invert,
}
# fmt: on
LONGEST_SHIFT = 1 << 10


@dataclass(frozen=True, slots=True)
class Place:
    """A target of an assignment: a register, or an element of memory at an address of a state space."""

    space: str
    address: int
    type: Type
    register: Register | None = None
    field: BitField | None = None

    def word(self, scope: Scope, bits: int) -> int:
        """What is written to its memory: the bits, or the number that has them in its bit-field."""
        if self.field is None:
            return bits
        whole = scope.read(self.space, self.address, self.type, 1)[0]
        return source_values.inserted(whole.bits, self.field, TypedBits(bits, self.type))


@dataclass(frozen=True, slots=True)
class Expression:
    """A parsed text; `names` are the meanings of its placeholders. `address` is whether it is `&` of the tree."""

    text: str
    tree: ast.expr
    names: dict[str, str]
    address: bool = False

    def evaluate(self, scope: Scope) -> Any:
        """The value in a thread: a Typed, an Array, or a number. Raises InputError if it has none."""
        evaluation = _Evaluation(scope, self.names)
        return self._try(evaluation.address_of if self.address else evaluation.of)

    def place(self, scope: Scope) -> Place:
        """The register or the element of memory that it names. Raises InputError if it is not assignable."""
        if self.address:
            raise InputError("an address cannot be assigned to")
        return self._try(_Evaluation(scope, self.names).place)

    def source_object(self, scope: Scope) -> source_values.SourceObject | None:
        """The variable of the program, or the part of one, that it names; None for any other expression."""
        if self.address or not isinstance(self.tree, ast.Name | ast.Attribute | ast.Subscript):
            return None
        try:
            return self._try(_Evaluation(scope, self.names).object)
        except InputError:
            return None

    def _try(self, what: Callable[[ast.expr], Any]) -> Any:
        try:
            return what(self.tree)
        except InputError:
            raise
        except (ZeroDivisionError, OverflowError, TypeError, ValueError, RecursionError) as error:
            raise InputError(f"`{self.text}`: {error}") from error


def parse(text: str) -> Expression:
    """Parses an expression; raises InputError for anything else."""
    names: dict[str, str] = {}

    def placeholder(word: str) -> str:
        key = f"v{len(names)}_"
        names[key] = word
        return key

    given = text.strip()
    address = given[:1] == "&"
    given = given[1:].strip() if address else given
    if given[:1] == "*":
        given = f"({given[1:]})[0]"
    given = in_python(given, placeholder, placeholder)
    try:
        tree = ast.parse(given.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InputError(f"`{text.strip()}` is not an expression") from error
    return Expression(text.strip(), tree, names, address)


def read_value(text: str, scope: Scope) -> Any:
    """A value to assign: an expression, or `true`, `false`, `nan`, `inf` as values are shown.

    Raises InputError for anything else.
    """
    word = text.strip().lower()
    if word in ("true", "false"):
        return word == "true"
    if word.lstrip("+-") in ("nan", "inf"):
        return float(word)
    return parse(text).evaluate(scope)


class _Evaluation:
    def __init__(self, scope: Scope, names: dict[str, str]) -> None:
        self.scope, self.names = scope, names

    def number(self, tree: ast.expr) -> Any:
        """A value as a Python number or truth value."""
        found = self.of(tree)
        if isinstance(found, TypedBits):
            return found.number
        if isinstance(found, Array):
            return found.address
        return found

    def of(self, tree: ast.expr) -> Any:
        match tree:
            case ast.Constant(value=bool() | int() | float() as value):
                return value
            case ast.Name(id=name):
                return self.scope.name(self.names[name])
            case ast.BoolOp(op=op, values=values):
                test = all if isinstance(op, ast.And) else any
                return test(bool(self.number(value)) for value in values)
            case ast.UnaryOp(op=op, operand=operand):
                return _UNARY[type(op)](self.number(operand))
            case ast.BinOp(left=ast.Name(id=name), op=ast.Pow(), right=right):
                return self.converted(self.names[name], self.number(right))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                a, b = self.number(left), self.number(right)
                if isinstance(op, ast.LShift | ast.RShift) and not 0 <= b <= LONGEST_SHIFT:
                    raise ValueError(f"a shift by {b}")
                return _BINARY[type(op)](a, b)
            case ast.Compare(left=left, ops=ops, comparators=rest):
                return self.compare(left, ops, rest)
            case ast.Subscript(value=ast.Name(id=name), slice=index):
                return self.element(self.names[name], self.number(index))
            case ast.Subscript() | ast.Attribute():
                return source_values.evaluated(self.scope, self.object(tree))
            case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]):
                return self.cast(self.names[name], self.of(argument))
            case _:
                raise InputError("an expression has arithmetic, comparisons, registers, variables and TYPE[address]")

    def address_of(self, tree: ast.expr) -> TypedBits:
        """`&x`: the address of what an expression names, in its state space. Raises InputError for a register."""
        try:
            found = self.object(tree)
        except InputError:
            value = self.of(tree) if isinstance(tree, ast.Name) else None
            found = value if isinstance(value, Array) else self.place(tree)
        if not isinstance(found, Array) and found.register is not None:
            raise InputError("it is in a register, which has no address")
        space = "" if found.space == "generic" else f".{found.space} "
        return TypedBits(found.address, type_of("u64"), name=f"{space}0x{found.address:x}")

    def compare(self, left: ast.expr, ops: list[ast.cmpop], rest: list[ast.expr]) -> bool:
        before = self.number(left)
        for op, tree in zip(ops, rest, strict=True):
            if type(op) not in _COMPARE:
                raise InputError("a comparison is one of == != < <= > >=")
            after = self.number(tree)
            if not _COMPARE[type(op)](before, after):
                return False
            before = after
        return True

    def object(self, tree: ast.expr) -> source_values.SourceObject:
        """An object of the program: a variable, a member, an element. Raises InputError for anything else."""
        match tree:
            case ast.Name(id=name):
                found = source_values.find(self.scope, self.names[name])
                if found is None:
                    raise InputError(f"`{self.names[name]}` is no variable of the program")
                return found
            case ast.Attribute(value=value, attr=name):
                found = self.object(value)
                for member in self.names[name].split("."):
                    found = source_values.member_of(self.scope, found, member)
                return found
            case ast.Subscript(value=value, slice=index):
                at = self.number(index)
                if not isinstance(at, int):
                    raise InputError("`[...]` takes a whole number")
                return source_values.element_of(self.scope, self.object(value), at)
            case _:
                raise InputError("only a variable of the program has members")

    def place_at(self, found: source_values.SourceObject) -> Place:
        """The place of a number. Raises InputError for an object that is not a number."""
        name = source_values.scalar(found.type)
        if name is None:
            raise InputError("only numbers can be assigned to: name a member or an element")
        return Place(found.space, found.address, type_of(name), found.register, found.bits)

    def element(self, name: str, index: Any) -> Any:
        """`f32[address]`, `shared.f32[address]`, `tile[3]`."""
        source = source_values.find(self.scope, name) if isinstance(index, int) else None
        if source is not None:
            return source_values.evaluated(self.scope, source_values.element_of(self.scope, source, index))
        place = self.place_of(name, index)
        return self.scope.read(place.space, place.address, place.type, 1)[0]

    def place_of(self, name: str, index: Any) -> Place:
        """The place of an element. Raises InputError if there are no elements, or the index is not a whole number."""
        if not isinstance(index, int):
            raise InputError(f"`{name}[...]` takes a whole number")
        space, _, type = name.rpartition(".")
        if type in TYPES and (not space or space in _SPACES):
            return Place(space or "generic", index, type_of(type))
        if (source := source_values.find(self.scope, name)) is not None:
            return self.place_at(source_values.element_of(self.scope, source, index))
        array = self.scope.name(name)
        if not isinstance(array, Array):
            raise InputError("only variables and TYPE[address] have elements")
        return Place(array.space, self.scope.address_of(array, index), array.type)

    def place(self, tree: ast.expr) -> Place:
        """The target that an expression names, for an assignment."""
        match tree:
            case ast.Name(id=name):
                text = self.names[name]
                if (source := source_values.find(self.scope, text)) is not None:
                    return self.place_at(source)
                register = self.scope.find_register(text)
                if register is not None:
                    return Place("", 0, register.type, register)
                array = self.scope.name(text)
                if isinstance(array, Array) and array.count == 1:
                    return Place(array.space, array.address, array.type)
            case ast.Subscript(value=ast.Name(id=name), slice=index):
                return self.place_of(self.names[name], self.number(index))
            case ast.Subscript() | ast.Attribute():
                return self.place_at(self.object(tree))
            case _:
                pass
        raise InputError("a register, an element of a variable or TYPE[address] can be assigned to")

    def converted(self, name: str, value: Any) -> TypedBits:
        """`(int)x`, in the type of PTX: the number, without its fraction and its upper bits in an integer type. Raises
        InputError for what is no number."""
        type = type_of(name)
        if not isinstance(value, bool | int | float):
            raise InputError("only numbers are converted")
        if type.kind == "f":
            return TypedBits(bits_for(value, type), type)
        return TypedBits(int(value) & (1 << type.width) - 1, type)

    def cast(self, name: str, value: Any) -> TypedBits:
        """`f32(x)`: the same bits. Raises InputError for anything but a register or a number."""
        type = type_of(name)
        if isinstance(value, TypedBits):
            return TypedBits(value.bits & (1 << type.width) - 1, type)
        if isinstance(value, bool | int):
            return TypedBits(int(value) & (1 << type.width) - 1, type)
        if isinstance(value, float) and type.format is not None:
            return TypedBits(bits_for(value, type), type)
        raise InputError(f"`{name}(...)` takes the bits of a register or a number")
