"""Reads the arguments of a kernel from the command line: numbers, `@in.npy`, `zeros:f32:1024`, `null`."""

from __future__ import annotations

import math
import os
import struct
from errno import EACCES, EISDIR, ENOENT
from typing import TYPE_CHECKING, Any, cast

from openptx.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

BITS = ("b8", "b16", "b32", "b64")
MAGIC = b"\x93NUMPY"  # how files in .npy format begin


def read_argument(text: str) -> object:
    """One argument, as `Kernel` takes it."""
    text = text.strip()
    if text == "null":
        return None
    if text.startswith("@"):
        return load_array(text[1:])
    if text.startswith("zeros:"):
        return zeros(text)
    return read_number(text)


def read_number(text: str) -> int | float:
    """A number in Python's spelling, or a PTX literal `0f3F800000`, `0d3FF0000000000000`."""
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
        raise InputError(f"`{text}` is no argument: write a number, @FILE.npy, zeros:TYPE:COUNT or null") from None


def ptx_float(digits: str, text: str) -> float:
    """The value of `0f...` with 8 digits, or of `0d...` with 16."""
    code, length = ("<f", 8) if digits[1] in "fF" else ("<d", 16)
    try:
        bits = bytes.fromhex(digits[2:])
    except ValueError:
        bits = b""
    if len(digits) != length + 2 or len(bits) != length // 2:
        raise InputError(f"`{text}` is no literal: 0f takes 8 hexadecimal digits, 0d takes 16")
    return struct.unpack(code, bits[::-1])[0]


def load_array(path: str) -> Array:
    """An array from a .npy file; `InputError` where it holds none."""
    import numpy as np

    with open(path, "rb") as stream:
        if stream.read(len(MAGIC)) != MAGIC:
            raise InputError(f"{path}: not an array in .npy format")
    try:
        return np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise InputError(f"{path}: not an array in .npy format: {error}") from error


def zeros(text: str) -> Array:
    """`zeros:f32:1024`, or `zeros:f32:32x32`."""
    import numpy as np

    _, _, rest = text.partition(":")
    name, _, extent = rest.partition(":")
    dtype = dtype_of(name)
    try:
        shape = tuple(int(part) for part in extent.split("x"))
    except ValueError:
        shape = (-1,)
    if min(shape) < 0:
        raise InputError(f"`{text}`: `{extent}` is no count; write zeros:{name}:1024 or zeros:{name}:32x32")
    if math.prod(shape) >= 1 << 40:
        raise InputError(f"`{text}` is larger than any memory")
    return np.zeros(shape, dtype)


def dtype_of(name: str) -> Any:
    """The dtype of a PTX type: as results of `convert` have it, and unsigned integers for `.b8` to `.b64`."""
    from openptx.numerics.dtypes import carrier
    from openptx.numerics.type_names import ELEMENTS, PACKED

    found = ELEMENTS.get(name.replace("b", "u", 1) if name in BITS else name) or PACKED.get(name)
    if found is None:
        raise InputError(f"no type `{name}`; one of {' '.join((*BITS, *ELEMENTS, *PACKED))}")
    return carrier(found)


def read_extent(text: str, what: str) -> tuple[int, ...]:
    """`X`, `X,Y` or `X,Y,Z`."""
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
    """`INDEX=out.npy`, where the argument of that index, counted from 0, is an array."""
    index, equals, path = text.partition("=")
    if not equals or not path or not index.isdigit():
        raise InputError(f"--save {text}: write INDEX=FILE.npy, arguments counted from 0")
    if int(index) not in arrays:
        raise InputError(f"--save {text}: argument {index}, counted from 0, is no array")
    return int(index), path


def require_folders(paths: list[str]) -> None:
    """`OSError` where an array could not be saved: before a kernel has run for an hour."""
    for path in paths:
        folder = os.path.dirname(path) or "."
        wrong = ENOENT if not os.path.isdir(folder) else EISDIR if os.path.isdir(path) else 0
        if wrong or not os.access(folder, os.W_OK):
            raise OSError(wrong or EACCES, os.strerror(wrong or EACCES), path)


def save_arrays(saves: list[tuple[str, Array]]) -> None:
    """Writes all arrays or none: beside their places first, then into them. Devices and pipes are written into."""
    written: dict[str, str] = {}
    try:
        for path, array in saves:
            special = os.path.exists(path) and not os.path.isfile(path)
            beside = path if special else f"{path}.{os.getpid()}.part"
            if not special:
                written[path] = beside
            try:
                with open(beside, "wb") as stream:
                    stream.write(npy(array))
            except OSError as error:
                error.filename = path
                raise
        for path, beside in written.items():
            os.replace(beside, path)
    finally:
        for beside in written.values():
            if os.path.exists(beside):
                os.remove(beside)


def npy(array: Array) -> bytes:
    """An array as the content of a .npy file; NumPy's own writer wants files that it can seek in."""
    from io import BytesIO

    import numpy as np

    stream = BytesIO()
    np.save(stream, array, allow_pickle=False)
    return stream.getvalue()
