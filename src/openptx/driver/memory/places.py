"""Resolves addresses that programs pass: device memory is checked, host memory belongs to the program."""

from __future__ import annotations

from openptx import memory
from openptx.device import undefined
from openptx.device.allocation import in_bytes
from openptx.device.mapping import is_mapped
from openptx.device.memory import device
from openptx.driver.calls import invalid
from openptx.driver.memory.allocations import REGISTERED, registered_at
from openptx.memory.transfers import span_of

WRITE = "write"
"""The action that marks memory as defined for the sanitizer."""


def of_device(address: int, size: int, action: str) -> int:
    """The host address of bytes of device memory. Fails unless all of them are in one allocation."""
    block = memory.find(address)
    if block is not None:
        into = address - block.address
        if into + size <= block.size:
            if action == WRITE:
                undefined.define(block.address, into, size)
            return block.pointer + into
    elif address in REGISTERED or (found := span_of(address)) is None:
        found = None
        if registered_at(address, size) is not None:
            return address
    elif address + size <= found.base + found.data.size:
        if action == WRITE and not found.data.flags.writeable:
            raise invalid(f"{action} of {in_bytes(size)} at 0x{address:x}, which is mapped for reading only")
        return found.data.ctypes.data + address - found.base
    if not size:
        return 0
    if is_mapped(address, size):
        raise invalid(f"{action} of {in_bytes(size)} at 0x{address:x}, which is memory of the host, not of the device")
    nearest = device(64).map().nearest(address, size)
    raise invalid(f"{action} of {in_bytes(size)} at 0x{address:x} outside of device memory; nearest: {nearest}")


def of_host(address: int, size: int, action: str) -> int:
    """The host address of bytes that the host can access, including device memory. Fails if the process has no memory
    there."""
    block = memory.find(address)
    if block is not None or (size and not is_mapped(address, size)):
        return of_device(address, size, action)
    if size and not address:
        raise invalid(f"{action} of {in_bytes(size)} at the null pointer")
    return address


def is_of_device(address: int) -> bool:
    """Whether device memory or a variable of a module is there."""
    return memory.find(address) is not None or span_of(address) is not None


def of_either(address: int, size: int, action: str) -> int:
    """The host address of bytes of device or host memory, in the unified address space."""
    if is_of_device(address):
        return of_device(address, size, action)
    return of_host(address, size, action)
