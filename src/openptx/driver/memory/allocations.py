"""Device memory that programs allocate, host memory that kernels may use, managed memory, by `openptx.memory`.

An allocation has the same address on the host. Registered host memory has a different one for kernels.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from typing import NamedTuple

from openptx import memory
from openptx.driver.calls import Failure, in_context, invalid, put, require_flags
from openptx.driver.devices.contexts import AT_END, Context
from openptx.driver.objects import Object
from openptx.driver.results import Result
from openptx.errors import ArgumentError
from openptx.memory import Block

SANITIZE = "OPENPTX_SANITIZE"
"""The environment variable with the tools that watch each launch: `openptx exec --sanitize` sets it."""
UNIT = 16
"""Bytes of the largest load of a thread on most devices."""
PORTABLE, DEVICE_MAP, WRITE_COMBINED = 1, 2, 4
"""Flags of host memory (CU_MEMHOSTALLOC_*), which change nothing here."""
PITCH = 512
"""The pitch of pitched memory is a multiple of this."""
REGISTER_FLAGS = 0xF
"""All of CU_MEMHOSTREGISTER_*."""


class Ownership(NamedTuple):
    """The kind of an allocation: "device", "host", "managed" or "registered"; `pool` is the pool it belongs to.

    A module's variable is "device" or "managed" memory; one of a library belongs to no context. `requested` is
    the number of bytes that the program asked for, 0 for the size of the block.
    """

    block: Block
    kind: str
    flags: int
    context: Context | None
    pool: Object | None
    requested: int = 0

    @property
    def size(self) -> int:
        """The size in bytes that the program requested."""
        return self.requested or self.block.size


OWNED: dict[int, Ownership] = {}
"""Allocations, by device address."""
FOREIGN: dict[int, tuple[Context, Callable[[], None]]] = {}
"""Memory of other processes that is freed like our own: its context, and how to release it."""
RELEASES: list[Callable[[int], bool]] = []
"""Functions that free memory of other kinds, by its address. Each returns whether the memory is of its kind."""
AT_OBTAIN: list[Callable[[], None]] = []
"""Functions that run before an allocation is made."""
AT_FREE: list[Callable[[int], None]] = []
"""Functions that run when an allocation is freed, with its address."""
REGISTERED: dict[int, int] = {}
"""Device addresses of registered memory, by host address."""


def registered_at(address: int, size: int = 1) -> tuple[int, Ownership] | None:
    """The registered memory that contains bytes, given by the host's address: its beginning there, and its owner."""
    for host, registered in REGISTERED.items():
        if host <= address and address + size <= host + OWNED[registered].block.size:
            return host, OWNED[registered]
    return None


def follows_undefined_bits() -> bool:
    """Whether launches are watched for reads of unwritten values."""
    tools = os.environ.get(SANITIZE, "").split(",")
    return "all" in tools or "init" in tools


def accessible(size: int) -> int:
    """The bytes of an allocation that kernels may access.

    NVIDIA's compiler (13.5) loads the last 12 bytes of an array as 16 if it knows their alignment, so device memory is
    allocated in larger units. If launches are watched, each access beyond the requested size is a fault.
    """
    return size if os.environ.get(SANITIZE) else -(-size // UNIT) * UNIT


def obtain(
    context: Context, out: int, size: int, kind: str = "device", flags: int = 0, pool: Object | None = None
) -> None:
    """Writes the address of a new allocation, which ends with the context. Fails for zero bytes and for too many."""
    if not out or not size:
        raise invalid("an allocation of 0 bytes" if out else "the pointer to the address is null")
    for settle in AT_OBTAIN:
        settle()
    block = memory.allocate(accessible(size))
    if kind == "device" and follows_undefined_bits():
        block.undefine()  # other memory is also the host's, which may write it at any time
    OWNED[block.address] = Ownership(block, kind, flags, context, pool, size)
    put(out, block.address)


def give_back(address: int, *kinds: str) -> None:
    """Frees an allocation of some kind. Freeing the null pointer has no effect. Fails for the address of other
    memory."""
    if not address:
        return
    found = OWNED.get(address)
    if found is None and address in FOREIGN and "device" in kinds:
        FOREIGN.pop(address)[1]()
        return
    if found is None:
        try:
            memory.free(address)  # raises, with the reason
        except ArgumentError as error:
            raise invalid(str(error)) from None
        raise invalid(f"0x{address:x} is other memory")
    if found.kind not in kinds:
        raise invalid(f"0x{address:x} is {found.kind} memory")
    if any(release(address) for release in RELEASES):
        return
    del OWNED[address]
    free_block(found.block)


def free_block(block: Block) -> None:
    for end in AT_FREE:
        end(block.address)
    memory.free(block)


def end_all(context: Context) -> None:
    """Frees the allocations of a context."""
    for address, owned in [*OWNED.items()]:
        if owned.context is context:
            del OWNED[address]
            if owned.kind == "registered":
                REGISTERED.pop(owned.block.pointer, None)
                memory.unregister(owned.block)
            else:
                free_block(owned.block)


AT_END.append(end_all)


@in_context("cuMemAlloc_v2")
def allocate(context: Context, out: int, size: int) -> None:
    obtain(context, out, size)


@in_context("cuMemFree_v2")
def free(context: Context, address: int) -> None:
    give_back(address, "device", "managed")


@in_context("cuMemAllocPitch_v2")
def allocate_pitched(context: Context, out: int, pitch: int, width: int, height: int, element: int) -> None:
    if element not in (4, 8, 16) or not width or not height:
        raise invalid(f"pitched memory of {width} x {height} with elements of {element} bytes")
    between = -(-width // PITCH) * PITCH
    if between >= 1 << 64:
        raise invalid(f"pitched memory with rows of {width} bytes")
    put(pitch, between)
    obtain(context, out, between * height)


@in_context("cuMemAllocManaged")
def allocate_managed(context: Context, out: int, size: int, flags: int) -> None:
    if flags not in (1, 2, 4):
        raise invalid(f"flags {flags} of managed memory")
    obtain(context, out, size, "managed", flags)


@in_context("cuMemAllocHost_v2")
def allocate_host(context: Context, out: int, size: int) -> None:
    obtain(context, out, size, "host")


@in_context("cuMemHostAlloc")
def host_alloc(context: Context, out: int, size: int, flags: int) -> None:
    require_flags(flags, PORTABLE | DEVICE_MAP | WRITE_COMBINED, "host memory")
    obtain(context, out, size, "host", flags)


@in_context("cuMemFreeHost")
def free_host(context: Context, address: int) -> None:
    if address:
        give_back(address, "host")


@in_context("cuMemHostGetDevicePointer_v2")
def device_pointer(context: Context, out: int, pointer: int, flags: int) -> None:
    put(out, 0)
    require_flags(flags, 0, "a device pointer, which has none")
    if memory.find(pointer) is not None:
        put(out, pointer)
    elif (found := registered_at(pointer)) is not None:
        put(out, found[1].block.address + pointer - found[0])
    else:
        raise invalid(f"0x{pointer:x} is not host memory that the driver allocated or registered")


@in_context("cuMemHostGetFlags")
def host_flags(context: Context, out: int, pointer: int) -> None:
    found = OWNED.get(REGISTERED.get(pointer, pointer))
    if found is None or found.kind not in ("host", "registered"):
        raise invalid(f"0x{pointer:x} is not host memory that the driver allocated or registered")
    put(out, found.flags, ctypes.c_uint32)


@in_context("cuMemHostRegister", "cuMemHostRegister_v2")
def register(context: Context, pointer: int, size: int, flags: int) -> None:
    if not pointer or not size:
        raise invalid("host memory of no bytes, or at the null pointer")
    require_flags(flags, REGISTER_FLAGS, "registered host memory")
    for address in REGISTERED.values():
        block = OWNED[address].block
        if block.pointer < pointer + size and pointer < block.pointer + block.size:
            raise Failure(Result.HOST_MEMORY_ALREADY_REGISTERED, f"{size} bytes at 0x{pointer:x} overlap with {block}")
    made = memory.register(pointer, size)
    OWNED[made.address] = Ownership(made, "registered", flags, context, None)
    REGISTERED[pointer] = made.address


@in_context("cuMemHostUnregister")
def unregister(context: Context, pointer: int) -> None:
    if not pointer:
        raise invalid("host memory at the null pointer")
    if pointer not in REGISTERED:
        raise Failure(Result.HOST_MEMORY_NOT_REGISTERED, f"nothing is registered that begins at 0x{pointer:x}")
    memory.unregister(OWNED.pop(REGISTERED.pop(pointer)).block)


@in_context("cuMemGetInfo_v2")
def get_info(context: Context, free: int, total: int) -> None:
    found = memory.info()
    for out, number in ((free, found.free), (total, found.total)):
        if out:
            put(out, number)
