"""Metadata of a compiled kernel: what a launch must know about it; serialised together with its objects."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from typing import Any, NamedTuple

from openptx.engines.native.analysis.lattice import ZEROS, Lanes
from openptx.engines.native.deopt.frame_state import FrameState, SavedRegister, SideExit

_LENGTH = struct.Struct("<I")

LONG = 1_000_000
"""Characters of text from which a generic version may have large frames: its text was up to 13 times as long, and of
53,000,000 characters it had a frame of 8.8 MB."""


class Stack(NamedTuple):
    """Local memory that a thread needs for all frames: at most `size` bytes, or only the kernel's own if calls are
    recursive."""

    size: int
    recursive: bool


class KernelMetadata(NamedTuple):
    frame_size: int
    globals: list[str]
    """Variables whose addresses the code looks up, by number."""
    messages: list[tuple[str, str]]
    """Codes and words of faults that the code names by number."""
    names: list[str]
    """Functions by number, from 1."""
    exits: dict[int, SideExit]
    stack: Stack
    free_order: bool
    """CTAs may run in any order with the same results."""
    deoptimizes: bool
    """Warps may have to continue on the reference engine."""
    one_worker: bool
    """Another worker might see parts of what an instruction does, see `FunctionFacts.in_parts`."""
    address_size: int
    rounds: bool
    """Warps wait for each other."""
    counted: bool
    """They do at barriers that count threads or votes."""
    frame_states: dict[int, FrameState]
    """The contents of the frames of warps that deoptimise, by the value of `RESUME` in them."""
    fast_compiled: bool
    """Compiled without optimisation: values that an optimising compiler keeps in registers are in memory."""
    size: int
    """Characters of the LLVM text, to which compile time is proportional."""
    products: list[str]
    """Keys of the matrix products whose routines the code calls."""
    has_tensor_memory: bool
    """CTAs need it."""
    strides: bool
    """It has a loop over the grid's stride, which its warps may run in rounds."""

    @property
    def has_large_frames(self) -> bool:
        """Whether the code, or the generic version that takes over at its side exits, may need more of the processor's
        stack than a thread usually has."""
        return self.stack.recursive or self.fast_compiled or (bool(self.exits) and self.size > LONG)


def pack(metadata: KernelMetadata, objects: Sequence[bytes]) -> bytes:
    """Metadata and objects as one file."""
    head = json.dumps(
        {
            **metadata._asdict(),
            "exits": [
                [site, e.cells, e.waiting, [o if o is None or any(o) else 0 for o in e.lanes]]
                for site, e in metadata.exits.items()
            ],
            "frame_states": [[at, s.waiting, s.cells] for at, s in metadata.frame_states.items()],
            "objects": [*map(len, objects)],
        }
    ).encode()
    return _LENGTH.pack(len(head)) + head + b"".join(objects)


def unpack(data: bytes) -> tuple[KernelMetadata, list[bytes]]:
    """The arguments of `pack`; ValueError for anything else."""
    try:
        start = _LENGTH.size
        stop = start + _LENGTH.unpack_from(data)[0]
        found = json.loads(data[start:stop])
        objects = list[bytes]()
        for size in integers(found["objects"]):
            objects.append(data[stop : stop + size])
            stop += size
        if stop != len(data):
            raise ValueError("the objects do not have the sizes that the metadata says")
        return read(found), objects
    except (struct.error, KeyError, TypeError) as error:
        raise ValueError(f"not the metadata of a kernel: {error}") from error


def read(found: Any) -> KernelMetadata:
    """Metadata from JSON; ValueError, KeyError or TypeError if it is not that of a kernel."""
    size, recursive = found["stack"]
    return KernelMetadata(
        integer(found["frame_size"]),
        [text(name) for name in found["globals"]],
        [(text(code), text(words)) for code, words in found["messages"]],
        [text(name) for name in found["names"]],
        {
            integer(site): SideExit(integers(cells), integers(waiting), tuple(map(offsets, lanes)))
            for site, cells, waiting, lanes in found["exits"]
        },
        Stack(integer(size), recursive is True),
        found["free_order"] is True,
        found["deoptimizes"] is True,
        found["one_worker"] is True,
        integer(found["address_size"]),
        found["rounds"] is True,
        found["counted"] is True,
        {
            integer(at): FrameState(integers(waiting), tuple(map(read_saved_register, cells)))
            for at, waiting, cells in found["frame_states"]
        },
        found["fast_compiled"] is True,
        integer(found["size"]),
        [text(key) for key in found["products"]],
        found["has_tensor_memory"] is True,
        found["strides"] is True,
    )


def read_saved_register(found: Any) -> SavedRegister:
    cell, width, offset, known, lanes, raw = found
    if isinstance(known, list):
        known = integers(known)
    elif known is not None:
        known = integer(known)
    lanes = integers(lanes) if lanes is not None else None
    return SavedRegister(integer(cell), integer(width), integer(offset), known, lanes, raw is True)


def offsets(found: Any) -> Lanes | None:
    """Offsets of lanes; 0: all are zero."""
    return None if found is None else ZEROS if found == 0 else integers(found)


def integer(value: object) -> int:
    if type(value) is not int:
        raise ValueError(f"not an integer: {value!r}")
    return value


def integers(values: Any) -> tuple[int, ...]:
    return tuple(integer(value) for value in values)


def text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"not a text: {value!r}")
    return value
