"""How much memory there is: shared memory of a kernel, constants of a file (measured)."""

from __future__ import annotations

from openptx.check.sizes import element_bytes, shape_of
from openptx.isa.types import TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.context import Context
    from openptx.syntax.declarations import Variable as Declaration

CONSTANTS = 0x10000
_SHARED, _SHARED_OF_FEATURES = 0xC000, 0x38C00


def shared_limit(context: Context) -> int:
    """The bytes of shared memory that a kernel may declare; targets with a letter, such as sm_90a, have more."""
    target = context.target
    return _SHARED if target is not None and target.name[-1].isdigit() else _SHARED_OF_FEATURES


def bytes_of(declaration: Declaration) -> int:
    """The bytes of all variables of a declaration, without what alignment adds between them."""
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
