"""Recorded launches as files: reading all of one, and writing it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import numpy as np

from openptx.device.allocation import Bytes
from openptx.errors import InputError
from openptx.reading import LIMIT, encode, open_regular, read
from openptx.recording.header import LONGEST, Header, RegionHeader, read_header
from openptx.source import File

SUFFIX = ".launch"


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """An allocation of the GPU's memory: its `address` on the GPU, and its bytes before and after the launch.

    If `compared` is false, its content depends on the addresses of other memory. `symbol` is the name of the module's
    variable that lies there, "" for none.
    """

    address: int
    before: Bytes = field(repr=False)
    after: Bytes = field(repr=False)
    compared: bool = True
    symbol: str = ""

    @property
    def size(self) -> int:
        return self.before.size


@dataclass(frozen=True, slots=True, eq=False)
class Recording:
    """A launch as executed by a GPU. `parameters` are (offset, bytes), `shared` the bytes of dynamic shared memory.

    `device` describes the device, `target` is its target, "" if unknown. `left_out` are allocations, (address, bytes),
    that the recorder found and did not record. `ptx` is the module's text; None for a Recording made without one.
    """

    name: str
    kernel: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    shared: int
    cluster: tuple[int, ...]
    parameters: tuple[tuple[int, bytes], ...]
    regions: tuple[Region, ...]
    device: str
    target: str = ""
    left_out: tuple[tuple[int, int], ...] = ()
    ptx: File | None = None


def read_recording(path: str | os.PathLike[str], name: str | None = None, ptx: File | None = None) -> Recording:
    """The recording in a file; `name` is what messages call it, `ptx` a module instead of the one that it names.

    Raises OSError if the file or its PTX cannot be read, InputError if it is not a recording, has a newer version of
    the format, or is truncated.
    """
    path = Path(path)
    name = name or str(path)
    with open_regular(path) as stream:
        header = header_of(stream, name)
        left = os.fstat(stream.fileno()).st_size - stream.tell()
        if left != header.size:
            what = "is cut short" if left < header.size else "is too long"
            raise InputError(f"{name}: the recording {what}: {header.size:,} bytes should follow its first line,"
                             f" and {left:,} do")  # fmt: skip
        before = [content(stream, region.size) for region in header.regions]
        after = [
            content(stream, region.size) if region.changed else old
            for region, old in zip(header.regions, before, strict=True)
        ]
        if ptx is None:
            ptx = File(f"{name}.ptx", stream.read(header.text).decode("utf-8", "surrogateescape"))
            ptx = ptx if header.text else beside(path, name, header.ptx)
    found = zip(header.regions, before, after, strict=True)
    return Recording(
        name, header.kernel, header.grid, header.block, header.shared, header.cluster, header.parameters,
        tuple(Region(r.address, old, new, r.compared, r.symbol) for r, old, new in found),
        header.device, header.target, header.left_out, ptx,
    )  # fmt: skip


def header_of(stream: BinaryIO, name: str) -> Header:
    """The header, with the stream at the first byte of memory. Raises InputError if it is not a recording."""
    line = stream.readline(LONGEST)
    if not line.endswith(b"\n"):
        raise InputError(f"{name}: it is not a recording of a launch: its first line does not end")
    return read_header(name, line)


def content(stream: BinaryIO, size: int) -> Bytes:
    return np.frombuffer(stream.read(size), np.uint8)


def beside(path: Path, name: str, ptx: str) -> File:
    """The module, in the file next to the recording that its header names. Raises InputError if there is none."""
    where = path.parent / f"{ptx}.ptx"
    if Path(ptx).name != ptx or not where.exists():
        raise InputError(f"{name}: its PTX is missing: put {ptx}.ptx next to it, or name a file with --ptx")
    return read(where)


def write_recording(recording: Recording, path: str | os.PathLike[str]) -> None:
    """Writes a recording with its PTX into one file; memory that the launch did not change is written once.

    Raises OSError if that fails, InputError for a recording without PTX or with too much of it.
    """
    text = encode(recording.ptx.text) if recording.ptx is not None else b""
    if not text or len(text) > LIMIT:
        raise InputError(
            f"{recording.name}: a recording contains its PTX: at least a byte and at most {LIMIT >> 20} MiB"
        )
    regions = [
        RegionHeader(r.address, r.size, not np.array_equal(r.before, r.after), r.compared, r.symbol)
        for r in recording.regions
    ]
    header = Header(
        recording.kernel, recording.grid, recording.block, recording.shared, recording.cluster, recording.parameters,
        tuple(regions), "", len(text), recording.device, recording.target, recording.left_out,
    )  # fmt: skip
    after = [r.after for r, found in zip(recording.regions, regions, strict=True) if found.changed]
    write_parts(path, [header.line(), *(r.before for r in recording.regions), *after, text])


def write_parts(path: str | os.PathLike[str], parts: Sequence[bytes | Bytes]) -> None:
    """Writes a file under a temporary name first, so that an interrupt leaves no partial file.

    A device or pipe, such as /dev/null, is written directly: renaming would replace it by a file.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as stream:
            for part in parts:
                stream.write(part if isinstance(part, bytes) else part.data)
        return
    unfinished = f"{os.fspath(path)}.part"
    try:
        with open(unfinished, "wb") as stream:
            for part in parts:
                stream.write(part if isinstance(part, bytes) else part.data)
        os.replace(unfinished, path)
    finally:
        Path(unfinished).unlink(missing_ok=True)
