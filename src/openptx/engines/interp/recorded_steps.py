"""Instructions whose meaning can be recorded as operations on arrays run as closures, without the machine in between:
they read registers, compute, and write one register.

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

from openptx.engines.interp import lane_sets
from openptx.engines.interp.operands import Registers, put, read_width
from openptx.engines.interp.recorder import NotRecorded, Operation, Recorder
from openptx.isa.fidelity import UNSUPPORTED
from openptx.isa.semantics.elements import unpacked
from openptx.numerics import Bits
from openptx.numerics.numpy_machine_integer import BLOCK
from openptx.program import Imm, Operand, Reg, Sink

if TYPE_CHECKING:
    from openptx.engines.interp.machine import Threads
    from openptx.isa.notation import Modifiers
    from openptx.isa.types import Type
    from openptx.program import Op

    Step = Callable[[Threads, Registers, lane_sets.Lanes], None]


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


WIDEST = 64
"""Wider registers are pairs of arrays."""


def recorded_step(op: Op) -> Step | None:
    """The instruction without its guard; None unless it computes one register of up to three, and is recorded."""
    mean, uses = arithmetic(op.m)
    if mean is None:
        return None
    given, registers = list[Given](), list[int]()
    results, target, which, signed = 0, None, 0, False
    for use, operand, t in zip(uses, op.operands, op.types, strict=True):
        if use == UNUSED:
            continue
        if use in (WRITTEN, UPDATED):
            if isinstance(operand, Reg):
                if target is not None:
                    return None
                target, which, signed = operand, results, t is not None and t.signed
            elif operand is not None and not isinstance(operand, Sink):
                return None
            results += 1
            if use == WRITTEN:
                continue
        if not read(operand, t, use == IMMEDIATE, given, registers):
            return None
    if target is None or target.width > WIDEST or not 0 < len(registers) < 4:
        return None
    found = recorded(mean, op.m, tuple(given), which, target.width, signed)
    if found is None:
        return None
    if isinstance(found, int):
        return copy(registers[found], target.index)
    return _SHAPES[len(registers) - 1](found, target.index, *registers)


UNUSED, WRITTEN, UPDATED, READ, IMMEDIATE = range(5)
"""What an instruction does with an operand."""


@lru_cache(maxsize=1 << 12)
def arithmetic(m: Modifiers) -> tuple[Callable[..., Any] | None, tuple[int, ...]]:
    """The meaning of a form with these modifiers, and what it does with each operand. No meaning if there is none, and
    for an instruction that is not recorded, since it uses memory or the carry."""
    instruction = m.form.instruction
    if instruction.meaning is None or instruction.access or instruction.carry or instruction.fidelity(m) is UNSUPPORTED:
        return None, ()
    uses = list[int]()
    for template in m.form.operands:
        name, role = template.name, template.role
        if role == "write":
            uses.append(UPDATED if name in instruction.updates else WRITTEN)
        elif role == "immediate" or name in instruction.immediates:
            uses.append(IMMEDIATE)
        else:
            uses.append(UNUSED if role == "sink" else READ)
    return unpacked(instruction.meaning, m), tuple(uses)


def read(operand: Operand | None, t: Type | None, immediate: bool, given: list[Given], registers: list[int]) -> bool:
    """Adds a source to the operands of a recording, and its register to those that are read. False for other kinds."""
    if isinstance(operand, Reg) and operand.width <= WIDEST:
        given.append((operand.width, None, read_width(operand.width, t), operand.negated))
        registers.append(operand.index)
    elif operand is None or isinstance(operand, Sink):
        given.append(None)
    elif isinstance(operand, Imm) and operand.width <= WIDEST:
        given.append(operand.value if immediate else (operand.width, operand.value, operand.width, False))
    else:
        return False
    return True


def copy(i: int, d: int) -> Step:
    def step(x: Threads, regs: Registers, lanes: lane_sets.Lanes) -> None:
        regs[d] = put(regs[d], lanes, lane_sets.take(regs[i], lanes), x.n)

    return step


def unary_step(evaluate: Evaluate, d: int, i: int) -> Step:
    def step(x: Threads, regs: Registers, lanes: lane_sets.Lanes) -> None:
        a = regs[i]
        if lanes is None:
            regs[d] = evaluate(a)
        else:
            regs[d] = put(regs[d], lanes, evaluate(a if a.size == 1 else a[lanes]), x.n)

    return step


def binary_step(evaluate: Evaluate, d: int, i: int, j: int) -> Step:
    def step(x: Threads, regs: Registers, lanes: lane_sets.Lanes) -> None:
        a, b = regs[i], regs[j]
        if lanes is None:
            regs[d] = evaluate(a, b)
        else:
            found = evaluate(a if a.size == 1 else a[lanes], b if b.size == 1 else b[lanes])
            regs[d] = put(regs[d], lanes, found, x.n)

    return step


def ternary_step(evaluate: Evaluate, d: int, i: int, j: int, k: int) -> Step:
    def step(x: Threads, regs: Registers, lanes: lane_sets.Lanes) -> None:
        some = (regs[i], regs[j], regs[k])
        if lanes is None:
            regs[d] = evaluate(*some)
        else:
            regs[d] = put(regs[d], lanes, evaluate(*[a if a.size == 1 else a[lanes] for a in some]), x.n)

    return step


_SHAPES = cast("list[Callable[..., Step]]", [unary_step, binary_step, ternary_step])
