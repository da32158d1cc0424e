"""Pools that processes share: a pool's file descriptor, and a handle of 64 bytes for each pointer of it.

The descriptor is that of a small file that identifies the pool. It is passed to the other process through a socket, or
inherited by a child. Memory of a pool is shared by files, as in `ipc`.
"""

from __future__ import annotations

import ctypes
import os
import struct

from openptx.driver.calls import in_context, initialized, invalid, put, put_int, read, write
from openptx.driver.devices.contexts import AT_END, Context
from openptx.driver.memory.allocations import FOREIGN, OWNED
from openptx.driver.memory.ipc import MemoryHandle
from openptx.driver.memory.ownership import IMPORTED
from openptx.driver.memory.pools import Pool
from openptx.driver.memory.virtual import FILE_DESCRIPTOR
from openptx.driver.objects import driver
from openptx.memory.sharing import ImportedAllocation, share

FILE = struct.Struct("<8sIQ")
"""The content of a pool's file: its kind, the process, and the pool's handle there."""
POOL, POINTER = b"openptxQ", b"openptxP"
POINTER_BYTES = 64
"""The content of a CUmemPoolPtrExportData, whose last eight bytes identify the pool."""
LOW = 0xFFFFFFFF
"""The runtime's flags have 32 bits, the driver's 64."""


def require_descriptor(kind: int, flags: int) -> None:
    if kind != FILE_DESCRIPTOR or flags & LOW:
        raise invalid(f"a pool's handle of kind {kind} with flags {flags & LOW}")


@initialized("cuMemPoolExportToShareableHandle")
def export_pool(out: int, pool: Pool, kind: int, flags: int) -> None:
    require_descriptor(kind, flags)
    if pool.handles != FILE_DESCRIPTOR or pool.origin is not None:
        raise invalid("the pool was not made for handles of that kind")
    put_int(out, -1)
    descriptor = os.memfd_create("openptx memory pool")
    os.write(descriptor, FILE.pack(POOL, os.getpid(), pool.handle))
    put_int(out, descriptor)


@initialized("cuMemPoolImportFromShareableHandle")
def import_pool(out: int, descriptor: int, kind: int, flags: int) -> None:
    put(out, 0)
    require_descriptor(kind, flags)
    try:
        data = os.pread(ctypes.c_int(descriptor).value, FILE.size, 0)
    except OSError as error:
        raise invalid(f"file descriptor {descriptor}: {error.strerror}") from None
    if len(data) != FILE.size or not data.startswith(POOL):
        raise invalid(f"file descriptor {descriptor} is not that of a memory pool")
    _, process, handle = FILE.unpack(data)
    put(out, driver().add(Pool("device", origin=(process, handle))).handle)


@initialized("cuMemPoolExportPointer")
def export_pointer(out: int, address: int) -> None:
    found = OWNED.get(address)
    pool = found.pool if found is not None else None
    if found is None or not isinstance(pool, Pool) or pool.handles != FILE_DESCRIPTOR:
        raise invalid(f"0x{address:x} is not memory of a shared pool")
    file, offset = share(found.block)
    inode = os.fstat(file.descriptor).st_ino
    handle = MemoryHandle(POINTER, os.getpid(), file.descriptor, inode, offset, found.size)
    write(out, MemoryHandle.layout.pack(*handle)[:-8] + pool.handle.to_bytes(8, "little"))


@in_context("cuMemPoolImportPointer")
def import_pointer(context: Context, out: int, pool: int, data: int) -> None:
    put(out, 0)
    found, exported = driver().find(pool, Pool), read(data, POINTER_BYTES)
    handle = MemoryHandle.of(exported, POINTER)
    if found.origin != (handle.process, int.from_bytes(exported[-8:], "little")):
        raise invalid("the pointer is of another pool, or the pool of this process")
    imported = ImportedAllocation.of(handle.open(), handle.offset, handle.size)
    address = imported.address
    IMPORTED[address] = imported.block()

    def end() -> None:
        del IMPORTED[address]
        imported.end()

    FOREIGN[address] = context, end
    put(out, address)


def end_all(context: Context) -> None:
    """Releases the imports of a context."""
    for address, (owner, end) in [*FOREIGN.items()]:
        if owner is context:
            del FOREIGN[address]
            end()


AT_END.append(end_all)
