"""Meanings recorded as operations on arrays, so that an instruction runs them without the machine in between.

A meaning of integer arithmetic calls its machine for each operation, and wraps each result: for 256 lanes that takes
three times as long as the operation. A meaning cannot branch on values of lanes, so its operations are the same each
time for given modifiers and operand widths: it is run once on a machine that notes them. Whatever else it asks of the
machine, such as floating-point arithmetic, memory or other lanes, ends the recording: the instruction runs its meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np

from openptx.numerics import Bits
from openptx.numerics.integers import Integers
from openptx.numerics.numpy_machine import NumpyMachine
from openptx.numerics.numpy_machine_integer import (
    BOOLEAN,
    COMPARISONS,
    INTEGER,
    UNSIGNED,
    amount_of,
    below_zero,
    chosen,
    resizer,
    signed_ufunc,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from openptx.isa.notation import Modifiers
    from openptx.numerics.bits import Signedness

    Array = NDArray[Any]

LONGEST = 24
"""The most operations of a recording."""

Given = tuple[int, int | None, int, bool] | int | None
"""An operand: the width of a register or constant, the constant's value (None: a register), the width that is read, and
whether it is negated; or a Python integer; or None if it is absent."""
Operation = tuple[Callable[..., Any], tuple[int, ...], int]
"""A function that makes a new array, the places of its one to three arguments, and that of its result."""
Evaluate = Callable[..., Any]
"""From an array for each register to a new array."""


class NotRecorded(Exception):
    """The meaning needs more than integer operations on its lane."""


class Recorder(Integers):
    """A machine whose values are places in a list, where arrays will stand; constants stand there already."""

    def __init__(self, registers: int) -> None:
        self.registers = registers
        self.places: list[Any] = [None] * registers
        self.varies = [True] * registers
        self.operations: list[Operation] = []

    def note(self, w: int, function: Callable[..., Any], *operands: Bits) -> Bits:
        """The result, of width `w`, of a function that makes a new array."""
        given: tuple[int, ...] = tuple([b.v for b in operands])
        place = len(self.places)
        varies = any(self.varies[i] for i in given)
        if not varies:
            self.places.append(np.asarray(function(*[self.places[i] for i in given])))
        elif len(self.operations) == LONGEST:
            raise NotRecorded
        else:
            self.operations.append((function, given, place))
            self.places.append(None)
        self.varies.append(varies)
        return Bits(self, w, place)

    def const(self, value: int, w: int) -> Bits:
        if not -(1 << w - 1) <= value < 1 << w:
            raise ValueError(f"{value} does not fit {w} bits")
        self.places.append(np.array(value & (1 << w) - 1, UNSIGNED[w]))
        self.varies.append(False)
        return Bits(self, w, len(self.places) - 1)

    def binary(self, op: str, a: Bits, b: Bits) -> Bits:
        w = a.width
        if w != b.width:
            raise TypeError(f"`{op}` of {w} and {b.width} bits")
        return self.note(1 if op in COMPARISONS else w, (BOOLEAN if w == 1 else INTEGER)[op], a, b)

    def select(self, p: Bits, a: Bits, b: Bits) -> Bits:
        if a.width != b.width or p.width != 1:
            raise TypeError(f"select of {a.width} and {b.width} bits by {p.width}")
        return self.note(a.width, chosen, p, a, b)

    def resize(self, a: Bits, w: int, signed: bool = False) -> Bits:
        return a if a.width == w else self.note(w, resizer(a.width, w, signed), a)

    def amount(self, n: Bits | int, w: int) -> Bits:
        if not isinstance(n, Bits):
            return self.const(min(n, w), w)
        return n if n.width == w else self.note(w, amount_of(n.width, w), n)

    def invert(self, a: Bits) -> Bits:
        return self.note(a.width, np.invert, a)

    def unequal(self, a: Bits, b: Bits) -> Bits:
        return self.note(1, np.not_equal, a, b)

    def at_most(self, a: Bits, b: Bits) -> Bits:
        return self.note(1, np.less_equal, a, b)

    def negative(self, a: Bits) -> Bits:
        return a if a.width == 1 else self.note(1, below_zero, a)

    def min(self, t: Signedness, a: Bits, b: Bits | int) -> Bits:
        return self.note(a.width, _extreme(np.minimum, t), a, self.operand(b, a.width))

    def max(self, t: Signedness, a: Bits, b: Bits | int) -> Bits:
        return self.note(a.width, _extreme(np.maximum, t), a, self.operand(b, a.width))

    def __getattr__(self, name: str) -> NoReturn:
        raise NotRecorded


def _extreme(ufunc: Callable[..., Array], t: Signedness) -> Callable[..., Array]:
    return signed_ufunc(ufunc) if t.signed else ufunc


def _refused(*_: object, **__: object) -> NoReturn:
    raise NotRecorded


for _class in NumpyMachine.__mro__:  # what the NumPy machine does faster than the definition is not recorded as that
    if not issubclass(Integers, _class):
        for _name in vars(_class):
            if hasattr(Integers, _name) and _name not in vars(Recorder):
                setattr(Recorder, _name, _refused)


@lru_cache(maxsize=1 << 12)
def recorded(
    mean: Callable[..., Any], m: Modifiers, given: tuple[Given, ...], which: int, width: int, signed: bool
) -> Evaluate | int | None:
    """What computes result `which` of a meaning, for a register of `width` bits, with its sign if it is `signed`.

    It is called with an array for each register among the operands. The position of a register among them if the result
    is its value; None if the meaning cannot be recorded.
    """
    x = Recorder(sum(isinstance(each, tuple) and each[1] is None for each in given))
    try:
        found: Any = mean(x, m, *operands(x, given))
        result: Any = cast("tuple[Any, ...]", found)[which] if isinstance(found, tuple) else found
        place = x.resize(result, width, signed).v if isinstance(result, Bits) else -1
    except NotRecorded:
        return None
    if place < 0 or not x.varies[place]:
        return None
    return place if place < x.registers else evaluation(x, place)


def operands(x: Recorder, given: Sequence[Given]) -> list[Any]:
    values, registers = list[Any](), 0
    for each in given:
        if not isinstance(each, tuple):
            values.append(each)
        elif each[1] is not None:
            values.append(x.const(each[1], each[0]))
        else:
            width, _, wanted, negated = each
            value = Bits(x, width, registers)
            registers += 1
            values.append(x.resize(x.invert(value) if negated else value, min(width, wanted)))
    return values


def evaluation(x: Recorder, place: int) -> Evaluate:
    """The operations that a place depends on, as a function of the registers' arrays."""
    needed, operations = {place}, list[Operation]()
    for operation in reversed(x.operations):
        if operation[2] in needed:
            needed.update(operation[1])
            operations.insert(0, operation)
    if len(operations) == 1:
        ((function, given, _),) = operations
        if given == tuple(range(x.registers)):
            return function
        if x.registers == 1 and len(given) == 2:
            a, b = (x.places[i] for i in given)
            return with_second(function, b) if a is None else partial(function, a)
    return in_turn(operations, x)


def with_second(function: Callable[..., Any], b: Any) -> Evaluate:
    def run(a: Any) -> Any:
        return function(a, b)

    return run


def in_turn(operations: Sequence[Operation], x: Recorder) -> Evaluate:
    """A function that runs operations in turn. An array that is no longer needed is replaced by the next result, so
    that as few as possible exist at a time."""
    last = {i: number for number, (_, given, _) in enumerate(operations) for i in given}
    seat = {i: i for i in range(x.registers)}
    constants = list[Any]()
    for i in [i for i in last if not x.varies[i]]:
        seat[i] = x.registers + len(constants)
        constants.append(x.places[i])
    size, free = x.registers + len(constants), list[int]()
    steps = list[tuple[Callable[..., Any], int, int, int, int]]()
    for number, (function, given, place) in enumerate(operations):
        i, j, k = ([seat[g] for g in given] + [-1, -1])[:3]
        free += {seat[g] for g in given if x.varies[g] and last[g] == number}
        if not free:
            free.append(size)
            size += 1
        seat[place] = free.pop()
        steps.append((function, i, j, k, seat[place]))
    blank = [None] * (size - x.registers - len(constants))
    rest, end = [*constants, *blank], steps[-1][4]

    def run(*registers: Any) -> Any:
        v = [*registers, *rest]
        for function, i, j, k, to in steps:
            v[to] = function(v[i]) if j < 0 else function(v[i], v[j]) if k < 0 else function(v[i], v[j], v[k])
        return v[end]

    return run
