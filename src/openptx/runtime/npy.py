"""Arrays from untrusted .npy files: no code in them is executed, and every size is checked."""

from __future__ import annotations

import math
import os
from tokenize import TokenError
from typing import Any, BinaryIO

import numpy as np

from openptx.array_types import Array
from openptx.errors import InputError
from openptx.reading import open_regular

MAGIC = b"\x93NUMPY"


def read_array(path: str) -> Array:
    """The array in a .npy file; `OSError` if it cannot be read, `InputError` if it is not an array.

    An array of Python objects is refused: they are pickled, and the author of the file could make them run code. The
    file must be as large as its header says, which is checked before memory is allocated.
    """
    from numpy.lib import format

    with open_regular(path) as stream:
        if stream.read(len(MAGIC)) != MAGIC:
            raise InputError(f"{path}: not an array in .npy format")
        stream.seek(0)
        try:
            shape, dtype = header(stream)
            if dtype.hasobject:
                raise InputError(f"{path}: an array of Python objects, which would have to be executed to be read")
            wanted, available = math.prod(shape) * dtype.itemsize, os.fstat(stream.fileno()).st_size - stream.tell()
            if wanted > available or any(length < 0 for length in shape):
                raise InputError(f"{path}: its header promises {wanted:,} bytes, and {available:,} are there")
            stream.seek(0)
            return format.read_array(stream, allow_pickle=False)
        except (ValueError, TypeError, EOFError, OverflowError, SyntaxError, TokenError, RecursionError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"{path}: not an array in .npy format: {error}") from error


def header(stream: BinaryIO) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """The shape and the dtype in a file's header."""
    from numpy.lib import format

    version = format.read_magic(stream)
    reader = format.read_array_header_1_0 if version == (1, 0) else format.read_array_header_2_0
    shape, _, dtype = reader(stream)
    return shape, dtype
