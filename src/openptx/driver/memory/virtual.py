"""Virtual memory: reserved addresses, and allocated memory that is mapped to parts of them (`cuMemMap`)."""

from __future__ import annotations

import ctypes
import os
import struct

from openptx import memory
from openptx.device.memory import device
from openptx.device.reservations import Part, Physical, Reservation, reserve
from openptx.driver.calls import Failure, counted, initialized, invalid, put, put_int, read, unsupported, write
from openptx.driver.objects import Object, driver
from openptx.driver.results import Result

GRANULARITY = 2 << 20
PROPERTIES, ACCESS = struct.Struct("<4i16x"), struct.Struct("<3i")
"""CUmemAllocationProp: the type, kinds of handles, a place of two numbers. CUmemAccessDesc: a place, and flags."""
PINNED, ON_DEVICE = 1, 1
"""Of CUmemAllocationType and CUmemLocationType."""
FILE_DESCRIPTOR = 1
"""Of CUmemAllocationHandleType: the only kind of handle on Linux without further services."""
FLAGS = {0: "", 1: "r", 3: "rw"}
RESERVATIONS: dict[int, Reservation] = {}
"""Reserved ranges of addresses, by address."""


class Handle(Object):
    """CUmemGenericAllocationHandle: memory, and how often its handle was returned to the program."""

    what, unknown = "memory handle", Result.INVALID_VALUE

    def __init__(self, physical: Physical, properties: bytes) -> None:
        super().__init__()
        self.physical, self.properties, self.count = physical, properties, 1


def whole_pages(what: str, *numbers: int) -> None:
    if any(number % GRANULARITY for number in numbers):
        raise invalid(f"{what} of {', '.join(map(hex, numbers))}: they are multiples of {GRANULARITY}")


def reservation(address: int, size: int) -> Reservation:
    """The reservation that contains a range."""
    for found in RESERVATIONS.values():
        if found.within(address, size):
            return found
    raise invalid(f"{size} bytes at 0x{address:x} were not reserved together")


def parts_of(address: int, size: int) -> tuple[Reservation, list[Part]]:
    """The mappings in a range. Fails if they do not cover exactly the range."""
    found = reservation(address, size)
    parts = found.whole(address, size)
    if not parts:
        raise invalid(f"{size} bytes at 0x{address:x} are not exactly mapped ranges")
    return found, parts


def part_at(address: int) -> Part | None:
    """The mapping at an address."""
    every = (part for found in RESERVATIONS.values() for part in found.overlapping(address, 1))
    return next(every, None)


def require_part_at(address: int) -> Part:
    """The mapping at an address. Fails if there is none."""
    found = part_at(address)
    if found is None:
        raise invalid(f"nothing is mapped at 0x{address:x}")
    return found


@initialized("cuMemGetAllocationGranularity")
def granularity(out: int, properties: int, option: int) -> None:
    require_properties(read(properties, PROPERTIES.size))
    put(out, GRANULARITY)


def require_properties(properties: bytes) -> None:
    """Fails for memory that is not the device's, and for handles of other systems."""
    kind, handles, place, number = PROPERTIES.unpack(properties)
    if kind != PINNED or (place == ON_DEVICE and number):
        raise invalid(f"memory of type {kind} of device {number}")
    if place != ON_DEVICE or handles not in (0, FILE_DESCRIPTOR):
        raise unsupported(f"memory at a place of type {place} with handles of kind {handles}")


@initialized("cuMemAddressReserve")
def reserve_addresses(out: int, size: int, alignment: int, address: int, flags: int) -> None:
    """The address that the program requests is ignored, as CUDA allows."""
    put(out, 0)
    if not size or flags or alignment & (alignment - 1) or alignment > 1 << 32:
        raise invalid(f"{size} bytes of addresses with alignment {alignment} and flags {flags}")
    whole_pages("a size", size)
    found = reserve(device(64), size)
    RESERVATIONS[found.address] = found
    put(out, found.address)


@initialized("cuMemAddressFree")
def free_addresses(address: int, size: int) -> None:
    found = RESERVATIONS.get(address)
    if found is None or found.data.size != size or found.parts:
        raise invalid(f"{size} bytes at 0x{address:x} were not reserved so, or memory is mapped there")
    del RESERVATIONS[address]
    found.release()


@initialized("cuMemCreate")
def create(out: int, size: int, properties: int, flags: int) -> None:
    put(out, 0)
    requested = read(properties, PROPERTIES.size)
    require_properties(requested)
    whole_pages("a size", size)
    if not size or flags:
        raise invalid(f"{size} bytes of memory with flags {flags}")
    if size > memory.info().free:
        raise Failure(Result.OUT_OF_MEMORY, f"{size} bytes of memory, and {memory.info().free} are left")
    put(out, driver().add(Handle(Physical(size), requested)).handle)


@initialized("cuMemRelease")
def release(found: Handle) -> None:
    found.count -= 1
    if not found.count:  # the memory lives as long as it is mapped
        driver().remove(found)


@initialized("cuMemMap")
def map_memory(address: int, size: int, offset: int, found: Handle, flags: int) -> None:
    where = reservation(address, size)
    whole_pages("an address, a size and an offset", address, size, offset)
    if not size or flags or offset + size > found.physical.size or where.overlapping(address, size):
        raise invalid(f"{size} bytes from {offset} on of {found.physical.size} cannot be mapped to 0x{address:x}")
    where.map(Part(address, size, found.physical, offset))


@initialized("cuMemUnmap")
def unmap(address: int, size: int) -> None:
    where, parts = parts_of(address, size)
    where.unmap(parts)


@initialized("cuMemSetAccess")
def set_access(address: int, size: int, descriptions: int, count: int) -> None:
    where, parts = parts_of(address, size)
    for i in counted(count, "places"):
        place, number, flags = ACCESS.unpack(read(descriptions + ACCESS.size * i, ACCESS.size))
        if flags not in FLAGS or (place == ON_DEVICE and number):
            raise invalid(f"access {flags} for device {number}")
        if place == ON_DEVICE:  # the host can access all of it in any case
            for part in parts:
                part.access = FLAGS[flags]
    where.show()


@initialized("cuMemGetAccess")
def get_access(out: int, place: int, address: int) -> None:
    found = require_part_at(address)
    put(out, next(number for number, access in FLAGS.items() if access == found.access))


@initialized("cuMemRetainAllocationHandle")
def retain(out: int, address: int) -> None:
    put(out, 0)
    found = require_part_at(address)
    handle = next((known for known in driver().every(Handle) if known.physical is found.memory), None)
    if handle is None:  # the program has released it
        properties = PROPERTIES.pack(PINNED, 0, ON_DEVICE, 0)
        handle = driver().add(Handle(found.memory, properties))
    else:
        handle.count += 1
    put(out, handle.handle)


@initialized("cuMemGetAllocationPropertiesFromHandle")
def get_properties(out: int, found: Handle) -> None:
    write(out, found.properties)


@initialized("cuMemExportToShareableHandle")
def share(out: int, found: Handle, kind: int, flags: int) -> None:
    """A file descriptor, which another process may map as well."""
    if kind != FILE_DESCRIPTOR:
        raise unsupported(f"a shareable handle of kind {kind}")
    put_int(out, os.dup(found.physical.descriptor))


@initialized("cuMemImportFromShareableHandle")
def take_share(out: int, exported: int, kind: int) -> None:
    put(out, 0)
    if kind != FILE_DESCRIPTOR:
        raise unsupported(f"a shareable handle of kind {kind}")
    try:
        descriptor = os.dup(ctypes.c_int(exported).value)
    except OSError as error:
        raise invalid(f"file descriptor {exported}: {error.strerror}") from None
    physical = Physical(os.fstat(descriptor).st_size, descriptor)
    whole_pages("memory of a file descriptor", physical.size)
    properties = PROPERTIES.pack(PINNED, FILE_DESCRIPTOR, ON_DEVICE, 0)
    put(out, driver().add(Handle(physical, properties)).handle)
