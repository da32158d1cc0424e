"""Images that programs load: PTX as text, fat binaries with PTX in them, and images that cannot be run.

Some compilers pass only machine code to the driver, and keep the PTX in a file beside it (`ptx_beside`).
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
from collections.abc import Iterator
from pathlib import Path

from openptx.device.mapping import is_mapped
from openptx.driver.calls import Failure, invalid
from openptx.driver.objects import driver
from openptx.driver.results import Result
from openptx.errors import InputError
from openptx.fatbin import ExtractedPtx, extract
from openptx.isa.targets import number_of

WRAPPER = 0x466243B1
"""The start of nvcc's fat binary wrapper: magic number and version, then a pointer to it."""
FATBIN = 0xBA55ED50
ELF = b"\x7fELF"
_HEADER = struct.Struct("<IHHQ")
MOST = 1 << 30


def image_at(pointer: int) -> str:
    """The PTX of an image in memory."""
    return ptx_of(bytes_at(pointer))


def bytes_at(pointer: int) -> bytes:
    """An image in memory, whose size is determined by its first bytes. Fails if its address is null."""
    if not pointer:
        raise invalid("the image is null")
    (magic,) = struct.unpack("<I", ctypes.string_at(pointer, 4)) if readable(pointer) else (0,)
    if magic == WRAPPER:
        (pointer,) = struct.unpack("<Q", memory_at(pointer + 8, 8))
        (magic,) = struct.unpack("<I", memory_at(pointer, 4))
    if magic == FATBIN:
        _, _, header, size = _HEADER.unpack(memory_at(pointer, _HEADER.size))
        return memory_at(pointer, header + size)
    if magic == int.from_bytes(ELF, "little"):
        return memory_at(pointer, elf_size(pointer))
    return ctypes.string_at(pointer)


def memory_at(pointer: int, size: int) -> bytes:
    """Bytes of an image that states its size. Fails if the process has less memory there."""
    if not pointer or size > MOST or not is_mapped(pointer, size):
        why = f"the image at 0x{pointer:x} says that it has {size} bytes, more than can be read"
        raise Failure(Result.INVALID_IMAGE, why)
    return ctypes.string_at(pointer, size)


def readable(pointer: int) -> bool:
    """Whether an image has four bytes: a shorter text ends earlier."""
    return all(ctypes.c_uint8.from_address(pointer + i).value for i in range(3))


def elf_size(pointer: int) -> int:
    """Up to the end of the section table or the segment table: NVIDIA's compilers put these two last."""
    segments, sections, *counts = struct.unpack_from("<QQ6xHHHH", memory_at(pointer, 64), 32)
    segment, segment_count, section, section_count = counts
    return max(segments + segment * segment_count, sections + section * section_count)


def ptx_of(data: bytes, capability: int | None = None) -> str:
    """The PTX of an image, for a device of that compute capability, or ours. Fails if it is not an image or contains no
    PTX."""
    if data[:4] == ELF or int.from_bytes(data[:4], "little") == FATBIN:
        try:
            return fitting(extract(data), capability or driver().capability).text
        except InputError as error:
            if (text := ptx_beside(data)) is not None:
                return text
            raise Failure(Result.NO_BINARY_FOR_GPU, str(error).replace("<bytes>", "the image")) from None
    text = data.rstrip(b"\0").decode("utf-8", "surrogateescape")
    if ".version" not in text:
        what = f"begins with {data[:8]!r}" if data else "is empty"
        raise Failure(Result.INVALID_IMAGE, f"the image {what}, and is neither PTX nor a fat binary")
    return text


def fitting(found: list[ExtractedPtx], capability: int) -> ExtractedPtx:
    """The PTX for the newest target that the device runs. Fails if it runs none."""
    fit = [candidate for candidate in found if runs(candidate.target, capability)]
    if not fit:
        targets = ", ".join(candidate.target for candidate in found)
        raise Failure(Result.NO_BINARY_FOR_GPU, f"there is PTX for {targets} only, and the device is sm_{capability}")
    return max(fit, key=lambda candidate: number_of(candidate.target))


def runs(target: str, own: int) -> bool:
    """Whether a device can run PTX of a target: the same or an older one, with "a" only the same, with "f" one of its
    family."""
    number = number_of(target)
    if target.endswith("a"):
        return number == own
    if target.endswith("f"):
        return number // 10 == own // 10 and number <= own
    return number <= own


def device_target() -> str:
    return f"sm_{driver().capability}"


def triton_cache() -> Path:
    """The folder of Triton's cache."""
    chosen = os.environ.get("TRITON_CACHE_DIR")
    return Path(chosen) if chosen else Path(os.environ.get("TRITON_HOME", Path.home())) / ".triton" / "cache"


def kept_cubins() -> Iterator[Path]:
    """Files of machine code that Triton keeps, and CuTe DSL with `CUTE_DSL_KEEP=ptx,cubin`."""
    yield from triton_cache().glob("*/*.cubin")
    if "cubin" in os.environ.get("CUTE_DSL_KEEP", ""):
        yield from Path(os.environ.get("CUTE_DSL_DUMP_DIR") or ".").glob("*.cubin")


def ptx_beside(image: bytes) -> str | None:
    """The PTX that an image's machine code was compiled from, if its compiler keeps a file of that code; else None.

    Triton loads the bytes of the file, CuTe DSL a fat binary that contains them.
    """
    for file in kept_cubins():
        with contextlib.suppress(OSError):  # another process may clear the cache
            if file.stat().st_size <= len(image) and (code := file.read_bytes()) and code in image:
                return file.with_suffix(".ptx").read_text("utf-8")
    return None
