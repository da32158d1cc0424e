"""Allocations that the host makes and frees, and registered host memory."""

from __future__ import annotations

import os
from bisect import bisect_right, insort
from inspect import currentframe
from operator import index
from types import TracebackType
from typing import Any, NamedTuple, Self, cast

import numpy as np
from numpy.typing import DTypeLike

from openptx.array_types import Array
from openptx.device import undefined
from openptx.device.allocation import Allocation, Bytes, in_bytes
from openptx.device.mapping import is_mapped
from openptx.device.memory import REMEMBERED, device
from openptx.device.pool import LARGEST
from openptx.errors import ArgumentError, require_flags
from openptx.locks import MEMORY
from openptx.memory.capacity import offered, total

OWN_SLOTS = 1024
"""The number of small allocations with a slot of their own, where accesses are checked fastest; others share one."""


class Info(NamedTuple):
    """Bytes of device memory: available and total, as for `cuMemGetInfo`."""

    free: int
    total: int


class Block:
    """An allocation, or registered host memory: `size` bytes at the device address `address`.

    Kernels accept it as a pointer, and so do libraries that read `__cuda_array_interface__`; `int(block)` is its
    address. `pointer` is the host address: the same for an allocation. A `with` statement frees it.
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
        """The function that releases it, as named in messages."""
        return "unregistered" if self.registered else "freed"

    @property
    def data(self) -> Bytes:
        """The bytes on the host. Raises ArgumentError for memory that has been freed."""
        if self._data is None:
            raise ArgumentError(f"{self} has been {self.ended}")
        return self._data

    def array(self, dtype: DTypeLike = np.uint8, shape: int | tuple[int, ...] | None = None) -> Array:
        """The memory as an array of the host, which shares it; by default with one axis that covers it.

        Raises ArgumentError for memory that has been freed and for more elements than fit.
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
        """Makes the sanitizer treat all bytes as undefined until a kernel, or a function of this package, has written
        them."""
        if self.own_slot:  # a shared slot has one table for all its blocks
            undefined.undefine(self.address, self.size)

    def close(self) -> None:
        """Forgets the block. Called by `free` and `unregister`, which do the rest."""
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
        """The block that overlaps a range of host memory."""
        every = self.live.values()
        return next((b for b in every if b.pointer < pointer + size and pointer < b.pointer + b.size), None)


BLOCKS = Blocks()


def allocate(size: int, *, name: str | None = None) -> Block:
    """`size` bytes of zeroed device memory at a multiple of 256, until `free`.

    `name` is the block's name in faults, by default its number and the line that allocated it. Raises ArgumentError for
    a size that is not an integer from 1 on, MemoryError if this computer's memory is not sufficient.
    """
    size = whole("the size of an allocation", size, 1)
    require_name(name)
    with MEMORY:
        left = total() - BLOCKS.bytes
        if size > left:
            raise MemoryError(f"out of device memory: {size} bytes are asked for, {left} of {total()} are left")
        BLOCKS.count += 1
        name = name or f"block {BLOCKS.count}{caller()}"
        if size <= LARGEST and BLOCKS.small >= OWN_SLOTS:
            pool = device(64).device_heap().pool()
            shared = pool.take(name, size)
            if shared is not None:
                return BLOCKS.add(Block(shared, pool.view(shared.base, size), False, False))
        found, data = device(64).place(name, size)
        return BLOCKS.add(Block(found, data, False, True))


def free(block: Block | int) -> None:
    """Frees an allocation of `allocate`, by its Block or its address. Later accesses by kernels are faults that name
    it.

    A launch that runs on another thread keeps the memory until its end. Raises ArgumentError if it is not the start of
    an allocation, was freed already, or is registered memory.
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
            device(64).device_heap().pool().give_back(found.address)


def withdraw(block: Block) -> None:
    """Makes accesses to an allocation fault, as after `free`, until `restore`. It keeps its address and its bytes."""
    with MEMORY:
        BLOCKS.drop(block)
        undefined.forget(block.address)
        block.withdrawn = True
        if block.own_slot:
            device(64).withdraw(block.allocation)
        else:
            device(64).device_heap().pool().withdraw(block.address)


def restore(block: Block) -> None:
    """Makes a withdrawn allocation device memory again."""
    with MEMORY:
        if block.own_slot:
            block.allocation = device(64).restore(block.allocation, block.data)
        else:
            device(64).device_heap().pool().restore(block.name, block.address, block.size)
        block.withdrawn = False
        BLOCKS.add(block)


def register(
    pointer: int, size: int, *, owner: object = None, read_only: bool = False, name: str | None = None
) -> Block:
    """Makes `size` bytes of the host at `pointer` device memory, until `unregister`; like `cuMemHostRegister`.

    `owner` is kept alive until then. With `read_only`, writes by kernels fault. The device address differs from
    `pointer`: take it from the Block. Raises ArgumentError for a null pointer, a range that is not mapped in this
    process, and one that overlaps with an allocation or a registration.
    """
    pointer = whole("a pointer", pointer, 0)
    size = whole("the size of a registration", size, 1)
    require_name(name)
    require_flags(read_only=read_only)
    if not pointer:
        raise ArgumentError("the null pointer cannot be registered")
    if pointer + size > 1 << 64 or not is_mapped(pointer, size):
        raise ArgumentError(f"the process has no memory of {in_bytes(size)} at 0x{pointer:x}")
    with MEMORY:
        if other := BLOCKS.overlapping(pointer, size):
            raise ArgumentError(
                f"{in_bytes(size)} at 0x{pointer:x} overlap with {other}, which is device memory already"
            )
        data = np.asarray(Foreign(pointer, size, bool(read_only), owner))
        BLOCKS.count += 1
        name = name or f"registered memory {BLOCKS.count}{caller()}"
        return BLOCKS.add(Block(device(64).adopt(name, data), data, True, True))


def unregister(block: Block | int) -> None:
    """Ends a registration, by its Block or its device address; like `cuMemHostUnregister`.

    Raises ArgumentError if it is not, or no longer, registered.
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
    """The block that contains an address; None for memory that is not a block."""
    with MEMORY:
        return BLOCKS.at(whole("an address", address, 0))


def info() -> Info:
    """The available device memory: half of what this computer had available at the first call, minus allocations.

    `allocate` fails only beyond all of the computer's memory.
    """
    return Info(max(offered() - BLOCKS.bytes, 0), total())


def require_name(name: object) -> None:
    """Raises ArgumentError for a name that faults could not print."""
    if name is not None and not isinstance(name, str):
        raise ArgumentError(f"the name of an allocation is a string, not {name!r}")


class Foreign:
    """Memory with another owner, in a form that NumPy accepts."""

    def __init__(self, pointer: int, size: int, read_only: bool, owner: object) -> None:
        self.owner = owner
        self.__array_interface__ = {"shape": (size,), "typestr": "|u1", "data": (pointer, read_only), "version": 3}


def block_of(block: Block | int, action: str) -> Block:
    """The live block that begins at an address; the ArgumentError says what is there instead."""
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
    """An integer: of Python, of NumPy, or the address of an object that has one. Raises ArgumentError for another
    object, and below `least`."""
    try:
        number = index(cast(Any, value))
    except TypeError:
        raise ArgumentError(f"{what} is a whole number, not {value!r}") from None
    if number < least or isinstance(value, bool):
        raise ArgumentError(f"{what} is a whole number from {least} on, not {value!r}")
    return number


def caller() -> str:
    """The calling line outside this package, as ` (train.py:17)`; empty for a program that is not Python's."""
    frame = currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("openptx."):
        frame = frame.f_back
    return f" ({os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno})" if frame is not None else ""
