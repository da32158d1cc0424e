"""A kernel's parameters in the layout of its `.param` list, and launches that pass them as bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from openptx.device.allocation import Bytes
from openptx.errors import ArgumentError
from openptx.program import Function, Register, Variable


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: `size` bytes of PTX type `type`, such as "u64", at `offset` in the packed bytes.

    `count` is the number of elements of an array such as `.b8 p[16]`, and 1 for others; `size` is that of all.
    """

    name: str
    type: str
    offset: int
    size: int
    align: int
    count: int


class Packed:
    """All parameters of a launch as bytes, and what faults call them, if not by their names in the PTX.

    `arrays` are those whose addresses the bytes contain: the sanitizer asks which of their bits are undefined. Raises
    ArgumentError for objects that are not buffers.
    """

    def __init__(self, content: Any, names: Sequence[str] | None = None, arrays: Sequence[object] = ()) -> None:
        self.names, self.arrays = names, arrays
        try:
            self.content = memoryview(content).tobytes()
        except (TypeError, ValueError, BufferError) as error:
            raise ArgumentError(f"packed parameters are bytes, not {type(content).__name__}") from error

    def buffer(self, function: Function) -> Bytes:
        """The parameter buffer. A C structure may have padding at its end, up to a multiple of its alignment.

        Raises ArgumentError for other sizes.
        """
        wanted, provided = parameters(function), len(self.content)
        size, align = function.parameter_size, max((p.align for p in wanted), default=1)
        if provided not in (size, -(-size // align) * align):
            layout = ", ".join(f".{p.type} {p.name} at {p.offset}" for p in wanted)
            raise ArgumentError(f"kernel `{function.name}` takes {size} bytes of parameters ({layout}), not {provided}")
        return np.frombuffer(bytearray(self.content[:size]), np.uint8)


def parameters(function: Function) -> tuple[Parameter, ...]:
    """The parameters of a kernel, in text order."""
    variables = [p for p in function.parameters if isinstance(p, Variable)]
    return tuple(Parameter(p.name, p.type.name, p.offset, p.size, p.align, elements(p)) for p in variables)


def pack(function: Function, values: Sequence[bytes]) -> bytes:
    """The bytes of all parameters from those of each. Raises ArgumentError if counts or sizes differ."""
    wanted = parameters(function)
    if len(values) != len(wanted):
        raise ArgumentError(f"kernel `{function.name}` takes {len(wanted)} parameters, not {len(values)}")
    buffer = bytearray(function.parameter_size)
    for parameter, data in zip(wanted, values, strict=True):
        if len(data) != parameter.size:
            raise ArgumentError(f"parameter `{parameter.name}` has {parameter.size} bytes, not {len(data)}")
        buffer[parameter.offset : parameter.offset + parameter.size] = data
    return bytes(buffer)


def elements(parameter: Variable) -> int:
    """The number of elements of an array."""
    count = 1
    for extent in parameter.shape:
        count *= extent
    return count * parameter.vector


def describe(parameter: Register | Variable) -> str:
    """`.u32 n`, `.b8 p[16]`."""
    length = f"[{parameter.size}]" if isinstance(parameter, Variable) and parameter.shape else ""
    return f".{parameter.type.name} {parameter.name}{length}"
