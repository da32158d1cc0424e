"""How arguments and results get from one activation to the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from openptx.program import Sink, Symbol

if TYPE_CHECKING:
    from openptx.numerics import Bits
    from openptx.program import Operand
    from openptx.prove.activation import Activation


def hand_over(giver: Activation, given: Operand, taker: Activation, taken: Operand) -> None:
    """Copies a value: words of `.param` variables one by one, else a register or an immediate."""
    if isinstance(taken, Sink):
        return
    if not (isinstance(given, Symbol) and isinstance(taken, Symbol)):
        receive(taker, taken, value_of(giver, given))
        return
    for at, size in words(min(given.variable.size, taken.variable.size)):
        (word,) = giver.x.load("frame", place(giver, given, at), 8 * size)
        taker.x.store("frame", place(taker, taken, at), (word,))


def value_of(activation: Activation, operand: Operand) -> Bits:
    if isinstance(operand, Symbol) and operand.variable.space == "frame":
        return activation.x.load("frame", place(activation, operand, 0), 8 * operand.variable.size)[0]
    return activation.binder.source(operand, None)


def receive(activation: Activation, operand: Operand, value: Bits) -> None:
    if isinstance(operand, Symbol):
        width = 8 * operand.variable.size
        activation.x.store("frame", place(activation, operand, 0), (activation.x.resize(value, width),))
    else:
        activation.binder.write((operand, None), value)


def place(activation: Activation, operand: Symbol, at: int) -> Bits:
    """The address of a byte of a variable of the activation's frame."""
    return activation.x.const(activation.base + operand.variable.offset + at, 64)


def words(size: int) -> Iterator[tuple[int, int]]:
    """Offsets and sizes of words of eight bytes, and smaller ones at the end."""
    at = 0
    while at < size:
        word = min(8, 1 << (size - at).bit_length() - 1)
        yield at, word
        at += word
