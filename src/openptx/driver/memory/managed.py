"""Managed memory: advice and prefetches are stored, and have no effect, because host and device share all memory.

Advice on a part of an allocation applies to all of it.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import NamedTuple
from weakref import WeakKeyDictionary

from openptx.device.allocation import Allocation
from openptx.driver.calls import Failure, counted, get, in_context, invalid, put_int
from openptx.driver.devices.contexts import Context
from openptx.driver.memory.ownership import owned_at
from openptx.driver.results import Result
from openptx.driver.streams.objects import Stream

READ_MOSTLY, PREFERRED, ACCESSED_BY = 1, 3, 5
"""Values of CUmem_advise that set advice; the next number unsets it."""
ATTACH_GLOBAL, ATTACH_HOST, ATTACH_SINGLE = 1, 2, 4
"""CUmemAttach_flags."""
CPU, NOWHERE = -1, -2
"""CU_DEVICE_CPU, CU_DEVICE_INVALID."""
INVALID, DEVICE, HOST, HOST_NUMA, HOST_NUMA_CURRENT = range(5)


class Place(NamedTuple):
    """CUmemLocation."""

    kind: int
    number: int

    @classmethod
    def of_device(cls, number: int) -> Place:
        """The place of a device, as older functions name it."""
        return cls(HOST, 0) if number == CPU else cls(DEVICE, number)

    @classmethod
    def of_word(cls, word: int) -> Place:
        """The place in a word, as newer functions pass it by value."""
        return cls(word & 0xFFFFFFFF, ctypes.c_int32(word >> 32).value)

    @property
    def device(self) -> int:
        if self.kind == DEVICE:
            return self.number
        return NOWHERE if self.kind == INVALID else CPU


UNKNOWN = Place(INVALID, 0)


@dataclass(slots=True)
class Advice:
    """The advice on an allocation."""

    read_mostly: bool = False
    preferred: Place = UNKNOWN
    prefetched: Place = UNKNOWN
    accessed_by: list[int] = field(default_factory=list[int])


_advice: WeakKeyDictionary[Allocation, Advice] = WeakKeyDictionary()
"""By the device's allocation, which ends with the memory: a module's variable is not freed by itself."""


def managed_at(address: int, size: int) -> Advice:
    """The attributes of managed memory. Fails if the range is empty, or not entirely managed memory."""
    found = owned_at(address)
    if not size or found is None or found.kind != "managed" or address + size > found.block.address + found.block.size:
        raise invalid(f"{size} bytes at 0x{address:x} are not managed memory")
    return _advice.setdefault(found.block.allocation, Advice())


def require_place(place: Place) -> None:
    known = place.kind in (HOST, HOST_NUMA_CURRENT) or (place.kind in (DEVICE, HOST_NUMA) and place.number == 0)
    if not known:
        raise Failure(Result.INVALID_DEVICE, f"no place of type {place.kind} with number {place.number}")


@in_context("cuMemAdvise")
def advise(context: Context, address: int, size: int, advice: int, device: int) -> None:
    change(address, size, advice, Place.of_device(device))


@in_context("cuMemAdvise_v2")
def advise_v2(context: Context, address: int, size: int, advice: int, place: int) -> None:
    change(address, size, advice, Place.of_word(place))


def change(address: int, size: int, advice: int, place: Place) -> None:
    """Follows or withdraws advice about managed memory (CUmem_advise). Fails for other advice."""
    found = managed_at(address, size)
    if advice in (READ_MOSTLY, READ_MOSTLY + 1):
        found.read_mostly = advice == READ_MOSTLY
    elif advice == PREFERRED:
        require_place(place)
        found.preferred = place
    elif advice == PREFERRED + 1:
        found.preferred = UNKNOWN
    elif advice in (ACCESSED_BY, ACCESSED_BY + 1):
        require_place(place)
        found.accessed_by = [device for device in found.accessed_by if device != place.device]
        found.accessed_by += [place.device] if advice == ACCESSED_BY else []
    else:
        raise invalid(f"advice {advice} on managed memory")


@in_context("cuMemPrefetchAsync")
def prefetch(context: Context, address: int, size: int, device: int, stream: Stream) -> None:
    move(address, size, Place.of_device(device))


@in_context("cuMemPrefetchAsync_v2")
def prefetch_to(context: Context, address: int, size: int, place: int, flags: int, stream: Stream) -> None:
    move(address, size, Place.of_word(place))


def move(address: int, size: int, place: Place) -> None:
    require_place(place)
    managed_at(address, size).prefetched = place


@in_context("cuMemPrefetchBatchAsync", "cuMemDiscardAndPrefetchBatchAsync")
def prefetch_batch(
    context: Context, addresses: int, sizes: int, count: int, places: int, firsts: int, kinds: int, flags: int,
    stream: int,
) -> None:  # fmt: skip
    """Each location applies to the ranges from its first one up to that of the next location."""
    starts = [get(firsts + 8 * i) for i in counted(kinds, "places")]
    if flags or not count or starts[:1] != [0] or sorted({*starts}) != starts or starts[-1] >= count:
        raise invalid(f"{count} prefetches to places from {starts} on, with flags {flags}")
    for i in counted(count, "ranges"):
        number = max(k for k, start in enumerate(starts) if start <= i)
        move(get(addresses + 8 * i), get(sizes + 8 * i), Place.of_word(get(places + 8 * number)))


@in_context("cuMemDiscardBatchAsync")
def discard_batch(context: Context, addresses: int, sizes: int, count: int, flags: int, stream: int) -> None:
    """The content of the memory is undefined afterwards, and may be unchanged."""
    if flags or not count:
        raise invalid(f"{count} ranges are discarded, with flags {flags}")
    for i in counted(count, "ranges"):
        managed_at(get(addresses + 8 * i), get(sizes + 8 * i))


@in_context("cuStreamAttachMemAsync")
def attach(context: Context, stream: Stream, address: int, length: int, flags: int) -> None:
    """Does nothing: every stream may access managed memory. A length of 0 is all of an allocation."""
    managed_at(address, length or 1)
    found = owned_at(address)
    if length and found is not None and length < found.size:
        raise invalid(f"{length} bytes are a part of the {found.size} of an allocation")
    if flags not in (ATTACH_GLOBAL, ATTACH_HOST, ATTACH_SINGLE):
        raise invalid(f"flags {flags} of managed memory that belongs to a stream")


@in_context("cuMemRangeGetAttribute")
def range_attribute(context: Context, out: int, size: int, attribute: int, address: int, count: int) -> None:
    found = managed_at(address, count)
    if attribute == 3:  # all devices that access it, and NOWHERE in the rest of the array
        if not size or size % 4:
            raise invalid(f"a list of devices in {size} bytes")
        room = counted(size // 4, "devices")
        devices = [*found.accessed_by, *[NOWHERE] * len(room)]
        for i in room:
            put_int(out + 4 * i, devices[i])
        return
    values = {
        1: int(found.read_mostly), 2: found.preferred.device, 4: found.prefetched.device,
        5: found.preferred.kind, 6: found.preferred.number, 7: found.prefetched.kind, 8: found.prefetched.number,
    }  # fmt: skip
    if attribute not in values or size != 4:
        raise invalid(f"attribute {attribute} of a range, in {size} bytes")
    put_int(out, values[attribute])


@in_context("cuMemRangeGetAttributes")
def range_attributes(
    context: Context, outs: int, sizes: int, attributes: int, number: int, address: int, count: int
) -> None:
    for i in counted(number, "attributes"):
        attribute = get(attributes + 4 * i, ctypes.c_int)
        range_attribute(context, get(outs + 8 * i), get(sizes + 8 * i), attribute, address, count)
