"""The PTX in a program: the public function `extract`."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap

from openptx.errors import ArgumentError, InputError
from openptx.fatbin.compression import unpacked
from openptx.fatbin.images import MACHINE_CODE, PTX, Image, TruncatedImage, images
from openptx.reading import open_regular

_ELF = b"\x7fELF"


@dataclass(frozen=True)
class ExtractedPtx:
    """One PTX module of a program. `name` is the file that it was compiled from, "" if the compiler omitted it."""

    name: str
    target: str
    text: str


def extract(program: str | os.PathLike[str] | bytes) -> list[ExtractedPtx]:
    """The PTX modules that a program, library, object file or fat binary contains, in file order.

    `program` is a path or the bytes. Raises InputError if there is no PTX, with advice on how to recompile, if the file
    is damaged, and if a package that unpacks it is missing; OSError for a path that cannot be read; ArgumentError for
    anything else than a path or bytes.
    """
    if not isinstance(program, (str, bytes)) and not hasattr(program, "__fspath__"):
        raise ArgumentError(f"a program is a path or bytes, not {type(program).__name__}")
    path = "<bytes>" if isinstance(program, bytes) else os.fspath(program)
    found: list[ExtractedPtx] = []
    compiled: set[str] = set()
    damaged = False
    with _content(program) as data:
        for image in images(data):
            if isinstance(image, TruncatedImage):
                damaged = True
            elif image.kind == PTX:
                found.append(_module(path, image))
            elif image.kind == MACHINE_CODE:
                compiled.add(image.target)
        is_object = data[:4] == _ELF
    if damaged:
        raise InputError(f"{path}: a fat binary in it ends beyond the end of the file: the file is cut off")
    if not found:
        raise InputError(f"{path}: {_why_none(compiled, is_object)}")
    return found


@contextmanager
def _content(program: str | os.PathLike[str] | bytes) -> Generator[bytes | mmap]:
    if isinstance(program, bytes):
        yield program
        return
    with open_regular(program) as stream:
        if os.fstat(stream.fileno()).st_size == 0:
            yield b""
            return
        with mmap(stream.fileno(), 0, access=ACCESS_READ) as data:
            yield data


def _module(path: str, image: Image) -> ExtractedPtx:
    try:
        text = unpacked(image).rstrip(b"\0").decode("utf-8", "surrogateescape")
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return ExtractedPtx(image.name, image.target, text)


def _why_none(compiled: set[str], is_object: bool) -> str:
    if compiled:
        newest = max(compiled, key=lambda target: int(target[3:]))
        virtual = newest.replace("sm_", "compute_")
        return (
            f"it holds machine code for {', '.join(sorted(compiled))} and no PTX; compile it with "
            f"`-gencode arch={virtual},code={virtual}` (CuPy: CUPY_COMPILE_WITH_PTX=1)"
        )
    if is_object:
        return "there is no fat binary in it: neither CUDA code nor PTX, or a cubin, which is machine code alone"
    return "there is no fat binary in it, and so no PTX"
