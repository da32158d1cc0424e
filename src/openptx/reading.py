"""Reads PTX text from disk: bytes to a `File`, or a refusal that says what the bytes are instead."""

from __future__ import annotations

from os import PathLike, fspath

from openptx.errors import InputError
from openptx.source import File

# fmt: off
#          first bytes           what they start, and where the PTX is
MAGIC = (
    (b"\x7fELF",             "an ELF object; `cuobjdump -ptx` takes the PTX out of a cubin or a program"),
    (b"\x50\xed\x55\xba",    "a fat binary; `cuobjdump -ptx` takes the PTX out of it"),
    (b"BC\xc0\xde",          "LLVM bitcode; `llc -march=nvptx64` makes PTX of it"),
    (b"\x1f\x8b",            "compressed with gzip; `gzip -d` unpacks it"),
    (b"PK\x03\x04",          "a zip archive"),
    (b"\x28\xb5\x2f\xfd",    "compressed with zstd"),
    (b"\xfd7zXZ",            "compressed with xz"),
    (b"BZh",                 "compressed with bzip2"),
    (b"!<arch>\n",           "a static library; `cuobjdump -ptx` takes the PTX out of it"),
    (b"MZ",                  "a program for Windows; `cuobjdump -ptx` takes the PTX out of it"),
    (b"\x03\x02\x23\x07",    "SPIR-V, which no compiler turns into PTX; NVIDIA's driver reads it"),
    (b"\x93NUMPY",           "an array in .npy format"),
    (b"\xff\xfe",            "UTF-16; PTX is ASCII or UTF-8"),
    (b"\xfe\xff",            "UTF-16; PTX is ASCII or UTF-8"),
)
# fmt: on


def read(path: str | PathLike[str]) -> File:
    """The text of a file. `OSError` where it cannot be read, `InputError` where it is not text."""
    with open(path, "rb") as stream:
        return decode(fspath(path), stream.read())


def decode(name: str, data: bytes) -> File:
    """Bytes as a `File`. Zero bytes at the end, which NVRTC's programs carry, and a byte order mark are left out.

    Bytes that are not UTF-8 (in comments and file names, where old compilers put them) survive as surrogates.
    """
    data = data.removeprefix(b"\xef\xbb\xbf").rstrip(b"\0")
    for first, what in MAGIC:
        if data.startswith(first):
            raise InputError(f"{name}: this is not PTX text but {what}")
    if (at := data.find(0)) >= 0:
        raise InputError(f"{name}: this is not PTX text: byte {at} is zero")
    return File(name, data.decode("utf-8", "surrogateescape"))
