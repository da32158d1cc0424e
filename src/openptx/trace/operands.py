"""The values that an instruction reads and writes, with names: operands whose values the text does not show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

import numpy as np

from openptx.array_types import Array
from openptx.control_flow import is_read, is_written, registers
from openptx.engines.interp import lane_sets
from openptx.engines.interp.frames import Frame
from openptx.engines.interp.machine import Threads
from openptx.engines.interp.operands import Reader, address, source
from openptx.isa.types import Type
from openptx.program import Address, Arguments, Function, Op, Operand, Reg, Special, Symbol, Vector

Reads = Callable[["Threads", "Frame", lane_sets.Lanes], list[int]]


@dataclass(frozen=True, slots=True)
class Part:
    """One value of an instruction: its name, its type's name, and a function that returns its bits, one for each lane
    or for all."""

    name: str
    type: str
    read: Reads


@lru_cache(maxsize=1 << 14)
def read_parts(function: Function, op: Op) -> tuple[Part, ...]:
    """The values that an instruction reads; the guard is one of them only if it decides a branch."""
    found = list[Part]()
    if op.guard is not None and op.form.instruction.control == "branch":
        found.append(register(function, Reg(op.guard.index, 1), None))
    for i, (operand, type) in enumerate(zip(op.operands, op.types, strict=True)):
        if is_read(op, i):
            found += parts(function, op, operand, type, op.form.operands[i].name)
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=1 << 14)
def written_parts(function: Function, op: Op) -> tuple[Part, ...]:
    """The registers that an instruction writes."""
    found = list[Part]()
    for i, (operand, type) in enumerate(zip(op.operands, op.types, strict=True)):
        if is_written(op, i):
            found += [register(function, r, type) for r in registers(operand)]
    return tuple(found)


def parts(function: Function, op: Op, operand: Operand | None, type: Type | None, name: str) -> list[Part]:
    """The values in a source operand."""
    match operand:
        case Reg():
            return [register(function, operand, type)]
        case Vector():
            return [part for each in operand.elements for part in parts(function, op, each, type, name)]
        case Arguments():
            return [part for each in operand.values for part in parts(function, op, each, None, name)]
        case Special() if not operand.name.startswith(("clock", "globaltimer")):  # reading those changes them
            return [special(operand)]
        case Address():
            whole = [memory(function, op, operand, name)] if isinstance(operand.base, Reg | Symbol) else []
            return whole + [part for each in operand.parts for part in parts(function, op, each, None, name)]
        case _:
            return []


def register(function: Function, r: Reg, type: Type | None) -> Part:
    """A register, as the instruction's type if that is not wider."""
    declared = function.registers[r.index]
    shown = type if type is not None and type.width <= declared.type.width and type.kind != "opaque" else declared.type

    def read(x: Threads, frame: Frame, lanes: lane_sets.Lanes) -> list[int]:
        return bits_of(frame.regs[r.index], lanes)

    return Part(declared.name, shown.name, read)


def bits_of(content: Any, lanes: lane_sets.Lanes) -> list[int]:
    """The bits of a register's content in lanes, or one value for all of them."""
    if isinstance(content, tuple):
        low, high = (bits_of(half, lanes) for half in cast("tuple[Array, Array]", content))
        if len(low) != len(high):
            low, high = (half * max(len(low), len(high)) if len(half) == 1 else half for half in (low, high))
        return [a | b << 64 for a, b in zip(low, high, strict=True)]
    array = cast("Array", content)
    return np.asarray(lane_sets.take(array, lanes)).astype(np.uint64).tolist()


def values(read: Reader) -> Reads:
    """A reader of an operand, as values of the lanes."""
    return lambda x, frame, lanes: read(x, frame.regs, lanes).v.tolist()


def special(operand: Special) -> Part:
    """A special register."""
    reader = source(operand, None)
    return Part(f"%{operand.name}", "pred" if operand.width == 1 else f"u{operand.width}", values(reader))


def memory(function: Function, op: Op, operand: Address, name: str) -> Part:
    """An address in the instruction's space."""
    reader = address(Address(operand.base, operand.offset), op.form.space_of(name, op.m))
    base = operand.base
    text = function.registers[base.index].name if isinstance(base, Reg) else cast("Symbol", base).variable.name
    offset = operand.offset + (base.offset if isinstance(base, Symbol) else 0)
    return Part(f"[{text}{f'{offset:+}' if offset else ''}]", "b64", values(reader))
