"""Warns of arrays whose element type differs from what the kernel accesses through the pointer: float64 for `.f32`.

A flow-insensitive pass over a kernel that follows registers back to the parameters that they are computed from. It
warns only if all accesses through a parameter are floats of one type and the pointer does not escape to memory or to
another function: it may miss an error, and false warnings are rare.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from inspect import currentframe
from typing import Any, NamedTuple, Protocol

import numpy as np

from openptx.errors import ArgumentWarning
from openptx.isa.types import Type
from openptx.program import Address, Arguments, Function, Op, Operand, Reg, Symbol, Variable, Vector


class Place(Protocol):
    """An argument of a launch; as text, its name in messages."""

    @property
    def parameter(self) -> Variable:
        """The parameter it is for."""
        ...


class Access(NamedTuple):
    """The type that a kernel loads or stores through a parameter, and one instruction that does."""

    type: Type
    op: Op


def warn_of(function: Function, where: Place, dtype: Any) -> None:
    """Warns if an array of these elements is passed for a parameter whose accesses need others."""
    if not implies_type(dtype) or widths(function) <= (fitting := fits(dtype)):
        return
    access = accesses(function).get(where.parameter.name)
    if access is None or access.type.width in fitting:
        return
    wanted = f"complex{access.type.width * 2}" if dtype.kind == "c" else f"float{access.type.width}"
    known = access.type.name == f"f{access.type.width}" and hasattr(np, wanted)
    hint = f"; pass `a.astype(numpy.{wanted})`" if known else ""
    warnings.warn(
        f"{where} is an array of {dtype}, and kernel `{function.name}` accesses `.{access.type.name}` through it:"
        f" `{access.op.text}`{hint}",
        ArgumentWarning,
        stacklevel=caller(),
    )


def caller() -> int:
    """The number of frames between `warn_of` and the program that launches, as `warnings.warn` counts them."""
    frame, count = currentframe(), 0
    while frame is not None and frame.f_globals.get("__name__", "").startswith("openptx."):
        frame, count = frame.f_back, count + 1
    return count


def implies_type(dtype: Any) -> bool:
    """Whether elements imply a type: floats, complex numbers, and 64-bit integers, which are NumPy's default. Others
    may be raw bits."""
    return dtype.kind in "fc" or (dtype.kind == "i" and dtype.itemsize == 8)


def fits(dtype: Any) -> frozenset[int]:
    """The widths in bits of the floats that may be such elements: for a complex number one component, or, where it is
    copied, both."""
    width = dtype.itemsize * 8
    return frozenset((width, width // 2)) if dtype.kind == "c" else frozenset((width,))


@lru_cache(maxsize=512)
def widths(function: Function) -> frozenset[int]:
    """The widths of a kernel's float accesses; most kernels have one, which makes further checks unnecessary."""
    found: set[int] = set()
    for op in function.code:
        if any(isinstance(each, Address) for each in op.operands):
            found |= {t.width for t in op.types if t is not None and is_float(t)}
    return frozenset(found)


def is_float(t: Type) -> bool:
    """Whether a type is one floating-point number."""
    return t.format is not None and t.count == 1


@lru_cache(maxsize=512)
def accesses(function: Function) -> dict[str, Access]:
    """The parameters through which a kernel accesses floats of one type alone, each with one access."""
    come_from = origins(function)
    found: defaultdict[str, dict[str | None, Access | None]] = defaultdict(dict)
    for op in function.code:
        addresses = [each for each in op.operands if isinstance(each, Address)]
        if addresses or any(isinstance(each, Arguments) for each in op.operands):
            for value in op.operands[not isinstance(op.operands[0], Address) :]:  # a destination comes first
                for name in names(value, come_from):
                    found[name][None] = None  # the pointer itself escapes
        accessed = float_type(op) if addresses else None
        for address in addresses:
            through = names(address.base, come_from)
            unique = accessed if len(through) == 1 else None
            for name in through:
                found[name][None if unique is None else unique.name] = None if unique is None else Access(unique, op)
    return {name: a for name, seen in found.items() if len(seen) == 1 for a in seen.values() if a is not None}


def float_type(op: Op) -> Type | None:
    """The single type that an instruction moves, if it is a floating-point number."""
    values = zip(op.operands, op.types, strict=True)
    types = {t.name: t for each, t in values if each and t is not None and not isinstance(each, Address)}
    (only,) = types.values() if len(types) == 1 else (None,)
    return only if only is not None and is_float(only) else None


def origins(function: Function) -> dict[int, frozenset[str]]:
    """The parameters that each register may have been computed from, tracked through registers only."""
    come_from: dict[int, frozenset[str]] = defaultdict(frozenset)
    changed = True
    while changed:
        changed = False
        for op in function.code:
            first = op.operands[0] if op.operands else None
            if not isinstance(first, Reg | Vector):
                continue
            read = frozenset[str]().union(*(read_from(each, come_from) for each in op.operands[1:]))
            for register in registers(first):
                if not read <= come_from[register]:
                    come_from[register] |= read
                    changed = True
    return come_from


def read_from(operand: Operand | None, come_from: dict[int, frozenset[str]]) -> frozenset[str]:
    """The parameters that a source was computed from. Values loaded from memory have none, parameters themselves do."""
    if isinstance(operand, Address):
        base = operand.base
        is_parameter = isinstance(base, Symbol) and base.variable.space == "param" and not base.variable.shape
        return frozenset((base.variable.name,)) if isinstance(base, Symbol) and is_parameter else frozenset()
    return names(operand, come_from)


def names(operand: Operand | None, come_from: dict[int, frozenset[str]]) -> frozenset[str]:
    """The parameters that the registers of an operand derive from."""
    return frozenset[str]().union(*(come_from.get(register, frozenset()) for register in registers(operand)))


def registers(operand: Operand | None) -> Iterator[int]:
    """The registers in an operand."""
    if isinstance(operand, Reg):
        yield operand.index
    elif isinstance(operand, Vector):
        for element in operand.elements:
            yield from registers(element)
    elif isinstance(operand, Arguments):
        for value in operand.values:
            yield from registers(value)
