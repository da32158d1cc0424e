"""Expressions over registers, memory and variables of one thread: `%r1 + 4 * i`, `f32[p]`, `tile[3] > 0 and not c`.

The grammar is Python's for arithmetic, comparison and `and or not`, or C's; names are PTX's. `f32[address]` reads
memory through a generic address, `shared.f32[address]` in a state space; `f32(x)` takes the bits of a register as
another type, `f32(1.5)` those of a number. `&x` is the address of what `x` names, `*p` what a pointer points to, and
`x@4` an array of four that begins with x, as in gdb. Prefix operators and casts are powers in the tree.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from openptx.debug import c_types, pointers, source_values
from openptx.debug.c_expressions import SIZEOF, in_python
from openptx.debug.scope import Scope
from openptx.debug.source_values import Pointer, SourceObject
from openptx.debug.source_variables import ARRAY, BitField
from openptx.debug.values import Array, TypedBits, bits_for
from openptx.errors import InputError
from openptx.isa.types import TYPES, Type
from openptx.program import Register
from openptx.trace.values import type_of

_SPACES = frozenset(("global", "shared", "local", "const", "param", "generic"))
# fmt: off
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: divided(a, b), ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a - b * divided(a, b) if isinstance(a, int) and isinstance(b, int) else a % b,
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
NO_OBJECT = "a computed value has neither an address nor members"


def divided(a: Any, b: Any) -> Any:
    """A quotient as in C: that of integers is rounded towards zero."""
    if not (isinstance(a, int) and isinstance(b, int)) or not b:
        return a / b
    return a // b if (a < 0) == (b < 0) else -(-a // b)


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
    """A parsed text; `names` are the meanings of its placeholders."""

    text: str
    tree: ast.expr
    names: dict[str, str]

    def evaluate(self, scope: Scope) -> Any:
        """The value in a thread: TypedBits, an Array, or a number. Raises InputError if it has none."""
        return self._try(_Evaluation(scope, self.names).of)

    def place(self, scope: Scope) -> Place:
        """The register or the element of memory that it names. Raises InputError if it is not assignable."""
        return self._try(_Evaluation(scope, self.names).place)

    def source_object(self, scope: Scope) -> SourceObject | None:
        """The variable of the program, the part of one, the pointer or what it points to, that it names; None for any
        other expression."""
        if not isinstance(self.tree, ast.Name | ast.Attribute | ast.Subscript | ast.BinOp):
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

    given = in_python(text.strip(), placeholder)
    try:
        tree = ast.parse(given, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InputError(f"`{text.strip()}` is not an expression") from error
    return Expression(text.strip(), tree, names)


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


def as_number(value: Any) -> Any:
    """A value as an operand of arithmetic; an array is its address."""
    if isinstance(value, TypedBits):
        return value.number
    return value.address if isinstance(value, Array) else value


def names_object(prefix: str) -> bool:
    """Whether a prefix operator or a cast makes an object: `*p`, `&x`, `(int*)x`."""
    return prefix in ("*", "&") or (prefix not in ("!", SIZEOF) and bool(c_types.parsed(prefix).pointers))


class _Evaluation:
    def __init__(self, scope: Scope, names: dict[str, str]) -> None:
        self.scope, self.names = scope, names

    def number(self, tree: ast.expr) -> Any:
        """A value as a Python number or truth value."""
        return as_number(self.of(tree))

    def of(self, tree: ast.expr) -> Any:
        match tree:
            case ast.Constant(value=bool() | int() | float() as value):
                return value
            case ast.Name(id=name):
                return self.scope.name(self.names[name])
            case ast.BoolOp(op=op, values=values):
                test = all if isinstance(op, ast.And) else any
                return test(bool(self.number(value)) for value in values)
            case ast.IfExp(test=test, body=body, orelse=other):
                return self.of(body if self.number(test) else other)
            case ast.UnaryOp(op=op, operand=operand):
                return _UNARY[type(op)](self.number(operand))
            case ast.BinOp(left=ast.Name(id=name), op=ast.Pow(), right=right):
                return self.prefixed(self.names[name], right)
            case ast.BinOp(op=ast.MatMult()):
                return source_values.evaluated(self.scope, self.object(tree))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                return self.binary(op, left, right)
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

    def prefixed(self, word: str, right: ast.expr) -> Any:
        """`!x`, `sizeof x`, `(int)x`, and what is an object: `*p`, `&x`, `(int*)x`."""
        if word == SIZEOF:
            return self.size(right)
        if names_object(word):
            return source_values.evaluated(self.scope, self.prefixed_object(word, right))
        if word == "!":
            return not self.number(right)
        return self.converted(c_types.NUMBERS[c_types.parsed(word).name], self.number(right))

    def size(self, tree: ast.expr) -> int:
        """The bytes of a type, of an object of the program, or of a register. Raises InputError for other values."""
        information = source_values.information_of(self.scope)
        name = self.names[tree.id] if isinstance(tree, ast.Name) else ""
        try:
            return information.size(self.lvalue(tree).type)
        except InputError:
            if name:
                return c_types.size(information, name)
            if isinstance(value := self.of(tree), TypedBits):
                return value.type.width // 8
            raise

    def prefixed_object(self, word: str, right: ast.expr) -> SourceObject:
        """`*p`, `&x`, `(int*)x`. Raises InputError for any other operator."""
        if word == "*":
            return source_values.element_of(self.scope, self.pointer(right), 0)
        if word == "&":
            return pointers.address_of(self.lvalue(right))
        if not names_object(word):
            raise InputError(NO_OBJECT)
        return pointers.cast(self.scope, c_types.parsed(word), self.of(right))

    def binary(self, op: ast.operator, left: ast.expr, right: ast.expr) -> Any:
        """Arithmetic of numbers, and of pointers in units of what they point to."""
        a, b = self.of(left), self.of(right)
        if isinstance(op, ast.Add | ast.Sub):
            a, b = self.decayed(left, a), self.decayed(right, b)
            if isinstance(a, Pointer) or isinstance(b, Pointer):
                return pointers.added(a, b, negative=isinstance(op, ast.Sub))
        a, b = as_number(a), as_number(b)
        if isinstance(op, ast.LShift | ast.RShift) and not 0 <= b <= LONGEST_SHIFT:
            raise ValueError(f"a shift by {b}")
        return _BINARY[type(op)](a, b)

    def decayed(self, tree: ast.expr, value: Any) -> Any:
        """A value, or the pointer to the first element if it is an array of the program."""
        if isinstance(value, Array) and not self.of_ptx(tree):
            value = self.object(tree)
        if isinstance(value, SourceObject) and value.type.tag == ARRAY:
            first = source_values.element_of(self.scope, value, 0)
            return source_values.number(self.scope, pointers.address_of(first))
        return value

    def of_ptx(self, tree: ast.expr) -> bool:
        """Whether it is a name, or an element of a name, that the program does not have."""
        name = tree.value if isinstance(tree, ast.Subscript) else tree
        return isinstance(name, ast.Name) and source_values.find(self.scope, self.names[name.id]) is None

    def lvalue(self, tree: ast.expr) -> SourceObject:
        """What an expression names, of the program or of the PTX. Raises InputError for a value without a place."""
        if not self.of_ptx(tree):
            return self.object(tree)
        if isinstance(tree, ast.Name) and isinstance(value := self.scope.name(self.names[tree.id]), Array):
            return pointers.of_array(self.scope, value)
        place = self.place(tree)
        information = source_values.information_of(self.scope)
        type = c_types.number_type(information, place.type)
        return SourceObject(information, type, place.space, place.address, place.register)

    def pointer(self, tree: ast.expr) -> SourceObject:
        """A pointer, or an array. Raises InputError for anything else."""
        if isinstance(tree, ast.Name) and self.of_ptx(tree):
            value = self.of(tree)
            if not isinstance(value, Array):
                raise InputError("it has no type to read: cast it to a pointer first, such as *(int*)%rd1")
            return pointers.of_array(self.scope, value)
        return self.object(tree)

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

    def object(self, tree: ast.expr) -> SourceObject:
        """An object of the program: a variable, a member, an element. Raises InputError for anything else."""
        match tree:
            case ast.Name(id=name):
                text = self.names[name]
                if (found := source_values.find(self.scope, text)) is not None:
                    return found
                if isinstance(array := self.scope.name(text), Array) and len(array.shape) > 1:
                    return pointers.of_array(self.scope, array)  # `tile[1][2]`, of PTX
                raise InputError(f"`{text}` is no variable of the program")
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
            case ast.BinOp(left=ast.Name(id=name), op=ast.Pow(), right=right):
                return self.prefixed_object(self.names[name], right)
            case ast.IfExp(test=test, body=body, orelse=other):
                return self.object(body if self.number(test) else other)
            case ast.BinOp(left=left, op=ast.MatMult(), right=right):
                return pointers.repeated(self.lvalue(left), self.number(right))
            case ast.BinOp(op=ast.Add() | ast.Sub()):
                if isinstance(found := self.of(tree), Pointer):
                    return found.object
            case _:
                pass
        raise InputError(NO_OBJECT)

    def place_at(self, found: SourceObject) -> Place:
        """The place of a number. Raises InputError for an object that is not a number."""
        name = source_values.scalar(found.type)
        if found.value is not None:
            raise InputError("an address cannot be assigned to")
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
            case ast.BinOp(left=ast.Name(id=name), op=ast.Pow()) if names_object(self.names[name]):
                return self.place_at(self.object(tree))
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
