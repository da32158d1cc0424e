"""Memory and events of other processes of this computer, by handles of 64 bytes (`cuIpc*`).

A handle identifies the exporting process's file with the bytes: the process number, the file descriptor and the inode.
It can be opened as long as the process lives and has not freed the memory.
"""

from __future__ import annotations

import os
import struct
from typing import NamedTuple, Self

from openptx.device.reservations import Physical
from openptx.driver.calls import Failure, in_context, invalid, put, require_flags, write
from openptx.driver.devices.contexts import Context
from openptx.driver.entry_points import IpcHandle
from openptx.driver.memory.allocations import AT_FREE
from openptx.driver.memory.ownership import IMPORTED, owned_at
from openptx.driver.results import Result
from openptx.driver.streams.events import DISABLE_TIMING, INTERPROCESS, Event
from openptx.memory.sharing import ImportedAllocation, end_sharing, share

LAZY_PEER_ACCESS = 1
MEMORY, EVENT = b"openptxM", b"openptxE"
EVENT_HANDLE = struct.Struct("<8sI52x")


class MemoryHandle(NamedTuple):
    """CUipcMemHandle."""

    kind: bytes
    process: int
    descriptor: int
    inode: int
    offset: int
    size: int

    layout = struct.Struct("<8sIIQQQ24x")

    @classmethod
    def of(cls, data: bytes, kind: bytes = MEMORY) -> Self:
        """Fails for bytes that are not a handle."""
        found = cls(*cls.layout.unpack(data))
        if found.kind != kind:
            raise invalid("the 64 bytes are not a handle of another process's memory")
        return found

    def open(self) -> Physical:
        """The file. Fails if the process has ended, or has freed the memory."""
        why = f"the memory of process {self.process} has been freed, or the process has ended"
        try:
            descriptor = os.open(f"/proc/{self.process}/fd/{self.descriptor}", os.O_RDWR | os.O_CLOEXEC)
        except OSError as error:
            raise invalid(f"{why}: {error.strerror}") from None
        status = os.fstat(descriptor)
        if status.st_ino != self.inode or self.offset + self.size > status.st_size:
            os.close(descriptor)
            raise invalid(why)
        return Physical(status.st_size, descriptor)


class OpenedImport:
    """An import, and the number of times it was opened."""

    def __init__(self, imported: ImportedAllocation, handle: MemoryHandle) -> None:
        self.imported, self.handle, self.count = imported, handle, 1


_opened: dict[int, OpenedImport] = {}
AT_FREE.append(end_sharing)


@in_context("cuIpcGetMemHandle")
def get_memory(context: Context, out: int, address: int) -> None:
    found = owned_at(address)
    if found is None or found.kind != "device" or found.block.address in IMPORTED or not found.block.live:
        raise invalid(f"0x{address:x} is not device memory of cuMemAlloc, and only that can be shared")
    file, offset = share(found.block)
    inode = os.fstat(file.descriptor).st_ino
    handle = MemoryHandle(MEMORY, os.getpid(), file.descriptor, inode, offset, found.size)
    write(out, MemoryHandle.layout.pack(*handle))


@in_context("cuIpcOpenMemHandle", "cuIpcOpenMemHandle_v2")
def open_memory(context: Context, out: int, exported: IpcHandle, flags: int) -> None:
    put(out, 0)
    require_flags(flags, LAZY_PEER_ACCESS, "another process's memory")
    handle = MemoryHandle.of(bytes(exported))
    if handle.process == os.getpid():
        raise Failure(Result.INVALID_CONTEXT, "a handle of this process's own memory")
    opened = next((known for known in _opened.values() if known.handle == handle), None)
    if opened is not None:
        opened.count += 1
    else:
        imported = ImportedAllocation.of(handle.open(), handle.offset, handle.size)
        opened = _opened[imported.address] = OpenedImport(imported, handle)
        IMPORTED[imported.address] = imported.block()
    put(out, opened.imported.address)


@in_context("cuIpcCloseMemHandle")
def close_memory(context: Context, address: int) -> None:
    found = _opened.get(address)
    if found is None:
        raise invalid(f"0x{address:x} is not memory of another process")
    found.count -= 1
    if not found.count:
        del _opened[address], IMPORTED[address]
        found.imported.end()


@in_context("cuIpcGetEventHandle")
def get_event(context: Context, out: int, event: Event) -> None:
    if not event.flags & INTERPROCESS or not event.flags & DISABLE_TIMING:
        raise invalid("an event for other processes has the flags INTERPROCESS and DISABLE_TIMING")
    write(out, EVENT_HANDLE.pack(EVENT, os.getpid()))


@in_context("cuIpcOpenEventHandle")
def open_event(context: Context, out: int, exported: IpcHandle) -> None:
    """A new event: the work that the other process records has already ended, so there is never anything to wait
    for."""
    put(out, 0)
    kind, process = EVENT_HANDLE.unpack(bytes(exported))
    if kind != EVENT or process == os.getpid():
        raise invalid("the 64 bytes are not a handle of another process's event")
    put(out, context.own(Event(context, INTERPROCESS | DISABLE_TIMING)).handle)
