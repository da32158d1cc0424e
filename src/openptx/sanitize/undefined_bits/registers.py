"""Registers with undefined bits, and the closures that read and write them."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from openptx.array_types import Array
from openptx.engines.common.operands import bind_destinations, bind_sources
from openptx.engines.interp import lane_sets
from openptx.engines.interp.decode import DecodedFunction, Step, assemble
from openptx.engines.interp.operands import (
    Reader,
    Registers,
    Writer,
    address,
    destination,
    read_register,
    source,
    write_register,
)
from openptx.isa.types import Type
from openptx.numerics import Bits
from openptx.program import Address, Op, Operand, Reg
from openptx.sanitize.undefined_bits.definedness import Definedness
from openptx.sanitize.undefined_bits.masked import EVERYTHING, NOTHING, Masked, Use


class Mask:
    """The undefined bits of one register, with their origin."""

    __slots__ = ("_terms", "bits", "origin", "use")

    def __init__(self, bits: Array, origin: Op | None = None, use: Use = Use.MOVED, terms: Array | None = None) -> None:
        self.bits, self.origin, self.use, self._terms = bits, origin, use, terms

    def terms(self, x: Definedness) -> Array:
        """For each lane, the number of an undefined value of which this one differs by a defined addend: at first of
        itself."""
        if self._terms is None:
            self._terms = x.new_terms()
        elif not self._terms.all():
            self._terms = np.where(self._terms == 0, x.new_terms(), self._terms)
        return self._terms

    def overwritten(self, lanes: lane_sets.Positions | slice, terms: Array | None, n: int) -> Array | None:
        """The terms after a write by some lanes."""
        if terms is None and self._terms is None:
            return None
        found = np.zeros(n, np.int64)
        found[:] = 0 if self._terms is None else self._terms
        found[lanes] = 0 if terms is None else terms
        return found


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
        return tracked_source(operand, t)

    def destination(self, operand: Operand | None, t: Type | None) -> Writer | None:
        return destination(operand, t, tracked_writer)

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
            found = self._sources[op] = bind_sources(op, tracked_source, tracked_address)
        return found

    def results(self, op: Op) -> list[Writer | None]:
        return bind_destinations(op, self.destination)

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self._sources: dict[Op, list[Reader]] = {}


def tracked_source(operand: Operand | None, t: Type | None, immediate: bool = False) -> Reader:
    return source(operand, t, immediate, tracked_reader)


def tracked_reader(register: Reg, t: Type | None) -> Reader:
    read = read_register(register, t)
    return read if register.width == 128 else with_mask(read, register)


def with_mask(read: Reader, register: Reg) -> Reader:
    """The reader of a register, or of a value computed from it, with the register's undefined bits."""
    i, width = register.index, register.width

    def tracked(x: Any, regs: Registers, lanes: lane_sets.Lanes) -> Bits:
        b: Bits = read(x, regs, lanes)
        return b if masks_of(regs)[i] is None else marked(x, b, masks_of(regs)[i], width, lanes)

    return tracked


def marked(x: Definedness, b: Bits, known: Mask | None, width: int, lanes: lane_sets.Lanes) -> Bits:
    """A value of a register with the register's undefined bits."""
    assert known is not None
    bits = lane_sets.take(known.bits, lanes)
    if not bits.any():
        return b
    if b.width != width:
        bits = x.resize(Bits(x, width, bits), b.width).v
        return Masked(x, b.width, b.v, bits, known.origin, known.use)
    return Masked(x, b.width, b.v, bits, known.origin, known.use, lane_sets.take(known.terms(x), lanes))


def tracked_address(operand: Address, space: str | None) -> Reader:
    read, base = address(operand, space, tracked_reader), operand.base
    return with_mask(read, base) if isinstance(base, Reg) and not operand.parts else read


def tracked_writer(register: Reg, t: Type | None) -> Writer:
    write = write_register(register, t)
    i, width, signed = register.index, register.width, t is not None and t.signed
    if width == 128:
        return write

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


def put(
    old: Mask | None, lanes: lane_sets.Lanes, bits: Array | None, width: int, n: int, result: Masked | None
) -> Mask | None:
    """A register's mask after a write by `lanes`, in which `bits` are undefined; None if it is defined in all lanes."""
    if lanes is None and bits is None:
        return None
    origin = result.origin if result is not None else old.origin if old is not None else None
    use = result.use if result is not None else old.use if old is not None else Use.MOVED
    terms = result.terms if result is not None and result.width == width else None
    if lanes is None:
        assert bits is not None
        return Mask(bits, origin, use, terms)
    old = old or Mask(NOTHING[min(width, 64)])
    whole = np.zeros(n, NOTHING[min(width, 64)].dtype)
    whole[:] = old.bits
    whole[lanes] = bits if bits is not None else NOTHING[min(width, 64)]
    return Mask(whole, origin, use, old.overwritten(lanes, terms, n)) if whole.any() else None
