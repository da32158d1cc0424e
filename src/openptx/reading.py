"""Reads PTX text from disk: bytes become a `File`, or an error that says what they are instead."""

from __future__ import annotations

import os
import stat
from os import PathLike

from openptx.errors import InputError
from openptx.source import File

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from typing import BinaryIO

LIMIT = 512 << 20
"""The maximum size of PTX text in bytes. A device such as /dev/zero has no end, and a mistaken path may name
anything."""
PIECE = 1 << 20

# fmt: off
# first bytes           what they identify, and where the PTX is
MAGIC = (
    (b"\x7fELF",             "an ELF object; `openptx extract` takes the PTX out of a cubin or a program"),
    (b"\x50\xed\x55\xba",    "a fat binary; `openptx extract` takes the PTX out of it"),
    (b"BC\xc0\xde",          "LLVM bitcode; `llc -march=nvptx64` makes PTX of it"),
    (b"\x1f\x8b",            "compressed with gzip; `gzip -d` unpacks it"),
    (b"PK\x03\x04",          "a zip archive"),
    (b"\x28\xb5\x2f\xfd",    "compressed with zstd"),
    (b"\xfd7zXZ",            "compressed with xz"),
    (b"BZh",                 "compressed with bzip2"),
    (b"!<arch>\n",           "a static library; `openptx extract` takes the PTX out of it"),
    (b"MZ",                  "a program for Windows; `openptx extract` takes the PTX out of it"),
    (b"\x03\x02\x23\x07",    "SPIR-V, which no compiler turns into PTX; NVIDIA's driver reads it"),
    (b"\x93NUMPY",           "an array in .npy format"),
    (b"\xff\xfe\0\0",        "UTF-32; PTX is ASCII or UTF-8"),
    (b"\xff\xfe",            "UTF-16; PTX is ASCII or UTF-8"),
    (b"\xfe\xff",            "UTF-16; PTX is ASCII or UTF-8"),
    (b".\0v\0e\0r\0",        "UTF-16; PTX is ASCII or UTF-8"),
    (b"/\0/\0",              "UTF-16; PTX is ASCII or UTF-8"),
)
# fmt: on


def is_path(text: str) -> bool:
    """Whether a string is a path rather than PTX text: one line that ends in `.ptx` or names a file.

    The same rule for `check`, `parse` and `load`. Untrusted text, which could name a file, must be passed as bytes.
    """
    return "\n" not in text and "\0" not in text and (text.endswith(".ptx") or os.path.isfile(text))


def read(path: str | PathLike[str]) -> File:
    """The text of a file. `OSError` if it cannot be read, `InputError` if it is not text, or too large."""
    name = path_name(path)
    with open(path, "rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        if size > LIMIT:
            raise InputError(f"{name}: {size >> 20:,} MiB, and at most {LIMIT >> 20} MiB of PTX are read")
        return decode(name, content(stream, name))


def path_name(path: str | PathLike[str]) -> str:
    """A path as a string; `InputError` for one that no file can have."""
    name = os.fsdecode(path)
    if "\0" in name:
        raise InputError(f"{name!r} is not a path: it contains a null character")
    return name


def content(stream: BinaryIO, name: str) -> bytes:
    """All bytes of a stream; `InputError` if it exceeds the limit, `OSError` with the name if it cannot be read."""
    pieces: list[bytes] = []
    size = 0
    while piece := read_piece(stream, name):
        pieces.append(piece)
        size += len(piece)
        if size > LIMIT:
            raise InputError(f"{name}: it does not end within {LIMIT >> 20} MiB, and no more of PTX is read")
    return b"".join(pieces)


def read_piece(stream: BinaryIO, name: str) -> bytes:
    """The next bytes of a stream; none at its end."""
    try:
        return stream.read(PIECE)
    except OSError as error:
        error.filename = name  # which only `open` knows
        raise


def open_regular(path: str | PathLike[str]) -> BinaryIO:
    """A file opened for reading, without blocking; `InputError` for a FIFO, a device and anything else that is not a
    file."""
    name = path_name(path)
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise InputError(f"{name}: not a regular file")
    return os.fdopen(handle, "rb")


def decode(name: str, data: bytes) -> File:
    """Bytes as a `File`; rejects only what is certainly not PTX.

    Bytes that are not UTF-8 (in comments and file names, where old compilers put them) survive as surrogates.
    """
    for first, what in MAGIC:
        if data.startswith(first):
            raise InputError(f"{name}: this is not PTX text but {what}")
    return File(name, data.decode("utf-8", "surrogateescape"))


def encode(text: str) -> bytes:
    """The bytes of a text that `decode` produced, including those that are not UTF-8."""
    return text.encode("utf-8", "surrogateescape")
