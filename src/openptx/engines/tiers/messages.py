"""Messages in the pipes between a process and its compile server: a length, and a pickled request or reply.

Both ends are one program's, started by the same user, so what is unpickled is our own.
"""

from __future__ import annotations

import os
import pickle
import struct
from typing import Any, NamedTuple

from openptx.engines.native.settings import Options

LENGTH = struct.Struct("<I")

HEARTBEAT = LENGTH.pack(0)
"""A heartbeat that a busy server sends once a second."""


class Request(NamedTuple):
    """A kernel to compile, in a form from which the server can restore it: PTX text, because programs cannot be
    pickled."""

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
    """Code with locked atomics is wanted too, if CTAs use the same atomics."""
    cache: str | None
    """The folder where code is stored."""


class Reply(NamedTuple):
    name: str
    codes: dict[str, bytes]
    """Packed metadata and objects, by key."""
    unsupported: str
    """Why compiled code cannot run the kernel."""
    problem: str
    """The reason if there is no code otherwise."""
    seconds: float

    @property
    def made(self) -> bool:
        return not self.unsupported and not self.problem


def packed(message: object) -> bytes:
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return LENGTH.pack(len(data)) + data


def write(pipe: int, data: bytes) -> None:
    """Writes everything; BrokenPipeError if the pipe has no reader."""
    left = memoryview(data)
    while left:
        left = left[os.write(pipe, left) :]


class Unpacker:
    """Assembles messages from the chunks that a pipe delivers."""

    def __init__(self) -> None:
        self._data = bytearray()

    def feed(self, piece: bytes) -> list[Any]:
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
