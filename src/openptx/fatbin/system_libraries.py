"""The C libraries of LZ4 and Zstandard, which most Linux systems have, where the Python packages are not installed."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

Unpack = Callable[[bytes, int], bytes]
ZSTANDARD, LZ4 = "libzstd.so.1", "liblz4.so.1"


class UnpackError(Exception):
    """Data that the library does not unpack."""


def load(name: str) -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL(name)
    except OSError:  # it is not installed, or this is another system
        return None


def zstandard() -> Unpack | None:
    """Unpacks the first frame of some data. None if there is no library."""
    library = load(ZSTANDARD)
    if library is None:
        return None
    length, decompress, is_error = (
        library.ZSTD_findFrameCompressedSize,
        library.ZSTD_decompress,
        library.ZSTD_isError,
    )
    length.restype = decompress.restype = ctypes.c_size_t
    length.argtypes = ctypes.c_char_p, ctypes.c_size_t
    decompress.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t
    is_error.argtypes, is_error.restype = (ctypes.c_size_t,), ctypes.c_uint

    def unpack(data: bytes, size: int) -> bytes:
        room = ctypes.create_string_buffer(max(size, 1))
        packed = length(data, len(data))
        done = packed if is_error(packed) else decompress(room, size, data, packed)
        if is_error(done):
            raise UnpackError("no frame of Zstandard that fits")
        return room.raw[:done]

    return unpack


def lz4() -> Unpack | None:
    """Unpacks a block. None if there is no library."""
    library = load(LZ4)
    if library is None:
        return None
    decompress = library.LZ4_decompress_safe
    decompress.argtypes = ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int

    def unpack(data: bytes, size: int) -> bytes:
        room = ctypes.create_string_buffer(max(size, 1))
        done = decompress(data, room, len(data), size)
        if done < 0:
            raise UnpackError("no block of LZ4 that fits")
        return room.raw[:done]

    return unpack
