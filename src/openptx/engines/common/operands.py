"""Which operands an instruction reads and writes, and in which order its meaning takes them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from openptx.program import Address, Op, Operand

if TYPE_CHECKING:
    from openptx.isa.notation.forms import Form
    from openptx.isa.notation.slots import Template
    from openptx.isa.types import Type
    from openptx.numerics import Arithmetic, Bits

T = TypeVar("T")


def as_pair(x: Arithmetic, value: Bits, t: Type | None) -> tuple[Bits, Bits]:
    """The words (low, high) of a value in 128 bits, extended by the sign of its type or by zeros, as a result is in any
    wider register (manual 9.4.1)."""
    low = x.resize(value, 64, t is not None and t.signed)
    return low, x.binary("sar", low, x.const(63, 64)) if t is not None and t.signed else x.const(0, 64)


def bind_sources(
    op: Op, source: Callable[[Operand | None, Type | None, bool], T], address: Callable[[Address, str | None], T]
) -> list[T]:
    """What an engine makes of every operand that the instruction reads: `address(operand, space)` of an address,
    `source(operand, type, immediate)` of another; `immediate` says that it is a constant of the instruction."""
    found, operands, types = list[T](), op.operands, op.types
    for i, name, immediate in roles(op.form).sources:
        operand = operands[i]
        if isinstance(operand, Address):
            found.append(address(operand, op.form.space_of(name, op.m)))
        else:
            found.append(source(operand, types[i], immediate))
    return found


def bind_destinations(op: Op, destination: Callable[[Operand | None, Type | None], T]) -> list[T]:
    """What an engine makes of every destination, in the order of the form."""
    return [destination(op.operands[i], op.types[i]) for i in roles(op.form).destinations]


def source_names(op: Op) -> list[str]:
    """The names of the operands that `bind_sources` returns, in its order."""
    return [name for _, name, _ in roles(op.form).sources]


def source_position(op: Op, name: str) -> int:
    """The position of an operand among those that `bind_sources` returns."""
    return source_names(op).index(name)


class Roles(NamedTuple):
    """What the operands of a form are for the meaning of its instructions."""

    sources: tuple[tuple[int, str, bool], ...]
    """The positions and names of those that it reads, and whether they are constants of the instruction."""
    destinations: tuple[int, ...]
    """The positions of those that it writes."""


@cache
def roles(form: Form) -> Roles:
    """Found once for a form: passes ask for every instruction, several times."""
    immediates, numbered = form.instruction.immediates, list(enumerate(form.operands))
    sources = [(i, t.name, t.role == "immediate" or t.name in immediates) for i, t in numbered if _is_source(form, t)]
    return Roles(tuple(sources), tuple([i for i, t in numbered if t.role == "write"]))


def has_operand(op: Op, name: str) -> bool:
    """Whether an instruction was written with its operand of this name, which may be optional."""
    return any(template.name == name and operand is not None for template, operand in op.operands_by_template())


def _is_source(form: Form, template: Template) -> bool:
    """Not a sink, nor a destination whose old value does not matter."""
    if template.role == "write":
        return template.name in form.instruction.updates
    return template.role != "sink"
