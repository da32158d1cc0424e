"""Elements of packed types: the meaning for one element, applied to each; its number format; saturation of results;
operands that are lists or single registers."""

from __future__ import annotations

from functools import wraps

from openptx.numerics import FORMATS, Bits, Format

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from openptx.isa.machine import Machine
    from openptx.isa.notation.forms import Modifiers


def packed(meaning: Callable[..., Bits]) -> Callable[..., Bits]:
    """Splits operands of a packed `m.type` into elements, applies `meaning` to each, and packs the results.

    A meaning finds its element's type in `m.type.element`, which for scalars is the type itself.
    """

    @wraps(meaning)
    def each(x: Machine, m: Modifiers, *operands: Bits) -> Bits:
        if m.type.count == 1:
            return meaning(x, m, *operands)
        columns = [x.split(a, m.type.element.width) for a in operands]
        return x.join([meaning(x, m, *elements) for elements in zip(*columns, strict=True)])

    _ELEMENTS[each] = meaning
    return each


_ELEMENTS: dict[Callable[..., Bits], Callable[..., Bits]] = {}


def unpacked(meaning: Callable[..., Any], m: Modifiers) -> Callable[..., Any]:
    """The meaning without its loop over elements, if these modifiers have one element."""
    element = _ELEMENTS.get(meaning)
    return element if element is not None and m.type.count == 1 else meaning


def format_of(m: Modifiers) -> Format:
    """The number format of the type, or of its elements where it is packed."""
    return FORMATS[m.type.element.format or ""]


def saturated(x: Machine, m: Modifiers, d: Bits) -> Bits:
    """A result, clamped to [0, 1] where the instruction has `.sat`."""
    return x.saturate(format_of(m), d) if m.sat else d


def as_tuple(operand: Bits | tuple[Bits, ...]) -> tuple[Bits, ...]:
    """The registers of an operand that is a list or, `a` for `{a}`, a single register."""
    return operand if isinstance(operand, tuple) else (operand,)


def one_or_tuple(registers: Sequence[Bits]) -> Bits | tuple[Bits, ...]:
    """The value of a destination: a list has two registers or more."""
    return tuple(registers) if len(registers) > 1 else registers[0]
