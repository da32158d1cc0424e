"""Binds operands: readers of sources and writers of destinations, made once per instruction, called for every step.

Implements Tables 27 and 28: a source is truncated to the instruction's type, a result is extended by it to the
register's width.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, cast

import numpy as np

from openptx.array_types import Array
from openptx.engines.common.operands import as_pair
from openptx.engines.interp import lane_sets
from openptx.engines.interp.machine import Threads
from openptx.errors import Bug
from openptx.isa.address_windows import CTA_SHIFT, RANK_0, window
from openptx.isa.types import Type
from openptx.numerics import Bits
from openptx.numerics.numpy_machine import UNSIGNED
from openptx.program import Address, FunctionName, Imm, Operand, Reg, Sink, Special, Symbol, Vector

Registers = list[Array]
Reader = Callable[["Threads", Registers, lane_sets.Lanes], Any]
"""Returns Bits, a pair or a tuple of them, a Python int, or None."""
Writer = Callable[["Threads", Registers, lane_sets.Lanes, Any], None]

EMPTY = {w: np.zeros(1, dtype) for w, dtype in UNSIGNED.items()}
"""The content of registers before the first write."""


def fresh(width: int) -> Any:
    """The content of a register that has not been written."""
    return (EMPTY[64], EMPTY[64]) if width == 128 else EMPTY[width]


def arrays(register: Any) -> tuple[Array, ...]:
    """The arrays of a register: one, or the halves of 128 bits."""
    return cast("tuple[Array, ...]", register) if isinstance(register, tuple) else (register,)


# Sources.


def source(
    operand: Operand | None, t: Type | None, immediate: bool = False, register: Callable[..., Reader] | None = None
) -> Reader:
    """A reader of an operand as the instruction's type `t`; immediates are read as Python integers. `register` makes
    the readers of registers, for an observer."""
    if operand is None or isinstance(operand, Sink):
        return lambda x, regs, lanes: None
    if isinstance(operand, Reg):
        return (register or read_register)(operand, t)
    if isinstance(operand, Imm):
        return _immediate(operand, immediate)
    if isinstance(operand, Special):
        return _special(operand, t)
    if isinstance(operand, Vector):
        if len(operand.elements) == 1:  # `{a}` is `a`
            return source(operand.elements[0], t, immediate, register)
        parts = [source(e, t, register=register) for e in operand.elements]
        return lambda x, regs, lanes: tuple([part(x, regs, lanes) for part in parts])
    if isinstance(operand, Symbol | FunctionName):
        width = t.width if t is not None else 64
        if width == 128:
            narrow = source(operand, None)
            return lambda x, regs, lanes: as_pair(x, narrow(x, regs, lanes), None)
        where = pointer(operand)
        if isinstance(operand, Symbol) and operand.variable.space == "shared" and width >= 32:
            return _in_own_cta(where, width)
        return lambda x, regs, lanes: x.const(where(x) & (1 << width) - 1, width)
    raise Bug(f"an operand {operand!r} where a value is read")


def read_width(width: int, t: Type | None) -> int:
    """How many bits an instruction reads of a register of `width` bits, if that has as many."""
    return width if t is None else 8 if t.width == 4 else t.width


def read_register(r: Reg, t: Type | None) -> Reader:
    """A reader of a register, truncated to the width that an instruction of type `t` reads."""
    i, width = r.index, r.width
    if width == 128:
        if t is None or t.width == 128:
            return lambda x, regs, lanes: tuple([Bits(x, 64, lane_sets.take(v, lanes)) for v in regs[i]])
        narrow = read_width(64, t)
        return lambda x, regs, lanes: x.resize(Bits(x, 64, lane_sets.take(regs[i][0], lanes)), narrow)
    if r.negated:
        return lambda x, regs, lanes: Bits(x, 1, ~lane_sets.take(regs[i], lanes))

    def read(x: Threads, regs: Registers, lanes: lane_sets.Lanes) -> Bits:
        v = regs[i]
        return Bits(x, width, v if lanes is None or v.size == 1 else v[lanes])

    want = read_width(width, t)
    if want >= width:
        return read

    def read_resized(x: Threads, regs: Registers, lanes: lane_sets.Lanes) -> Bits:
        return x.resize(read(x, regs, lanes), want)

    return read_resized


def _immediate(operand: Imm, immediate: bool) -> Reader:
    value, width = operand.value, operand.width
    if immediate:
        return lambda x, regs, lanes: value
    if width == 128:
        low, high = value & (1 << 64) - 1, value >> 64 & (1 << 64) - 1
        return lambda x, regs, lanes: (x.const(low, 64), x.const(high, 64))
    return lambda x, regs, lanes: x.const(value, width)


def _special(operand: Special, t: Type | None) -> Reader:
    name, width = operand.name, operand.width
    if t is None or t.width >= width:
        return lambda x, regs, lanes: x.special(name, width)
    return lambda x, regs, lanes: x.resize(x.special(name, width), t.width)


# Addresses.


def _in_own_cta(where: Callable[[Threads], int], width: int) -> Reader:
    """The address of a shared variable as a value. Like on a GPU it has the CTA's rank, for programs that compute an
    address in another CTA of the cluster with bitwise operations; in the first CTA it is the offset alone."""

    def read(x: Threads, regs: Registers, lanes: lane_sets.Lanes) -> Bits:
        own = x.const(where(x) & (1 << width) - 1, width)
        if x.geometry.shape.cluster_size == 1:
            return own
        rank = x.special("cluster_ctarank", 32)
        return own + (x.resize(x.select(rank == 0, rank, rank + RANK_0), width) << CTA_SHIFT)

    return read


def pointer(operand: Symbol | FunctionName, generic: bool = False) -> Callable[[Threads], int]:
    """A function that returns the address of a variable or function: in the variable's own space, or generic."""
    if isinstance(operand, FunctionName):
        name = operand.name
        return lambda x: x.image.functions[name]
    variable, offset = operand.variable, operand.offset
    generic = generic or operand.generic

    def place(x: Threads) -> int:
        start = window(variable.space, x.address_size) if generic else 0
        if variable.space in ("local", "frame"):
            return start + x.base + variable.offset + offset
        if variable.space in ("global", "const"):
            return start + x.image.addresses[variable.name] + offset
        if variable.space == "shared":
            return start + x.geometry.shape.layout.offset(variable) + offset
        return start + variable.offset + offset

    return place


def address(operand: Address, space: str | None, register: Callable[..., Reader] | None = None) -> Reader:
    """A function that computes `[base + offset]` as 64 bits, in `space`; with further parts, a tuple of it and them,
    whose registers the readers of `register` read."""
    whole = _address(operand, space)
    if not operand.parts:
        return whole
    parts = [
        _address(Address(p), None) if isinstance(p, Symbol) else source(p, None, register=register)
        for p in operand.parts
    ]
    return lambda x, regs, lanes: (whole(x, regs, lanes), *[part(x, regs, lanes) for part in parts])


def _address(operand: Address, space: str | None) -> Reader:
    offset = operand.offset
    if operand.base is None:
        return lambda x, regs, lanes: x.const(offset & (1 << 64) - 1, 64)
    if isinstance(operand.base, Symbol):
        where = pointer(operand.base, generic=space in (None, "generic"))
        return lambda x, regs, lanes: x.const(where(x) + offset & (1 << 64) - 1, 64)
    width = operand.base.width
    if operand.base.negated or width not in (32, 64):
        base, step = read_register(operand.base, None), offset & (1 << width) - 1
        return lambda x, regs, lanes: x.resize(base(x, regs, lanes) + step, 64)
    return _sum(operand.base.index, np.array(offset & (1 << width) - 1, UNSIGNED[width]))


def _sum(i: int, offset: Array) -> Reader:
    """The address in register `i` plus an offset of as many bits, extended to 64 bits."""
    narrow, moves = offset.itemsize < 8, bool(offset)

    def read(x: Threads, regs: Registers, lanes: lane_sets.Lanes) -> Bits:
        v = regs[i]
        if lanes is not None and v.size != 1:
            v = v[lanes]
        if moves:
            v = np.add(v, offset)
        return Bits(x, 64, v.astype(ADDRESS) if narrow else v)

    return read


ADDRESS = UNSIGNED[64]


# Destinations.


def destination(
    operand: Operand | None, t: Type | None, register: Callable[..., Writer] | None = None
) -> Writer | None:
    """A writer for a result of the instruction's type `t`; None if it is discarded. `register` makes the writers of
    registers, for an observer."""
    if operand is None or isinstance(operand, Sink):
        return None
    if isinstance(operand, Vector):
        if len(operand.elements) == 1:
            return destination(operand.elements[0], t, register)
        parts = [destination(e, t, register) for e in operand.elements]

        def write_parts(x: Threads, regs: Registers, lanes: lane_sets.Lanes, results: Any) -> None:
            for write, result in zip(parts, [detached(result) for result in results], strict=True):
                if write is not None:
                    write(x, regs, lanes, result)

        return write_parts
    if isinstance(operand, Reg):
        return (register or write_register)(operand, t)
    raise Bug(f"an operand {operand!r} where a result is written")


def detached(result: Any) -> Any:
    """A result copied before the first element of its list is written, because `mov.v2` may swap registers."""
    if isinstance(result, Bits):
        if result.v.base is None:
            return result
        own = copy(result)  # an observer's result may have more than a value
        own.v = result.v.copy()
        return own
    return tuple([detached(part) for part in result])


def put(old: Array, lanes: lane_sets.Lanes, new: Array, n: int) -> Array:
    """The register's content after a write: registers may share an array, but only while it is read-only."""
    if lanes is None:
        if new.base is not None:
            new = new.copy()
        new.setflags(write=False)
        return new
    if old.size != n:
        old = old.repeat(n)
    elif not old.flags.writeable:
        old = old.copy()
    old[lanes] = new
    return old


def write_register(r: Reg, t: Type | None) -> Writer:
    if r.width == 128:
        return _pair(r, t)
    i, width, signed = r.index, r.width, t is not None and t.signed

    def write(x: Threads, regs: Registers, lanes: lane_sets.Lanes, result: Bits) -> None:
        v = result.v if result.width == width else x.resize(result, width, signed).v
        regs[i] = put(regs[i], lanes, v, x.n)

    return write


def _pair(r: Reg, t: Type | None) -> Writer:
    i = r.index

    def write(x: Threads, regs: Any, lanes: lane_sets.Lanes, result: Bits | tuple[Bits, Bits]) -> None:
        words = as_pair(x, result, t) if isinstance(result, Bits) else result
        regs[i] = tuple([put(old, lanes, new.v, x.n) for old, new in zip(regs[i], words, strict=True)])

    return write
