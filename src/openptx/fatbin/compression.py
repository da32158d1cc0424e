"""Unpacks images of fat binaries: LZ4 blocks (CUDA 10 to 12) and Zstandard frames (from CUDA 12.8 on).

The packages `lz4` and `zstandard` are what `pip install 'openptx[extract]'` adds; both are BSD-licensed bindings of the
reference implementations, maintained, with wheels for all platforms. Without them the system's C libraries are used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from openptx.errors import InputError
from openptx.fatbin import system_libraries
from openptx.fatbin.images import LZ4, Image
from openptx.fatbin.system_libraries import Unpack, UnpackError

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


def _lz4() -> tuple[Unpack, type[Exception]]:
    module = _package("lz4.block")
    if module is not None:
        return module.decompress, module.LZ4BlockError
    return _of_system(system_libraries.lz4(), "LZ4", "lz4", system_libraries.LZ4)


def _zstandard() -> tuple[Unpack, type[Exception]]:
    module = _package("zstandard")
    if module is not None:
        return module.ZstdDecompressor().decompress, module.ZstdError
    return _of_system(system_libraries.zstandard(), "Zstandard", "zstandard", system_libraries.ZSTANDARD)


def _package(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        return None


def _of_system(unpack: Unpack | None, what: str, package: str, library: str) -> tuple[Unpack, type[Exception]]:
    if unpack is None:
        needs = f"the package {package} (`pip install 'openptx[extract]'`) or {library}"
        raise InputError(f"PTX that is compressed by {what} needs {needs}")
    return unpack, UnpackError
