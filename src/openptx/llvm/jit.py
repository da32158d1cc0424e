"""Links objects into this process, and unloads them when they are no longer used."""

from __future__ import annotations

import contextlib
import sys
import threading
import weakref
from collections import deque
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import llvmlite.binding as llvm

from openptx.llvm.host import host
from openptx.locks import LLVM

SESSION = 64
"""The number of objects that one LLJIT links. It keeps 11 KB for each until it is destroyed; starting one takes 2
ms."""


class Session:
    """An LLJIT, which is destroyed with the last of its libraries.

    With JITLink all sections of an object are in one block of memory. LLVM's older linker (RuntimeDyld) maps each
    section where the system finds room, and aborts the process (`isInt<32>(RealOffset)`) if that is more than 2 GiB
    from the code that refers to it. On Windows JITLink is not yet complete.
    """

    __slots__ = ("count", "lljit")

    def __init__(self) -> None:
        llvm.initialize_native_target()
        self.lljit = llvm.create_lljit_compiler(use_jit_link=sys.platform != "win32")
        self.count = 0

    def link(self, builder: llvm.JITLibraryBuilder) -> llvm.ResourceTracker:
        self.count += 1
        return builder.link(self.lljit, f"openptx.{self.count}")


_sessions: list[Session] = []  # the one that links, once there is one
_unused: deque[tuple[llvm.ResourceTracker, Session]] = deque()


def session() -> Session:
    """The session for one more object. The caller holds LLVM's lock."""
    if not _sessions or _sessions[0].count >= SESSION:
        _sessions[:] = [Session()]
    return _sessions[0]


def unload() -> None:
    """Frees the memory of unused libraries. The caller holds LLVM's lock."""
    while _unused:
        _unused.popleft()[0].close()


def _retire(tracker: llvm.ResourceTracker, session: Session) -> None:
    """The next link unloads a library. Finalizers run anywhere: they must not wait for LLVM's lock, and Ctrl-C, which
    Python ignores in them, must not find one at work."""
    _unused.append((tracker, session))


class Library:
    """Objects linked with each other: the addresses of their functions are valid for its life. `known` are those of
    external functions that they call."""

    __slots__ = ("__weakref__", "_tracker")

    def __init__(
        self, image: bytes | Sequence[bytes], names: tuple[str, ...], known: Mapping[str, int] = MappingProxyType({})
    ) -> None:
        with LLVM:
            unload()
            builder = llvm.JITLibraryBuilder()
            for one in [image] if isinstance(image, bytes) else image:
                builder = builder.add_object_img(one)
            builder = builder.add_current_process()
            for name, address in known.items():
                builder = builder.import_symbol(name, address)
            for name in names:
                builder = builder.export_symbol(name)
            linker = session()
            self._tracker = linker.link(builder)
            weakref.finalize(self, _retire, self._tracker, linker).atexit = False

    def __getitem__(self, name: str) -> int:
        return self._tracker[name]


def _start() -> None:
    with LLVM:
        host()
        session()


# On a thread, while the rest of the engine is imported: LLVM needs as long for it as everything else takes in a first
# launch from the disk. If no thread can be started, it is created on first use.
with contextlib.suppress(RuntimeError):
    threading.Thread(target=_start, name="openptx-linker").start()
