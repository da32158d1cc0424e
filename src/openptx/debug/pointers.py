"""Pointers in expressions, as gdb has them: casts, addresses, arithmetic, and arrays that begin at an object."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

from openptx.debug.c_types import Cast, array_of, number_type, pointer_to, type_of_cast
from openptx.debug.scope import MOST, Scope
from openptx.debug.source_values import Pointer, SourceObject, element_of, evaluated, information_of
from openptx.debug.source_variables import ARRAY
from openptx.debug.values import Array, TypedBits
from openptx.errors import InputError


def cast(scope: Scope, type: Cast, value: Any) -> SourceObject:
    """`(@shared int*)x`: an address of that type. The space is that of x if the type names none. Raises InputError for
    a value that is no address."""
    space = ""
    match value:
        case Array():
            address, space = value.address, value.space
        case SourceObject() if value.type.tag == ARRAY:
            address, space = value.address, value.space
        case Pointer():
            address, space = value.bits, value.space
        case TypedBits() if value.type.kind not in ("f", "pred"):
            address = value.bits
        case int() if not isinstance(value, bool):
            address = value & (1 << 64) - 1
        case _:
            raise InputError("only integers, pointers and arrays can be cast to a pointer")
    if isinstance(value, TypedBits) and value.undefined:
        raise InputError("the pointer is undefined: this thread has not written it")
    information = information_of(scope)
    return SourceObject(information, type_of_cast(information, type, space), value=address)


def address_of(found: SourceObject) -> SourceObject:
    """`&x`: a pointer into the state space of x. Raises InputError for what is not in memory."""
    if found.value is not None:
        raise InputError("it is a value, which has no address")
    if found.register is not None:
        raise InputError("it is in a register, which has no address")
    if found.bits is not None:
        raise InputError("it is a bit-field, which has no address")
    information = found.information
    return SourceObject(information, pointer_to(information, found.type, found.space), value=found.address)


def pointed_array(scope: Scope, pointer: Pointer) -> Array | None:
    """The array of numbers that a pointer points to, such as `&tile`; None if it points to something else."""
    pointed = pointer.object.information.type_of(pointer.object.type)
    if pointed is None or pointed.tag != ARRAY:
        return None
    found = evaluated(scope, element_of(scope, pointer.object, 0))
    return found if isinstance(found, Array) else None


def of_array(scope: Scope, array: Array) -> SourceObject:
    """A variable of the PTX as an object of the program."""
    information = information_of(scope)
    type = number_type(information, array.type)
    if array.shape or array.count != 1:
        type = array_of(information, type, array.shape if prod(array.shape) == array.count else (array.count,))
    return SourceObject(information, type, array.space, array.address)


def repeated(first: SourceObject, count: Any) -> SourceObject:
    """`x@4`: an array that begins with x. Raises InputError for what is not in memory, and for an impossible count."""
    if first.value is not None or first.register is not None:
        raise InputError("`x@COUNT` takes what is in memory, such as *p@4")
    if not isinstance(count, int) or not 1 <= count <= MOST:
        raise InputError(f"`x@COUNT` takes a count from 1 to {MOST}, not {count}")
    return replace(first, type=array_of(first.information, first.type, (count,)), bits=None)


def added(a: Any, b: Any, *, negative: bool) -> Pointer | int:
    """`p + i`, `i + p`, `p - i`, and the elements between two pointers. Raises InputError for other operands."""
    if isinstance(a, Pointer) and isinstance(b, Pointer):
        if negative and a.step == b.step:
            return (a.bits - b.bits) // a.step
        raise InputError("of two pointers only the difference has a meaning, if they point to one type")
    pointer, number = (a, b) if isinstance(a, Pointer) else (b, a)
    count = number.number if isinstance(number, TypedBits) else number
    if not isinstance(count, int) or (negative and pointer is b):
        raise InputError("a pointer takes the addition and the subtraction of a whole number")
    return pointer.moved(-count if negative else count)
