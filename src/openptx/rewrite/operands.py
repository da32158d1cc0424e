"""Which registers an instruction reads and writes."""

from __future__ import annotations

from openptx.control_flow import is_read, is_written, registers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from openptx.program import Function, Op


def read(op: Op) -> Iterator[int]:
    """The registers that an instruction reads, its guard among them."""
    if op.guard is not None:
        yield op.guard.index
    for i, operand in enumerate(op.operands):
        if is_read(op, i):
            for register in registers(operand):
                yield register.index


def written(op: Op) -> Iterator[int]:
    """The registers that an instruction writes."""
    for i, operand in enumerate(op.operands):
        if is_written(op, i):
            for register in registers(operand):
                yield register.index


def read_early(function: Function) -> frozenset[int]:
    """Registers that an instruction reads which stands before all that write them: in loops, or by mistake."""
    seen: set[int] = set()
    found: set[int] = set()
    for op in function.code:
        found.update(index for index in read(op) if index not in seen)
        seen.update(written(op))
    return frozenset(found)
