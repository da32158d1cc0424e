"""Turns Python arguments into a kernel's parameter buffer, by the declared type of each parameter."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence
from functools import lru_cache
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np

from openptx.device.allocation import Bytes
from openptx.device.arrays import array_of, as_array
from openptx.device.memory import Memory
from openptx.device.textures.handles import Opaque
from openptx.device.views import device_pointer
from openptx.errors import ArgumentError
from openptx.isa.types import Type
from openptx.launch_options import shown
from openptx.program import Function, Variable
from openptx.runtime.element_types import warn_of
from openptx.runtime.parameters import Packed, describe
from openptx.runtime.tensor_map import TensorMap

CTYPES_SCALAR: type = ctypes.c_int.mro()[1]
"""The class of all scalars of ctypes, which has no public name."""
PACKED = {"f16": "<e", "f32": "<f", "f64": "<d"}


class Arguments(NamedTuple):
    """`buffer` contains the kernel's parameters; `kept` must live as long as the launch.

    `names` are those of the arguments in messages, if the caller has given them.
    """

    buffer: Bytes
    kept: tuple[object, ...]
    names: Sequence[str] | None = None

    def pointers(self, function: Function) -> list[tuple[str, int]]:
        """What messages call the parameters that may be pointers, and their values."""
        named = self.names or [f"argument {number} `{p.name}`" for number, p in places(function)]
        data = self.buffer.tobytes()
        return [
            (name, int.from_bytes(data[p.offset : p.offset + p.size], "little"))
            for name, (_, p) in zip(named, places(function), strict=True)
            if p.size in POINTER_SIZES
        ]


POINTER, INTEGER, FLOAT = range(3)
POINTER_SIZES = 4, 8
INTEGERS: tuple[type, ...] = (bool, np.integer)
FLOATS: tuple[type, ...] = (np.floating,)
CODES = {("u", 8): "B", ("u", 16): "H", ("u", 32): "I", ("u", 64): "Q", ("s", 8): "b", ("s", 16): "h", ("s", 32): "i",
         ("s", 64): "q", ("b", 8): "B", ("b", 16): "H", ("b", 32): "I", ("b", 64): "Q"}  # fmt: skip


class Quick(NamedTuple):
    """The fast path from arguments to bytes: one `struct` format for all, the Python types that each field accepts, and
    the element types of arrays that `warn_of` has seen for it."""

    packing: struct.Struct
    kinds: tuple[int, ...]
    warned: tuple[set[object], ...]


@lru_cache(maxsize=512)
def quick(function: Function) -> Quick | None:
    """The fast path for a kernel's parameters; None for kernels that take structures or rare types."""
    text, at, kinds = "<", 0, list[int]()
    for p in function.parameters:
        t = p.type
        code = PACKED.get(t.name, "")[1:] or CODES.get((t.kind, t.width))
        if not isinstance(p, Variable) or p.shape or p.vector > 1 or code is None or p.offset < at:
            return None
        text += f"{p.offset - at}x{code}"
        at = p.offset + t.width // 8
        kinds.append(FLOAT if t.name in PACKED else POINTER if t.width == 64 else INTEGER)
    packing = struct.Struct(f"{text}{function.parameter_size - at}x")
    return Quick(packing, tuple(kinds), tuple(set[object]() for _ in kinds))


def packed(function: Function, arguments: Sequence[object], memory: Memory) -> Bytes | None:
    """The parameter buffer, if each argument is a number in range, a null pointer, or an array of an earlier launch.

    None for all others, and for an array whose element type this kernel has not had for the parameter: the caller then
    uses `bytes_of`, which reports errors.
    """
    plan = quick(function)
    if plan is None or len(plan.kinds) != len(arguments):
        return None
    values = list[Any]()
    for kind, warned, argument in zip(plan.kinds, plan.warned, arguments, strict=False):
        python_type = type(argument)
        if python_type is int or (python_type is float and kind == FLOAT):
            values.append(argument)
        elif kind == POINTER and isinstance(argument, np.ndarray):
            array = as_array(argument)
            allocation = memory.known_allocation(array)
            if allocation is None or array.dtype not in warned:
                return None
            values.append(allocation.base)
        elif (value := scalar(kind, argument)) is not None:
            values.append(value)
        else:
            return None
    try:
        buffer: Any = np.empty(plan.packing.size, np.uint8)  # annotations of Python 3.11 know no buffers
        plan.packing.pack_into(buffer, 0, *values)
        return buffer
    except (struct.error, OverflowError):
        return None


def scalar(kind: int, argument: Any) -> float | None:
    """A null pointer or a number of another type as Python's number; None for anything else."""
    if argument is None:
        return 0 if kind == POINTER else None
    if isinstance(argument, INTEGERS):
        return None if isinstance(argument, np.timedelta64) else int(argument)
    return float(argument) if kind == FLOAT and isinstance(argument, FLOATS) else None


class Place(NamedTuple):
    """The parameter that an argument is for; as text, its name in messages."""

    number: int
    parameter: Variable

    def __str__(self) -> str:
        return f"argument {self.number} (`{describe(self.parameter)}`)"


@lru_cache(maxsize=512)
def places(function: Function) -> tuple[Place, ...]:
    """The names of a kernel's parameters in messages."""
    return tuple(Place(i, p) for i, p in enumerate(function.parameters) if isinstance(p, Variable))


def marshal(function: Function, arguments: Sequence[object], memory: Memory) -> Arguments:
    """Converts and checks every argument; ArgumentError names the parameter that an argument does not fit."""
    if len(arguments) == 1 and isinstance(parameters := arguments[0], Packed):
        return Arguments(parameters.buffer(function), (), parameters.names)
    if (ready := packed(function, arguments, memory)) is not None:
        return Arguments(ready, tuple(arguments))
    wanted = places(function)
    if len(arguments) != len(wanted):
        raise ArgumentError(
            f"kernel `{function.name}` takes {len(wanted)} argument{'s' if len(wanted) != 1 else ''}"
            f" ({', '.join(describe(p) for _, p in wanted)}), not {len(arguments)}"
        )
    buffer, plan = bytearray(function.parameter_size), quick(function)
    kept = list[object]()
    for place, argument in zip(wanted, arguments, strict=True):
        before = len(kept)
        data = bytes_of(place, argument, memory, kept)
        for array in kept[before:]:
            if isinstance(array, np.ndarray):
                warn_of(function, place, dtype := as_array(array).dtype)
                if plan is not None:
                    plan.warned[place.number].add(dtype)
        offset = place.parameter.offset
        buffer[offset : offset + len(data)] = data
    return Arguments(np.frombuffer(buffer, np.uint8), tuple(kept))


def bytes_of(where: Place, argument: Any, memory: Memory, kept: list[object]) -> bytes:
    """One argument as the bytes of its parameter. Appends what must live as long as the launch to `kept`. Raises
    ArgumentError if the parameter does not take it."""
    parameter = where.parameter
    t = parameter.type
    if isinstance(argument, TensorMap):
        address = argument.address
        if address is None:
            kept.append(argument.array)
            address = memory.address(argument.array).base
        return whole(where, parameter, argument.encoded(address))
    if parameter.shape or parameter.vector > 1:
        return whole(where, parameter, argument)
    if isinstance(argument, np.timedelta64):  # which NumPy derives from its integers
        raise ArgumentError(f"{where} takes a number, not a duration: {argument!r}")
    if isinstance(argument, bool | Integral | Real):  # NumPy's scalars are registered as these
        return number(where, t, argument)
    if (address := device_pointer(argument, memory)) is not None:
        kept.append(argument)
        return pointer(where, t, address, memory)
    if hasattr(argument, "item") and getattr(argument, "ndim", None) == 0 and not isinstance(argument, np.ndarray):
        return number(where, t, argument.item())  # np.bool, and the scalars of ml_dtypes
    if argument is None:
        return pointer(where, t, 0, memory)
    if isinstance(argument, Opaque):
        kept.append(argument)
        return handle(where, t, argument)
    if isinstance(argument, bytes | bytearray | memoryview):
        return whole(where, parameter, argument)
    if (fix := as_number(t, argument, memory)) is not None:
        what = "an array" if isinstance(argument, np.ndarray) else repr(argument)
        raise ArgumentError(f"{where} takes a number, not {what}: pass `{fix}`")
    array = array_of(where, argument)
    kept.append(array)
    if array.size == 0:
        return pointer(where, t, 0, memory)
    return pointer(where, t, memory.address(array).base, memory)


def as_number(t: Type, argument: Any, memory: Memory) -> str | None:
    """The Python code that makes a number of an argument where the parameter takes numbers: `.item()` of an array of
    one element, `.value` of a scalar of ctypes, `int(...)` of a Decimal. None for other arguments."""
    if isinstance(argument, ctypes.c_void_p):
        return ".value"
    if is_pointer(t) and t.width >= memory.address_size:
        return None
    if isinstance(argument, np.ndarray) and argument.size == 1:
        return ".item()"
    from decimal import Decimal  # 3 ms that only an argument of another type needs

    if isinstance(argument, Decimal):
        return "int(...)" if t.format is None else "float(...)"
    return ".value" if isinstance(argument, CTYPES_SCALAR) else None


def is_pointer(t: Type) -> bool:
    """Whether the type can hold an address: integers and bits of 32 or 64 bits."""
    return t.kind in "ubs" and t.width in (32, 64)


def pointer(where: Place, t: Type, address: int, memory: Memory) -> bytes:
    """An address in the parameter's type. Raises ArgumentError if the type is no pointer's or is narrower than the
    module's addresses, also for a null pointer."""
    if not is_pointer(t):
        raise ArgumentError(f"{where} is not a pointer: it takes a number, not an array or None")
    if t.width < memory.address_size:
        raise ArgumentError(
            f"{where} takes a number, not an array or None: a pointer parameter has {memory.address_size} bits,"
            f" this has {t.width} (the file may say `.address_size {t.width}`)"
        )
    return address.to_bytes(t.width // 8, "little")


def handle(where: Place, t: Type, image: Opaque) -> bytes:
    """A texture, sampler or surface as its handle. Raises ArgumentError if the parameter takes none of that kind."""
    if t.width != 64 or t.format is not None or (t.kind == "opaque" and t.name != image.kind):
        raise ArgumentError(f"{where} takes no {image!r}")
    return image.handle.to_bytes(8, "little")


def number(where: Place, t: Type, value: object) -> bytes:
    """A Python number as the parameter's type. Raises ArgumentError for one out of range and for another object."""
    if t.format is not None and t.count == 1:
        return floating(where, t, value)
    if not isinstance(value, bool | Integral):
        raise ArgumentError(f"{where} takes an integer, not {shown(value)}")
    value, width = int(value), t.width
    low = -(1 << width - 1)  # also for `.u32`: CUDA's compiler declares `int` and `unsigned` alike
    high = (1 << width) - 1 if t.kind != "s" else (1 << width - 1) - 1
    if not low <= value <= high:
        raise ArgumentError(f"{where} takes {low} to {high}, not {shown(value)}")
    return (value & (1 << width) - 1).to_bytes(max(1, width // 8), "little")


def floating(where: Place, t: Type, value: object) -> bytes:
    """A number in the parameter's float type, rounded to nearest even. Raises ArgumentError if a finite number would
    become infinite."""
    if not isinstance(value, Real):
        raise ArgumentError(f"{where} takes a number, not {shown(value)}")
    code = PACKED.get(t.name)
    if code is None:
        raise ArgumentError(f"{where} takes the bits as bytes, not {shown(value)}")
    try:
        return struct.pack(code, float(value))
    except OverflowError:
        raise ArgumentError(f"{where} cannot hold {shown(value)}: it would become infinite") from None


def whole(where: Place, parameter: Variable, argument: Any) -> bytes:
    """A structure passed by value: bytes, or an array of the same size. Raises ArgumentError for another size or
    object."""
    if isinstance(argument, bytes | bytearray):
        data = bytes(argument)
    elif hasattr(argument, "tobytes"):  # arrays, scalars and views of memory
        data = argument.tobytes()
    else:
        raise ArgumentError(f"{where} takes {parameter.size} bytes, not {type(argument).__name__}")
    if len(data) != parameter.size:
        scalar = not parameter.shape and parameter.vector == 1 and parameter.type.width == 64
        hint = "; for memory with this content pass `numpy.frombuffer(...)`" if scalar else ""
        raise ArgumentError(f"{where} takes {parameter.size} bytes, not {len(data)}{hint}")
    return data
