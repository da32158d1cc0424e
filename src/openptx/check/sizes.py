"""The sizes of declared variables (manual 5.4), and the limits: shared memory of a kernel, constants of a file
(measured)."""

from __future__ import annotations

from math import prod

from openptx.check.context import Context
from openptx.isa.types import TYPES, Type
from openptx.syntax.declarations import Declarator, InitialiserList
from openptx.syntax.declarations import Variable as Declaration

CONSTANTS = 0x10000
_SHARED, _SHARED_OF_FEATURES = 0xC000, 0x38C00


def rounded_up(size: int, align: int) -> int:
    """The next multiple of `align`."""
    return -(-size // align) * align


def element_bytes(type: Type) -> int:
    """The bytes that one element occupies in memory."""
    return max(1, type.width // 8)


def shape_of(declarator: Declarator) -> tuple[int, ...]:
    """The dimensions; a first one that is open or 0 is as long as the initialiser, 0 without one."""
    shape = tuple(0 if length is None else length.value for length in declarator.dimensions)
    if shape and not shape[0] and isinstance(declarator.initialiser, InitialiserList):
        values = declarator.initialiser
        row = 1 if values.nested else max(prod(shape[1:]), 1)
        shape = (rounded_up(len(values), row) // row, *shape[1:])
    return shape


def shared_limit(context: Context) -> int:
    """The bytes of shared memory that a kernel may declare; targets with a letter, such as sm_90a, have more."""
    target = context.target
    return _SHARED if target is not None and not target.suffix else _SHARED_OF_FEATURES


def bytes_of(declaration: Declaration) -> int:
    """The bytes of all variables of a declaration, without alignment padding between them."""
    type = TYPES.get(declaration.type)
    if type is None:
        return 0
    total = 0
    for declarator in declaration.names:
        size = element_bytes(type) * (declaration.vector or 1)
        for length in shape_of(declarator):
            size *= length
        total += size * (declarator.count.value if declarator.count is not None else 1)
    return total
