"""Parses a kernel's arguments on the command line: numbers, `@in.npy`, `zeros:f32:1024`, `ones:...`, `null`."""

from __future__ import annotations

import math
import struct
from typing import Any, cast

import openptx
from openptx.array_types import Array
from openptx.cli.saving import refuse_stdout
from openptx.errors import InputError
from openptx.numerics.dtypes import carrier
from openptx.numerics.type_names import ELEMENTS, PACKED, nearest
from openptx.runtime.npy import read_array

BITS = ("b8", "b16", "b32", "b64")
NEW = ("zeros", "ones", "arange", "empty")
"""New arrays, by NumPy's names; `empty` is uninitialized (docs/sanitize.md)."""


def read_argument(text: str) -> object:
    """One argument of the command line as an argument of a `Kernel`. Raises InputError if it is none."""
    text = text.strip()
    if text == "null":
        return None
    if text == "@":
        raise InputError("`@` is followed by the name of a .npy file")
    if text.startswith("@"):
        return read_array(text[1:])
    if text.partition(":")[0] in NEW:
        return new_array(text)
    return read_number(text)


def read_number(text: str) -> int | float:
    """A number in Python's spelling, or a PTX literal `0f3F800000`, `0d3FF0000000000000`. Raises InputError for any
    other text."""
    sign, digits = (-1, text[1:]) if text.startswith("-") else (1, text)
    if digits[:2] in ("0f", "0F", "0d", "0D"):
        return sign * ptx_float(digits, text)
    try:
        return int(text, 0)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        hint = f"; did you mean @{text}?" if text.endswith(".npy") else ""
        forms = "a number, @FILE.npy, zeros:TYPE:COUNT (also ones:, arange:, empty:) or null"
        raise InputError(f"`{text}` is not an argument: write {forms}{hint}") from None


def ptx_float(digits: str, text: str) -> float:
    """The value of `0f...` with 8 digits, or of `0d...` with 16. Raises InputError for any other number of digits."""
    code, length = ("<f", 8) if digits[1] in "fF" else ("<d", 16)
    try:
        bits = bytes.fromhex(digits[2:])
    except ValueError:
        bits = b""
    if len(digits) != length + 2 or len(bits) != length // 2:
        raise InputError(f"`{text}` is not a literal: 0f takes 8 hexadecimal digits, 0d takes 16")
    return struct.unpack(code, bits[::-1])[0]


def new_array(text: str) -> Array:
    """`zeros:f32:1024`, `ones:f32:32x32`, or another of `NEW`. Raises InputError for an unknown type, a negative
    extent, 2^40 elements or more, and numbers of a type whose elements are several."""
    import numpy as np

    kind, _, rest = text.partition(":")
    name, _, extent = rest.partition(":")
    dtype = dtype_of(name)
    try:
        shape = tuple(int(part) for part in extent.split("x"))
    except ValueError:
        shape = (-1,)
    if min(shape) < 0:
        raise InputError(f"`{text}`: `{extent}` is not a count; write {kind}:{name}:1024 or {kind}:{name}:32x32")
    if math.prod(shape) >= 1 << 40:
        raise InputError(f"`{text}` is larger than any memory")
    if kind == "empty":
        return openptx.empty(shape, dtype)
    if kind == "zeros":
        return np.zeros(shape, dtype)
    if name in PACKED:
        raise InputError(f"`{text}`: an element of {name} is several numbers; write {kind}: with the type of one")
    if kind == "ones":
        return np.ones(shape, dtype)
    return np.arange(math.prod(shape)).astype(dtype).reshape(shape)


def dtype_of(name: str) -> Any:
    """The dtype of a PTX type: as for results of `convert`, and unsigned integers for `.b8` to `.b64`. Raises
    InputError for an unknown type."""
    found = ELEMENTS.get(name.replace("b", "u", 1) if name in BITS else name) or PACKED.get(name)
    if found is None:
        raise InputError(f"no type `{name}`; {nearest(name, BITS)}")
    return carrier(found)


def read_extent(text: str, what: str) -> tuple[int, ...]:
    """`X`, `X,Y` or `X,Y,Z`. Raises InputError for any other text."""
    try:
        extent = tuple(int(part) for part in text.split(","))
    except ValueError:
        extent = ()
    if not 1 <= len(extent) <= 3:
        raise InputError(f"--{what} {text}: write X, X,Y or X,Y,Z")
    return extent


def arrays_of(arguments: list[object]) -> dict[int, Array]:
    """The arguments that are arrays, by their index from 0."""
    import numpy as np

    return {i: cast("Array", argument) for i, argument in enumerate(arguments) if isinstance(argument, np.ndarray)}


def read_save(text: str, arrays: dict[int, Array]) -> tuple[int, str]:
    """`INDEX=out.npy`, where the argument of that index, counted from 0, is an array. Raises InputError for any other
    text and any other argument."""
    index, equals, path = text.partition("=")
    if not equals or not path or not index.isdigit():
        raise InputError(f"--save {text}: write INDEX=FILE.npy, arguments counted from 0")
    refuse_stdout(path, f"--save {text}")
    if int(index) not in arrays:
        raise InputError(f"--save {text}: argument {index}, counted from 0, is not an array")
    return int(index), path
