"""Allocations that the host makes and frees, and memory of others that it registers."""

from __future__ import annotations

import os
from bisect import bisect_right, insort
from functools import cache
from inspect import currentframe
from operator import index
from types import TracebackType
from typing import Any, NamedTuple, Self, cast

import numpy as np
from numpy.typing import DTypeLike

from openptx.device import undefined
from openptx.device.heap import heap_of
from openptx.device.mapping import is_mapped
from openptx.device.memory import REMEMBERED, device
from openptx.device.memory_view import Allocation, Array, Bytes, in_bytes
from openptx.device.pool import LARGEST
from openptx.errors import ArgumentError
from openptx.locks import MEMORY

OWN_SLOTS = 1024
"""So many small allocations have a slot of their own, where accesses are checked fastest; others share one."""

PHYSICAL = "SC_PHYS_PAGES"


class Info(NamedTuple):
    """Bytes of device memory: how many may still be allocated, and how many there are, as for `cuMemGetInfo`."""

    free: int
    total: int


class Block:
    """An allocation, or host memory that is registered: `size` bytes at the device address `address`.

    Kernels take it for a pointer, and so does whatever reads `__cuda_array_interface__`; `int(block)` is its address.
    `pointer` is where the bytes lie on the host: at the same address for an allocation. A `with` statement frees it.
    """

    def __init__(self, allocation: Allocation, data: Array, registered: bool, slot: bool) -> None:
        self.name, self.address, self.size = allocation.name, allocation.base, allocation.size
        self.pointer, self.read_only, self.registered = allocation.pointer, not allocation.writable, registered
        self.allocation, self.own_slot, self.withdrawn = allocation, slot, False
        self._data: Array | None = data

    def __index__(self) -> int:
        return self.address

    __int__ = __index__

    def __repr__(self) -> str:
        return f"<{self}>"

    def __str__(self) -> str:
        return str(self.allocation)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self.live:
            (unregister if self.registered else free)(self)

    @property
    def live(self) -> bool:
        """Whether the block is still device memory."""
        return self._data is not None

    @property
    def ended(self) -> str:
        """What takes it back, as messages say it."""
        return "unregistered" if self.registered else "freed"

    @property
    def data(self) -> Bytes:
        """The bytes on the host. Raises ArgumentError for memory that has been freed."""
        if self._data is None:
            raise ArgumentError(f"{self} has been {self.ended}")
        return self._data

    def array(self, dtype: DTypeLike = np.uint8, shape: int | tuple[int, ...] | None = None) -> Array:
        """The memory as an array of the host, which shares it; by default with one axis, as long as there is room.

        Raises ArgumentError for memory that has been freed and for more elements than there are bytes for.
        """
        element = np.dtype(dtype)
        wanted = self.size // element.itemsize if shape is None else shape
        count = int(np.prod(wanted, dtype=object)) * element.itemsize
        if element.hasobject or not 0 <= count <= self.size:
            raise ArgumentError(f"{self} has no room for {wanted} elements of {element}")
        return self.data[:count].view(element).reshape(wanted)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if not self.live:
            raise ArgumentError(f"{self} has been {self.ended}")
        where = (self.address, self.read_only)
        return {"shape": (self.size,), "typestr": "|u1", "data": where, "strides": None, "version": 3}

    def undefine(self) -> None:
        """The sanitizer takes all bytes for undefined until a kernel, or a function of this package, has set them."""
        if self.own_slot:  # a shared slot has one table for all that lies there
            undefined.undefine(self.address, self.size)

    def close(self) -> None:
        """Forgets the bytes. For `free` and `unregister`, which do the rest."""
        self._data = None


class Blocks:
    """All blocks, by address."""

    def __init__(self) -> None:
        self.live: dict[int, Block] = {}
        self.freed: dict[int, Block] = {}
        self._bases: list[int] = []
        self.count = 0  # ever allocated
        self.bytes = 0
        self.small = 0  # with slots of their own

    def add(self, block: Block) -> Block:
        self.live[block.address] = block
        self.freed.pop(block.address, None)
        insort(self._bases, block.address)
        if not block.registered:
            self.bytes += block.size
            self.small += block.own_slot and block.size <= LARGEST
        return block

    def drop(self, block: Block) -> None:
        del self.live[block.address]
        del self._bases[bisect_right(self._bases, block.address) - 1]
        if not block.registered:
            self.bytes -= block.size
            self.small -= block.own_slot and block.size <= LARGEST
        self.freed[block.address] = block
        while len(self.freed) > REMEMBERED:
            del self.freed[next(iter(self.freed))]

    def at(self, address: int) -> Block | None:
        i = bisect_right(self._bases, address)
        found = self.live[self._bases[i - 1]] if i else None
        return found if found is not None and address < found.address + found.size else None

    def overlapping(self, pointer: int, size: int) -> Block | None:
        """The block that shares memory of the host with a range."""
        every = self.live.values()
        return next((b for b in every if b.pointer < pointer + size and pointer < b.pointer + b.size), None)


BLOCKS = Blocks()


def allocate(size: int, *, name: str | None = None) -> Block:
    """`size` bytes of device memory, zeros, at a multiple of 256; they stay until `free`.

    `name` is what faults call the block, by default its number and the line that allocated it. Raises ArgumentError
    for a size that is no number from 1 on, MemoryError for more than this computer's memory has left.
    """
    size = whole("the size of an allocation", size, 1)
    with MEMORY:
        left = info().free
        if size > left:
            raise MemoryError(f"out of device memory: {size} bytes are asked for, {left} of {total()} are left")
        BLOCKS.count += 1
        name = name or f"block {BLOCKS.count} ({caller()})"
        if size <= LARGEST and BLOCKS.small >= OWN_SLOTS:
            pool = heap_of(device(64)).pool()
            shared = pool.take(name, size)
            if shared is not None:
                return BLOCKS.add(Block(shared, pool.view(shared.base, size), False, False))
        found, data = device(64).place(name, size)
        return BLOCKS.add(Block(found, data, False, True))


def free(block: Block | int) -> None:
    """Frees what `allocate` gave, by its Block or its address. Later accesses by kernels are faults that name it.

    A launch that runs on another thread keeps the memory until its end. Raises ArgumentError for what is not the
    beginning of an allocation, was freed already, or is registered.
    """
    with MEMORY:
        found = block_of(block, "free")
        if found.registered:
            raise ArgumentError(f"{found} is registered: `unregister` takes it back")
        if found.withdrawn:
            restore(found)
        data = found.data
        found.close()
        BLOCKS.drop(found)
        undefined.forget(found.address)
        if found.own_slot:
            device(64).release(found.allocation, data)
        else:
            heap_of(device(64)).pool().give_back(found.address)


def withdraw(block: Block) -> None:
    """Makes accesses to an allocation faults, as after `free`, until `restore`. It keeps its address and its bytes."""
    with MEMORY:
        BLOCKS.drop(block)
        undefined.forget(block.address)
        block.withdrawn = True
        if block.own_slot:
            device(64).withdraw(block.allocation)
        else:
            heap_of(device(64)).pool().withdraw(block.address)


def restore(block: Block) -> None:
    """Makes what was withdrawn device memory again."""
    with MEMORY:
        if block.own_slot:
            block.allocation = device(64).restore(block.allocation, block.data)
        else:
            heap_of(device(64)).pool().restore(block.name, block.address, block.size)
        block.withdrawn = False
        BLOCKS.add(block)


def register(
    pointer: int, size: int, *, owner: object = None, read_only: bool = False, name: str | None = None
) -> Block:
    """Makes `size` bytes of the host at `pointer` device memory, until `unregister`; as `cuMemHostRegister` does.

    `owner` is kept alive as long. With `read_only` kernels that write there fault. The device address is another than
    `pointer`: take it from the Block. Raises ArgumentError for a null pointer, a range that the process has no memory
    in, and one that overlaps with an allocation or a registration.
    """
    pointer = whole("a pointer", pointer, 0)
    size = whole("the size of a registration", size, 1)
    if not pointer:
        raise ArgumentError("the null pointer cannot be registered")
    if pointer + size > 1 << 64 or not is_mapped(pointer, size):
        raise ArgumentError(f"the process has no memory of {in_bytes(size)} at 0x{pointer:x}")
    with MEMORY:
        if other := BLOCKS.overlapping(pointer, size):
            raise ArgumentError(
                f"{in_bytes(size)} at 0x{pointer:x} overlap with {other}, which is device memory already"
            )
        data = np.asarray(Foreign(pointer, size, read_only, owner))
        BLOCKS.count += 1
        name = name or f"registered memory {BLOCKS.count} ({caller()})"
        return BLOCKS.add(Block(device(64).adopt(name, data), data, True, True))


def unregister(block: Block | int) -> None:
    """Ends a registration, by its Block or its device address; as `cuMemHostUnregister` does.

    Raises ArgumentError for what is not registered, or no longer.
    """
    with MEMORY:
        found = block_of(block, "unregister")
        if not found.registered:
            raise ArgumentError(f"{found} was allocated: `free` takes it back")
        data = found.data
        found.close()
        BLOCKS.drop(found)
        device(64).release(found.allocation, data)


def find(address: int) -> Block | None:
    """The block that an address lies in; None for memory that is no block."""
    with MEMORY:
        return BLOCKS.at(whole("an address", address, 0))


def info() -> Info:
    """What is left of device memory: as much as this computer has, less what is allocated."""
    return Info(max(total() - BLOCKS.bytes, 0), total())


class Foreign:
    """Memory that somebody else owns, as NumPy takes it."""

    def __init__(self, pointer: int, size: int, read_only: bool, owner: object) -> None:
        self.owner = owner
        self.__array_interface__ = {"shape": (size,), "typestr": "|u1", "data": (pointer, read_only), "version": 3}


@cache
def total() -> int:
    """The bytes of this computer's memory."""
    names = getattr(os, "sysconf_names", {})
    return os.sysconf(PHYSICAL) * os.sysconf("SC_PAGE_SIZE") if PHYSICAL in names else 1 << 37


def block_of(block: Block | int, action: str) -> Block:
    """The live block that begins at an address; ArgumentError says what is there instead."""
    if isinstance(block, Block):
        if block.live:
            return block
        raise ArgumentError(f"`{action}` of {block}, which has been {block.ended} already")
    address = whole("an address", block, 0)
    if found := BLOCKS.live.get(address):
        return found
    if not address:
        raise ArgumentError(f"`{action}` of the null pointer")
    if known := BLOCKS.freed.get(address):
        raise ArgumentError(f"`{action}` of {known}, which has been {known.ended} already")
    if inside := BLOCKS.at(address):
        into = address - inside.address
        raise ArgumentError(
            f"`{action}` of 0x{address:x}, which lies {in_bytes(into)} into {inside}: give its beginning"
        )
    raise ArgumentError(f"`{action}` of 0x{address:x}, which `openptx.memory` did not give")


def whole(what: str, value: object, least: int) -> int:
    """A whole number, of Python's, NumPy's or of what has an address."""
    try:
        number = index(cast(Any, value))
    except TypeError:
        raise ArgumentError(f"{what} is a whole number, not {value!r}") from None
    if number < least or isinstance(value, bool):
        raise ArgumentError(f"{what} is a whole number from {least} on, not {value!r}")
    return number


def caller() -> str:
    """The line outside of this package that asked, as `train.py:17`."""
    frame = currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("openptx."):
        frame = frame.f_back
    return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}" if frame is not None else "unknown place"
