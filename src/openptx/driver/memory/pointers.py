"""Pointer queries: attributes of pointers, and the range that contains one."""

from __future__ import annotations

import ctypes
from weakref import WeakSet

from openptx.device.allocation import Allocation
from openptx.driver.calls import Failure, anytime, counted, get, in_context, invalid, put, put_int, put_size
from openptx.driver.devices.contexts import Context
from openptx.driver.memory.allocations import Ownership
from openptx.driver.memory.ownership import owned_at
from openptx.driver.results import Result

HOST, DEVICE = 1, 2
(CONTEXT, MEMORY_TYPE, DEVICE_POINTER, HOST_POINTER, P2P_TOKENS, SYNC_MEMOPS, BUFFER_ID, IS_MANAGED, DEVICE_ORDINAL,
 LEGACY_IPC, RANGE_START, RANGE_SIZE, MAPPED, HANDLE_TYPES, GPU_DIRECT, ACCESS_FLAGS, POOL) = range(1, 18)  # fmt: skip
WORDS = {MEMORY_TYPE, IS_MANAGED, DEVICE_ORDINAL, LEGACY_IPC, MAPPED, HANDLE_TYPES, GPU_DIRECT, ACCESS_FLAGS,
         SYNC_MEMOPS}  # fmt: skip
"""Attributes of four bytes; the others are pointers and numbers of eight."""
_synchronous = WeakSet[Allocation]()
"""Memory whose operations are to be synchronous, as they are."""
NOTHING = {MEMORY_TYPE: 0, DEVICE_ORDINAL: -2}
"""The result for an address that the driver does not know."""


@in_context("cuMemGetAddressRange_v2")
def address_range(context: Context, base: int, size: int, address: int) -> None:
    found = owned_at(address)
    if found is None:
        raise Failure(Result.NOT_FOUND, f"no allocation at 0x{address:x}", usual=True)
    put_size(base, found.block.address)
    put_size(size, found.size)


def value(address: int, attribute: int, found: Ownership) -> int:
    """The value of a CUpointer_attribute for an address in an allocation; 0 for those that are not known."""
    block, on_host = found.block, found.kind in ("host", "registered")
    into = address - (block.address if block.address <= address < block.address + block.size else block.pointer)
    answers = {
        CONTEXT: found.context.handle if found.context is not None else 0,
        MEMORY_TYPE: HOST if on_host else DEVICE,
        DEVICE_POINTER: block.address + into,
        HOST_POINTER: block.pointer + into if on_host or found.kind == "managed" else 0,
        BUFFER_ID: block.address >> 8,
        IS_MANAGED: int(found.kind == "managed"),
        RANGE_START: block.address,
        RANGE_SIZE: found.size,
        LEGACY_IPC: int(found.kind == "device" and found.pool is None),
        MAPPED: 1,
        ACCESS_FLAGS: 3,
        SYNC_MEMOPS: int(block.allocation in _synchronous),
        POOL: found.pool.handle if found.pool is not None else 0,
    }
    return answers.get(attribute, 0)


def answer(out: int, attribute: int, number: int) -> None:
    if attribute in WORDS:
        put_int(out, number)
    else:
        put(out, number)


@in_context("cuPointerGetAttribute")
def get_attribute(context: Context, out: int, attribute: int, address: int) -> None:
    if not CONTEXT <= attribute <= 22:
        raise invalid(f"pointers have no attribute {attribute}")
    found = owned_at(address)
    if found is None:
        raise invalid(f"0x{address:x} is not a pointer known to the driver", usual=True)
    if attribute == HOST_POINTER and not value(address, attribute, found):
        raise invalid(f"0x{address:x} is not host memory", usual=True)
    answer(out, attribute, value(address, attribute, found))


@anytime("cuPointerGetAttributes")
def get_attributes(count: int, attributes: int, outs: int, address: int) -> None:
    found = owned_at(address)
    for i in counted(count, "attributes"):
        attribute = get(attributes + 4 * i, ctypes.c_int)
        number = NOTHING.get(attribute, 0) if found is None else value(address, attribute, found)
        answer(get(outs + 8 * i), attribute, number)


@in_context("cuPointerSetAttribute")
def set_attribute(context: Context, data: int, attribute: int, address: int) -> None:
    found = owned_at(address)
    if attribute != SYNC_MEMOPS or found is None:
        raise invalid(f"attribute {attribute} of 0x{address:x} cannot be set")
    if get(data, ctypes.c_int):
        _synchronous.add(found.block.allocation)
    else:
        _synchronous.discard(found.block.allocation)
