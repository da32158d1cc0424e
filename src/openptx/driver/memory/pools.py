"""Memory pools, and stream-ordered allocations; the order is that of the calls."""

from __future__ import annotations

import ctypes
import struct
from typing import ClassVar

from openptx.driver.calls import Failure, counted, get, in_context, initialized, invalid, put, put_int, read
from openptx.driver.devices.contexts import Context
from openptx.driver.devices.device import require_device
from openptx.driver.graphs.allocations import GraphMemory, graph_memory, surrender
from openptx.driver.memory.allocations import OWNED, give_back, obtain
from openptx.driver.memory.virtual import FILE_DESCRIPTOR, ON_DEVICE, PINNED
from openptx.driver.objects import Object, driver
from openptx.driver.results import Result
from openptx.driver.streams.objects import Stream

THRESHOLD, RESERVED, RESERVED_HIGH, USED, USED_HIGH = 4, 5, 6, 7, 8
READ_WRITE = 3
PROPERTIES = struct.Struct("<4i8xQ")
"""CUmemPoolProps: the allocation type, the kinds of handles for other processes, a place of two numbers, the size."""
MANAGED = 2
PLACES = range(1, 5)
"""CUmemLocationType: the device, the host, one of its nodes, and the node of the thread."""
DESCRIPTION = struct.Struct("<4i88xQQ")
"""CUDA_MEM_ALLOC_NODE_PARAMS: properties of a pool, access of other devices, the size and the address."""


class Pool(Object):
    """Attributes of CUmemPool_attribute are stored; memory is released at once."""

    what, unknown = "memory pool", Result.INVALID_VALUE

    def __init__(
        self, kind: str, default: bool = False, handles: int = 0, origin: tuple[int, int] | None = None
    ) -> None:
        """`kind` is that of its allocations, "device", "host" or "managed"; `handles` are those by which other
        processes share it, and `origin` the process of an imported one, with its handle there."""
        super().__init__()
        self.handles, self.origin = handles, origin
        self.kind, self.default, self.access = kind, default, READ_WRITE
        self.attributes = {1: 1, 2: 1, 3: 1, THRESHOLD: 0}
        self.high = 0
        self.most: int | None = None
        """The size in bytes that the program limits it to."""

    @property
    def used(self) -> int:
        """Bytes that are allocated."""
        return sum(owned.size for owned in OWNED.values() if owned.pool is self)


class Pools:
    """The device's current pool if the program has set one, other current pools, and the default ones by kind."""

    chosen: Pool | None = None
    others: ClassVar[dict[str, Pool]] = {}
    defaults: ClassVar[dict[str, Pool]] = {}


def default_pool(kind: str = "device") -> Pool:
    if kind not in Pools.defaults:
        Pools.defaults[kind] = driver().add(Pool(kind, True))
    return Pools.defaults[kind]


def kind_of(allocation: int, place: int) -> str:
    """The kind of memory that a CUmemAllocationType and a CUmemLocationType name."""
    if allocation == MANAGED:
        return "managed"
    return "device" if place == ON_DEVICE else "host"


@initialized("cuDeviceGetDefaultMemPool")
def get_default(out: int, device: int) -> None:
    require_device(device)
    put(out, default_pool().handle)


@initialized("cuDeviceGetMemPool")
def get_pool(out: int, device: int) -> None:
    require_device(device)
    put(out, (Pools.chosen or default_pool()).handle)


@initialized("cuDeviceSetMemPool")
def set_pool(device: int, pool: Pool) -> None:
    require_device(device)
    Pools.chosen = require_own(pool)


@initialized("cuMemSetMemPool")
def set_pool_of_place(place: int, allocation: int, pool: Pool) -> None:
    found = require_own(pool)
    if found.kind != kind_of(allocation, get(place, ctypes.c_int)):
        raise invalid(f"a pool of {found.kind} memory for another kind")
    if found.kind == "device":
        Pools.chosen = found
    else:
        Pools.others[found.kind] = found


def require_own(pool: Pool) -> Pool:
    """Fails for a pool of another process, which cannot allocate here."""
    if pool.origin is not None:
        raise invalid("a pool of another process allocates nothing in this one")
    return pool


@initialized("cuMemGetDefaultMemPool")
def get_pool_of_place(out: int, place: int, allocation: int) -> None:
    put(out, default_pool(kind_of(allocation, get(place, ctypes.c_int))).handle)


@initialized("cuMemGetMemPool")
def get_current_of_place(out: int, place: int, allocation: int) -> None:
    kind = kind_of(allocation, get(place, ctypes.c_int))
    chosen = Pools.chosen if kind == "device" else Pools.others.get(kind)
    put(out, (chosen or default_pool(kind)).handle)


@initialized("cuMemPoolCreate")
def create(out: int, properties: int) -> None:
    put(out, 0)
    allocation, handles, place, number, most = PROPERTIES.unpack(read(properties, PROPERTIES.size))
    if allocation not in (PINNED, MANAGED) or (allocation == PINNED and place not in PLACES):
        raise invalid(f"a pool of memory of type {allocation} at a place of type {place}")
    if place == ON_DEVICE and number:
        raise invalid(f"a pool on device {number}")
    if handles not in (0, FILE_DESCRIPTOR):
        raise invalid(f"a pool that other processes may share, by handles of kind {handles}")
    made = driver().add(Pool(kind_of(allocation, place), handles=handles))
    made.most = most or None
    put(out, made.handle)


@initialized("cuMemPoolDestroy")
def destroy(pool: Pool) -> None:
    if pool.default:
        raise invalid("the default pool cannot be destroyed")
    if Pools.chosen is pool:
        Pools.chosen = None
    if Pools.others.get(pool.kind) is pool:
        del Pools.others[pool.kind]
    driver().remove(pool)


@initialized("cuMemPoolSetAttribute")
def set_attribute(pool: Pool, attribute: int, value: int) -> None:
    if attribute in (RESERVED_HIGH, USED_HIGH):
        if get(value):
            raise invalid("the highest use of a pool is only set to 0")
        pool.high = 0
    elif attribute in pool.attributes:
        pool.attributes[attribute] = get(value, ctypes.c_uint64 if attribute == THRESHOLD else ctypes.c_int)
    else:
        raise invalid(f"attribute {attribute} of a pool cannot be set")


@initialized("cuMemPoolGetAttribute")
def get_attribute(pool: Pool, attribute: int, out: int) -> None:
    if attribute in (RESERVED, USED):
        put(out, pool.used)
    elif attribute in (RESERVED_HIGH, USED_HIGH):
        put(out, max(pool.high, pool.used))
    elif attribute == THRESHOLD:
        put(out, pool.attributes[attribute])
    elif attribute in pool.attributes:
        put_int(out, pool.attributes[attribute])
    else:
        raise invalid(f"pools have no attribute {attribute}")


@initialized("cuMemPoolTrimTo")
def trim(pool: Pool, keep: int) -> None:
    """Does nothing: memory is released at once."""


@initialized("cuMemPoolSetAccess")
def set_access(pool: Pool, descriptors: int, count: int) -> None:
    for i in counted(count, "places"):
        place, number, access = (get(descriptors + 12 * i + 4 * k, ctypes.c_int) for k in range(3))
        if place not in PLACES or access not in (0, 1, 3):
            raise invalid(f"access {access} of a place of type {place}")
        if place == ON_DEVICE and (number or (pool.kind == "device" and not access)):
            raise Failure(Result.INVALID_DEVICE, f"access {access} of device {number}")
        pool.access = access


@initialized("cuMemPoolGetAccess")
def get_access(out: int, pool: Pool, place: int) -> None:
    put_int(out, pool.access)


@in_context("cuMemAllocAsync")
def allocate(context: Context, out: int, size: int, stream: Stream) -> None:
    allocate_from(context, out, size, Pools.chosen or default_pool(), stream)


@in_context("cuMemAllocFromPoolAsync")
def allocate_from(context: Context, out: int, size: int, pool: Pool, stream: Stream) -> None:
    require_own(pool)
    if pool.most is not None and pool.used + size > pool.most:
        raise Failure(Result.OUT_OF_MEMORY, f"{size} bytes of a pool with {pool.used} of at most {pool.most} in use")
    if size:
        obtain(context, out, size, pool.kind, pool=pool)
    else:
        put(out, 0)  # zero bytes are not an error here, as cuda.core's tests show
    pool.high = max(pool.high, pool.used)
    if stream.capture is not None:
        node = stream.capture.add(stream, "allocation", GraphMemory(get(out)).allocate, ())
        node.address = get(out)
        node.description = DESCRIPTION.pack(PINNED, 0, ON_DEVICE, 0, size, node.address)


@in_context("cuMemFreeAsync")
def free(context: Context, address: int, stream: Stream) -> None:
    if stream.capture is not None:
        freed = graph_memory(address)
        if freed is None:
            raise invalid(f"a capture frees 0x{address:x}, which no node of a graph allocates")
        stream.capture.add(stream, "free", freed.free, ()).address = address
    elif (freed := surrender(address)) is not None:
        stream.queue.run(freed.free)
    else:
        stream.queue.run(give_back, address, "device", "managed", "host")
