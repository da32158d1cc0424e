"""Turns Python arguments into a kernel's parameter buffer, by the declared type of each parameter."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openptx.errors import ArgumentError
from openptx.isa.types import Type
from openptx.program import Function, Register, Variable
from openptx.runtime.memory import Bytes, Memory
from openptx.runtime.texture import Opaque

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Arguments:
    """`buffer` is what the kernel finds in its parameters; `kept` must live as long as the launch."""

    buffer: Bytes
    kept: tuple[object, ...]


def marshal(function: Function, arguments: Sequence[object], memory: Memory) -> Arguments:
    """Converts and checks every argument; ArgumentError names the parameter that one does not fit."""
    wanted = function.parameters
    if len(arguments) != len(wanted):
        raise ArgumentError(
            f"kernel `{function.name}` takes {len(wanted)} argument{'s' if len(wanted) != 1 else ''}"
            f" ({', '.join(map(described, wanted))}), not {len(arguments)}"
        )
    buffer = np.zeros(function.parameter_size, np.uint8)
    kept = list[object]()
    for i, (parameter, argument) in enumerate(zip(wanted, arguments, strict=True)):
        assert isinstance(parameter, Variable)
        data = bytes_of(i, parameter, argument, memory, kept)
        buffer[parameter.offset : parameter.offset + len(data)] = np.frombuffer(data, np.uint8)
    return Arguments(buffer, tuple(kept))


def described(parameter: Register | Variable) -> str:
    """`.u32 n`, `.b8 p[16]`."""
    length = f"[{parameter.size}]" if isinstance(parameter, Variable) and parameter.shape else ""
    return f".{parameter.type.name} {parameter.name}{length}"


def bytes_of(i: int, parameter: Variable, argument: Any, memory: Memory, kept: list[object]) -> bytes:
    """One argument as the bytes of its parameter."""
    where = f"argument {i} (`{described(parameter)}`)"
    t = parameter.type
    if parameter.shape or parameter.vector > 1:
        return whole(where, parameter, argument)
    if isinstance(argument, bool | Integral | Real):  # NumPy's scalars are registered as these
        return number(where, t, argument)
    if hasattr(argument, "item") and getattr(argument, "ndim", None) == 0 and not isinstance(argument, np.ndarray):
        return number(where, t, argument.item())  # np.bool, and the scalars of ml_dtypes
    if argument is None:
        return pointer(where, t, 0)
    if isinstance(argument, Opaque):
        kept.append(argument)
        return handle(where, t, argument)
    if isinstance(argument, bytes | bytearray | memoryview):
        return whole(where, parameter, argument)
    array = array_of(where, argument)
    kept.append(array)
    if array.size == 0:
        return pointer(where, t, 0)
    return pointer(where, t, memory.address(array, f"argument {i} `{parameter.name}`").base)


def pointer(where: str, t: Type, address: int) -> bytes:
    if (t.kind not in "ub" and t.kind != "s") or t.width not in (32, 64):
        raise ArgumentError(f"{where} is no pointer: give a number")
    if address >> t.width:
        raise ArgumentError(f"{where} has {t.width} bits, too few for an address of a 64-bit program")
    return address.to_bytes(t.width // 8, "little")


def handle(where: str, t: Type, image: Opaque) -> bytes:
    """A texture, sampler or surface as the number that stands for it."""
    if t.width != 64 or t.format is not None or (t.kind == "opaque" and t.name != image.kind):
        raise ArgumentError(f"{where} takes no {image!r}")
    return image.handle.to_bytes(8, "little")


def number(where: str, t: Type, value: object) -> bytes:
    """A Python number as the parameter's type, if it fits."""
    if t.format is not None and t.count == 1:
        return floating(where, t, value)
    if not isinstance(value, bool | Integral):
        raise ArgumentError(f"{where} takes an integer, not {value!r}")
    value, width = int(value), t.width
    low = -(1 << width - 1)  # also for `.u32`: CUDA's compiler declares `int` and `unsigned` alike
    high = (1 << width) - 1 if t.kind != "s" else (1 << width - 1) - 1
    if not low <= value <= high:
        raise ArgumentError(f"{where} takes {low} to {high}, not {value}")
    return (value & (1 << width) - 1).to_bytes(max(1, width // 8), "little")


def floating(where: str, t: Type, value: object) -> bytes:
    """Rounded to nearest even; a finite number that becomes infinite does not fit."""
    if not isinstance(value, Real):
        raise ArgumentError(f"{where} takes a number, not {value!r}")
    code = {"f16": "<e", "f32": "<f", "f64": "<d"}.get(t.name)
    if code is None:
        raise ArgumentError(f"{where} takes the bits as bytes, not {value!r}")
    try:
        return struct.pack(code, float(value))
    except OverflowError:
        raise ArgumentError(f"{where} can not hold {value!r}: it would become infinite") from None


def whole(where: str, parameter: Variable, argument: Any) -> bytes:
    """A structure passed by value: bytes, or an array of as many bytes."""
    if isinstance(argument, bytes | bytearray):
        data = bytes(argument)
    elif hasattr(argument, "tobytes"):  # arrays, scalars and views of memory
        data = argument.tobytes()
    else:
        raise ArgumentError(f"{where} takes {parameter.size} bytes, not {type(argument).__name__}")
    if len(data) != parameter.size:
        raise ArgumentError(f"{where} takes {parameter.size} bytes, not {len(data)}")
    return data


def as_array(array: Any) -> Array:
    """NumPy's own functions give arrays of unknown elements; here all are alike."""
    return array


def array_of(where: str, argument: Any) -> Array:
    """An array as device memory; anything on the CPU that speaks DLPack or the array interface is one."""
    if isinstance(argument, np.ndarray):
        array = as_array(argument)
    elif hasattr(argument, "__dlpack__"):
        device = getattr(argument, "__dlpack_device__", lambda: (1, 0))()
        if device[0] != 1:
            raise ArgumentError(f"{where}: the array is not in the memory of the CPU")
        array = shared(argument)
    elif hasattr(argument, "__array_interface__"):
        array = as_array(np.asarray(argument))
    elif hasattr(argument, "__cuda_array_interface__"):
        raise ArgumentError(f"{where}: the array is not in the memory of the CPU")
    else:
        hint = "; make an array of it: `numpy.array(...)`" if type(argument) in (list, tuple) else ""
        raise ArgumentError(f"{where} takes a number, an array, bytes or None, not {type(argument).__name__}{hint}")
    if array.dtype.hasobject:
        raise ArgumentError(f"{where}: an array of Python objects can not be device memory")
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
        raise ArgumentError(f"{where}: the array is not contiguous; pass `numpy.ascontiguousarray(...)`")
    return array


def shared(argument: Any) -> Array:
    """The memory of an object that speaks DLPack, as an array.

    The first DLPack (before 1.0, which torch spoke for long) can not say that memory may only be read, so NumPy takes
    all of it for that. Who hands an array to a kernel wants its results: there the array can be written.
    """
    array = as_array(np.from_dlpack(argument))
    if array.flags.writeable or "versioned" in repr(capsule(argument)):
        return array
    return as_array(np.asarray(Writable(array)))


def capsule(argument: Any) -> object:
    """What NumPy is given, which tells its version by its name."""
    try:
        return argument.__dlpack__(max_version=(1, 0))
    except TypeError:
        return argument.__dlpack__()


class Writable:
    """An array whose memory can be written, whatever it says itself; it keeps the memory alive."""

    def __init__(self, array: Array) -> None:
        address, _ = array.__array_interface__["data"]
        self.array = array
        self.__array_interface__ = {**array.__array_interface__, "data": (address, False)}
