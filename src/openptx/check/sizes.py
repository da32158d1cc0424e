"""How many bytes declared variables take (manual 5.4); imports nothing that a checker doesn't need."""

from __future__ import annotations

from math import prod

from openptx.syntax.declarations import InitialiserList

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.types import Type
    from openptx.syntax.declarations import Declarator


def rounded_up(size: int, align: int) -> int:
    """The next multiple of `align`."""
    return -(-size // align) * align


def element_bytes(type: Type) -> int:
    """The bytes that one element takes in memory."""
    return max(1, type.width // 8)


def shape_of(declarator: Declarator) -> tuple[int, ...]:
    """The dimensions; an open first one is as long as the initialiser, 0 without one."""
    shape = tuple(0 if length is None else length.value for length in declarator.dimensions)
    if shape and declarator.dimensions[0] is None and isinstance(declarator.initialiser, InitialiserList):
        values = declarator.initialiser
        nested = not values.plain and values.elements and isinstance(values.elements[0], InitialiserList)
        row = 1 if nested else max(prod(shape[1:]), 1)
        shape = (rounded_up(len(values), row) // row, *shape[1:])
    return shape
