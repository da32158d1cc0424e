"""Fat binaries: a header and images for several targets, each PTX or machine code, plain or compressed.

NVIDIA does not document the format; these are the fields that `fatbinary` of CUDA 10 to 13 writes. A fat binary begins
with a magic number at a multiple of eight bytes, in any section of ELF, PE or an archive, so the container need not be
parsed.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from mmap import mmap

MAGIC = struct.pack("<IH", 0xBA55ED50, 1)
_HEADER = struct.Struct("<IHHQ")
"""Magic number, version, bytes of the header, bytes of the images."""
_IMAGE = struct.Struct("<HHIQIIHHIIIQQQ")
"""Kind, version, bytes of this header, of the image with padding, of the compressed image; where options are; version
of the PTX or the machine code, minor and major; target; where the name is and its bytes; flags; 0; bytes unpacked."""
PTX, MACHINE_CODE = 1, 2
LZ4, ZSTD = 0x2000, 0x8000
_KNOWN_TARGET = range(10, 1000)


@dataclass(frozen=True)
class Image:
    """One image of a fat binary, as stored. `offset` is its position in the file."""

    kind: int
    target: str
    name: str
    data: bytes
    flags: int
    unpacked: int
    offset: int

    @property
    def compressed(self) -> bool:
        return self.flags & (LZ4 | ZSTD) != 0 and self.unpacked > 0


@dataclass(frozen=True)
class TruncatedImage:
    """A fat binary, or an image in it, that extends beyond the end of the file."""

    offset: int


def images(data: bytes | mmap) -> Iterator[Image | TruncatedImage]:
    """All images of all fat binaries in a file, in the order of the file."""
    at = data.find(MAGIC)
    while at >= 0:
        end = at + len(MAGIC)
        if at + _HEADER.size <= len(data):
            _, _, header, size = _HEADER.unpack_from(data, at)
            if header == _HEADER.size:
                found = [*_images_in(data, at + header, at + header + size)]
                yield from found
                if found and isinstance(found[-1], Image):
                    end = at + header + size
                    if end > len(data):
                        yield TruncatedImage(at)
                        return
        at = data.find(MAGIC, end)


def _images_in(data: bytes | mmap, at: int, end: int) -> Iterator[Image | TruncatedImage]:
    while at < end:
        if at + _IMAGE.size > len(data):
            yield TruncatedImage(at)
            return
        fields = _IMAGE.unpack_from(data, at)
        kind, _, header, padded, packed, _, _, _, target, name, name_size, flags, _, unpacked = fields
        if header < _IMAGE.size or target not in _KNOWN_TARGET:
            return  # bytes that equal a magic number by chance
        begin = at + header
        if begin + padded > len(data):
            yield TruncatedImage(at)
            return
        name_at = at + name
        text = data[name_at : name_at + name_size] if name and name + name_size <= header else b""
        stored = data[begin : begin + (packed or padded)]
        yield Image(kind, f"sm_{target}", text.decode("utf-8", "replace"), stored, flags, unpacked, begin)
        at = begin + padded
