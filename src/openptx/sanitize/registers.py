"""Registers with undefined bits, and their readers and writers."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from openptx.engines.interp import lane_sets
from openptx.engines.interp.decode import DecodedFunction, Step, assemble
from openptx.engines.interp.operands import Reader, Registers, Writer, address, apart, destination, source
from openptx.isa.types import Type
from openptx.numerics import Bits
from openptx.program import Address, Imm, Op, Operand, Reg, Sink, Vector
from openptx.sanitize.machine import SanitizedThreads
from openptx.sanitize.masked import EVERYTHING, NOTHING, Masked, Use

Array = NDArray[Any]


class Mask:
    """The undefined bits of one register, with their origin."""

    __slots__ = ("bits", "origin", "use")

    def __init__(self, bits: Array, origin: Op | None = None, use: Use = Use.MOVED) -> None:
        self.bits, self.origin, self.use = bits, origin, use


class TrackedRegisters(list[Any]):
    """A register file. `masks` has an entry for every register: None if it is defined in all lanes."""

    def __init__(self, values: list[Any], widths: list[int]) -> None:
        super().__init__(values)
        self.masks: list[Mask | None] = [Mask(EVERYTHING[min(w, 64)]) for w in widths]


def masks_of(regs: Registers) -> list[Mask | None]:
    return cast("TrackedRegisters", regs).masks


class TrackedFunction(DecodedFunction):
    """A function whose readers and writers track undefined bits."""

    def registers(self) -> Registers:
        widths = [r.type.width for r in self.function.registers] + [1]
        return TrackedRegisters(super().registers(), widths)

    def source(self, operand: Operand | None, t: Type | None) -> Reader:
        return tracked_source(operand, t, False)

    def destination(self, operand: Operand | None, t: Type | None) -> Writer | None:
        return tracked_destination(operand, t)

    def step(self, op: Op) -> Step:
        carried = Reg(self.carry, 1)
        return assemble(
            op, self.sources(op), self.results(op), self.source(carried, None), self.destination(carried, None)
        )

    def bind(self, op: Op) -> Step:
        inner, guard = super().bind(op), op.guard
        if guard is None:
            return inner

        def run(x: Any, regs: Registers, lanes: lane_sets.Lanes) -> None:
            if masks_of(regs)[guard.index] is not None:
                x.session.values.guard(op, guard, regs, lanes)
            inner(x, regs, lanes)

        return run

    def sources(self, op: Op) -> list[Reader]:
        found = self._sources.get(op)
        if found is None:
            found = self._sources[op] = list(self._make_sources(op))
        return found

    def results(self, op: Op) -> list[Writer | None]:
        templates = zip(op.form.operands, op.operands, op.types, strict=True)
        return [tracked_destination(operand, t) for template, operand, t in templates if template.role == "write"]

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self._sources: dict[Op, list[Reader]] = {}

    def _make_sources(self, op: Op) -> list[Reader]:
        readers: list[Reader] = []
        instruction = op.form.instruction
        for template, operand, t in zip(op.form.operands, op.operands, op.types, strict=True):
            if template.role == "sink" or (template.role == "write" and template.name not in instruction.updates):
                continue
            if isinstance(operand, Address):
                readers.append(tracked_address(operand, op.form.space_of(template.name, op.m)))
            else:
                immediate = template.role == "immediate" or template.name in instruction.immediates
                readers.append(tracked_source(operand, t, immediate))
        return readers


def tracked_source(operand: Operand | None, t: Type | None, immediate: bool) -> Reader:
    read = source(operand, t, immediate)
    if operand is None or isinstance(operand, Sink | Imm):
        return read
    if isinstance(operand, Vector) and len(operand.elements) > 1:
        parts = [tracked_source(e, t, immediate) for e in operand.elements]
        return lambda x, regs, lanes: tuple([part(x, regs, lanes) for part in parts])
    if isinstance(operand, Vector):  # `{a}` is `a`
        operand = next(iter(operand.elements), None)
    if not isinstance(operand, Reg) or operand.width == 128:
        return read
    return with_mask(read, operand)


def with_mask(read: Reader, register: Reg) -> Reader:
    """The reader of a register, or of a value computed from it, with the register's undefined bits."""
    i, width = register.index, register.width

    def tracked(x: Any, regs: Registers, lanes: lane_sets.Lanes) -> Bits:
        b: Bits = read(x, regs, lanes)
        return b if masks_of(regs)[i] is None else marked(x, b, masks_of(regs)[i], width, lanes)

    return tracked


def marked(x: SanitizedThreads, b: Bits, known: Mask | None, width: int, lanes: lane_sets.Lanes) -> Bits:
    """A value of a register with the register's undefined bits."""
    assert known is not None
    bits = lane_sets.take(known.bits, lanes)
    if not bits.any():
        return b
    if b.width != width:
        bits = x.resize(Bits(x, width, bits), b.width).v
    return Masked(x, b.width, b.v, bits, known.origin, known.use)


def tracked_address(operand: Address, space: str | None) -> Reader:
    read, base = address(operand, space), operand.base
    return with_mask(read, base) if isinstance(base, Reg) and not operand.parts else read


def tracked_destination(operand: Operand | None, t: Type | None) -> Writer | None:
    if isinstance(operand, Vector) and len(operand.elements) > 1:
        parts = [tracked_destination(e, t) for e in operand.elements]

        def spread(x: Any, regs: Registers, lanes: lane_sets.Lanes, results: Any) -> None:
            for write, result in zip(parts, [kept(result) for result in results], strict=True):
                if write is not None:
                    write(x, regs, lanes, result)

        return spread
    if isinstance(operand, Vector):  # `{a}` is `a`
        operand = next(iter(operand.elements), None)
    write = destination(operand, t)
    if write is None or not isinstance(operand, Reg):
        return write
    i, width, signed = operand.index, operand.width, t is not None and t.signed

    def tracked(x: Any, regs: Registers, lanes: lane_sets.Lanes, result: Any) -> None:
        write(x, regs, lanes, result)
        masks = masks_of(regs)
        if isinstance(result, Masked):
            bits = result.undefined
            if result.width != width:
                bits = x.resize(Bits(x, result.width, bits), width, signed).v
            masks[i] = put(masks[i], lanes, bits, width, x.n, result)
        elif masks[i] is not None:
            masks[i] = put(masks[i], lanes, None, width, x.n, None)

    return tracked


def kept(result: Any) -> Any:
    """A result in separate memory, as returned by `apart`, with its undefined bits."""
    if isinstance(result, Masked):
        v = result.v if result.v.base is None else result.v.copy()
        return Masked(result.x, result.width, v, result.undefined, result.origin, result.use)
    return apart(result)


def put(
    old: Mask | None, lanes: lane_sets.Lanes, bits: Array | None, width: int, n: int, result: Masked | None
) -> Mask | None:
    """A register's mask after a write of some lanes."""
    if lanes is None and bits is None:
        return None
    origin = result.origin if result is not None else old.origin if old is not None else None
    use = result.use if result is not None else old.use if old is not None else Use.MOVED
    if lanes is None:
        assert bits is not None
        return Mask(bits, origin, use)
    whole = np.zeros(n, NOTHING[min(width, 64)].dtype)
    whole[:] = old.bits if old is not None else NOTHING[min(width, 64)]
    whole[lanes] = bits if bits is not None else NOTHING[min(width, 64)]
    return Mask(whole, origin, use) if whole.any() else None
