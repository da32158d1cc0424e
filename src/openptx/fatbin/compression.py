"""Unpacks images of fat binaries: LZ4 blocks (CUDA 10 to 12) and Zstandard frames (from CUDA 12.8 on).

The packages `lz4` and `zstandard` are what `pip install 'openptx[extract]'` adds; both are BSD-licensed bindings of the
reference implementations, maintained, with wheels for all platforms.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from openptx.errors import InputError
from openptx.fatbin.images import LZ4, Image

MOST = 1 << 30
"""The maximum size of an unpacked image in bytes, so that a header's claim is not allocated unchecked."""


def unpacked(image: Image) -> bytes:
    """The content of an image. Raises InputError if it is damaged or too large, or if a package is missing."""
    if not image.compressed:
        return image.data
    if image.unpacked > MOST:
        raise InputError(f"an image of {image.unpacked:,} bytes, and at most {MOST:,} are unpacked")
    unpack, error = _lz4() if image.flags & LZ4 else _zstandard()
    try:
        data = unpack(image.data, image.unpacked)
    except error as problem:
        raise InputError(f"a damaged image at offset {image.offset}: {problem}") from None
    if len(data) != image.unpacked:
        raise InputError(f"a damaged image at offset {image.offset}: {len(data)} bytes instead of {image.unpacked}")
    return data


Unpack = Callable[[bytes, int], bytes]


def _lz4() -> tuple[Unpack, type[Exception]]:
    module = _package("lz4.block", "LZ4")
    return module.decompress, module.LZ4BlockError


def _zstandard() -> tuple[Unpack, type[Exception]]:
    module = _package("zstandard", "Zstandard")
    return module.ZstdDecompressor().decompress, module.ZstdError


def _package(name: str, what: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        message = f"PTX that is compressed by {what} needs the package {package}: `pip install 'openptx[extract]'`"
        raise InputError(message) from None
