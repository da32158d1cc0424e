"""Meanings recorded as operations on arrays, so that an instruction runs them without the machine in between.

A meaning of arithmetic calls its machine for each operation, and wraps each result: for 256 lanes that takes three
times as long as an integer operation. A meaning cannot branch on values of lanes, so its operations are the same each
time for given modifiers and operand widths: it is run once on a machine that notes them (recorder.py). Whatever else it
asks of the machine, such as memory or other lanes, ends the recording: the instruction runs its meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from openptx.engines.interp.recorder import NotRecorded, Operation, Recorder
from openptx.numerics import Bits
from openptx.numerics.numpy_machine_integer import BLOCK

if TYPE_CHECKING:
    from openptx.isa.notation import Modifiers

Given = tuple[int, int | None, int, bool] | int | None
"""An operand: the width of a register or constant, the constant's value (None: a register), the width that is read, and
whether it is negated; or a Python integer; or None if it is absent."""
Evaluate = Callable[..., Any]
"""From an array for each register to a new array."""

FEW = 24
"""The maximum number of operations that run on all lanes at once: the arrays of more do not stay in the cache."""


@lru_cache(maxsize=1 << 12)
def recorded(
    mean: Callable[..., Any], m: Modifiers, given: tuple[Given, ...], which: int, width: int, signed: bool
) -> Evaluate | int | None:
    """A function that computes result `which` of a meaning, extended to a register of `width` bits, with its sign if
    `signed`.

    The function takes an array for each register among the operands. If the result is just the value of one of these
    registers, returns its position among them instead; None if the meaning cannot be recorded.
    """
    x = Recorder(sum(isinstance(each, tuple) and each[1] is None for each in given))
    try:
        found: Any = mean(x, m, *operands(x, given))
        result: Any = cast("tuple[Any, ...]", found)[which] if isinstance(found, tuple) else found
        place = x.resize(result, width, signed).v if isinstance(result, Bits) else -1
    except NotRecorded:
        return None
    if place < 0 or not x.varies(place):
        return None
    return place if place < x.registers else evaluation(x, place)


def operands(x: Recorder, given: Sequence[Given]) -> list[Any]:
    """The arguments of a meaning; registers are the recorder's first places, in their order."""
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
            operations.append(operation)
    operations.reverse()
    if len(operations) == 1:
        ((function, given, _),) = operations
        if given == tuple(range(x.registers)):
            return function
        if x.registers == 1 and len(given) == 2:
            a, b = (x.places[i] for i in given)
            return with_second(function, b) if a is None else partial(function, a)
    run = in_turn(operations, x)
    return run if len(operations) <= FEW else in_blocks(run)


def with_second(function: Callable[..., Any], b: Any) -> Evaluate:
    def run(a: Any) -> Any:
        return function(a, b)

    return run


def in_turn(operations: Sequence[Operation], x: Recorder) -> Evaluate:
    """A function that runs operations one after another. An array that is no longer needed is replaced by the next
    result, so that as few as possible exist at a time."""
    last = {i: number for number, (_, given, _) in enumerate(operations) for i in given}
    slot = {i: i for i in range(x.registers)}
    constants = list[Any]()
    for i in last:
        if (constant := x.places[i]) is not None:
            slot[i], last[i] = x.registers + len(constants), -1
            constants.append(constant)
    size, free = x.registers + len(constants), list[int]()
    steps = list[tuple[Callable[..., Any], int, int, int, int]]()
    for number, (function, given, place) in enumerate(operations):
        some = [slot[i] for i in given]
        for i in given:
            if last[i] == number:
                last[i] = -1
                free.append(slot[i])
        if not free:
            free.append(size)
            size += 1
        slot[place] = to = free.pop()
        i, j, k = some if len(some) == 3 else (*some, -1, -1)[:3]
        steps.append((function, i, j, k, to))
    blank = [None] * (size - x.registers - len(constants))
    rest, end = [*constants, *blank], steps[-1][4]

    def run(*registers: Any) -> Any:
        v = [*registers, *rest]
        for function, i, j, k, to in steps:
            v[to] = function(v[i]) if j < 0 else function(v[i], v[j]) if k < 0 else function(v[i], v[j], v[k])
        return v[end]

    return run


def in_blocks(run: Evaluate) -> Evaluate:
    """The evaluation `run`, by at most `BLOCK` lanes at a time."""

    def parts(*registers: Any) -> Any:
        n = max(v.size for v in registers)
        if n <= BLOCK:
            return run(*registers)
        pieces = [run(*[v if v.size == 1 else v[i : i + BLOCK] for v in registers]) for i in range(0, n, BLOCK)]
        return np.concatenate(pieces)

    return parts
