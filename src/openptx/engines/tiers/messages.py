"""What goes through the pipes between a process and its compile server: a length, and a pickled request or reply.

Both ends are one program's, started by the same user, so what is unpickled is our own.
"""

from __future__ import annotations

import os
import pickle
import struct
from typing import Any, NamedTuple

from openptx.engines.native.options import Options

LENGTH = struct.Struct("<I")

HEARTBEAT = LENGTH.pack(0)
"""What a server that is busy says once a second."""


class Request(NamedTuple):
    """A kernel to compile, as the server can find it again: PTX text, since programs can't be pickled."""

    name: str
    """The key of the code in the cache."""
    text: str
    file: str
    target: str
    profile: str
    contract: str
    kernel: str
    options: Options
    several_workers: bool
    """Code with locked atomics is wanted too, where CTAs meet in them."""
    cache: str | None
    """The folder where code is kept."""


class Reply(NamedTuple):
    name: str
    codes: dict[str, bytes]
    """Packed metadata and objects, by key."""
    unsupported: str
    """Why compiled code can't run the kernel."""
    problem: str
    """Why there is no code otherwise."""
    seconds: float

    @property
    def made(self) -> bool:
        return not self.unsupported and not self.problem


def packed(message: object) -> bytes:
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return LENGTH.pack(len(data)) + data


def write(pipe: int, data: bytes) -> None:
    """All of it; BrokenPipeError where nobody reads."""
    left = memoryview(data)
    while left:
        left = left[os.write(pipe, left) :]


class Unpacker:
    """Messages out of the pieces that a pipe gives."""

    def __init__(self) -> None:
        self._data = bytearray()

    def fed(self, piece: bytes) -> list[Any]:
        """The messages that are complete now, without heartbeats."""
        self._data += piece
        found: list[Any] = []
        while len(self._data) >= LENGTH.size:
            end = LENGTH.size + LENGTH.unpack_from(self._data)[0]
            if len(self._data) < end:
                break
            if end > LENGTH.size:
                found.append(pickle.loads(self._data[LENGTH.size : end]))
            del self._data[:end]
        return found
