"""Links of the device to the host and to other devices, and limits with their own query functions."""

from __future__ import annotations

import ctypes

from openptx.driver.calls import Failure, counted, get, initialized, invalid, put, put_int
from openptx.driver.devices.attributes import attributes
from openptx.driver.devices.device import require_device
from openptx.driver.objects import driver
from openptx.driver.results import Result
from openptx.driver.textures.arrays import known_format

ATOMIC_OPERATIONS = range(13)
"""CUatomicOperation."""
TEXTURE_WIDTH = 69
PROPERTIES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14)
"""The attributes in a CUdevprop."""


@initialized("cuDeviceGetP2PAttribute")
def peer_attribute(out: int, attribute: int, device: int, peer: int) -> None:
    """There is one device, which is not its own peer."""
    require_device(device)
    require_device(peer)
    put(out, 0, ctypes.c_int32)
    raise Failure(Result.INVALID_DEVICE, f"device {peer} is not a peer of device {device}")


@initialized("cuDeviceGetHostAtomicCapabilities")
def host_atomics(out: int, operations: int, count: int, device: int) -> None:
    """None across the bus, as attribute 86 (HOST_NATIVE_ATOMIC_SUPPORTED) says."""
    require_device(device)
    if not count:
        raise invalid("no operations are queried")
    for i in counted(count, "operations"):
        number = get(operations + 4 * i, ctypes.c_int)
        if number not in ATOMIC_OPERATIONS:
            raise invalid(f"atomic operation {number}")
        put(out + 4 * i, 0, ctypes.c_uint32)


@initialized("cuDeviceGetP2PAtomicCapabilities")
def peer_atomics(out: int, operations: int, count: int, device: int, peer: int) -> None:
    peer_attribute(out, 0, device, peer)


@initialized("cuDeviceGetTexture1DLinearMaxWidth")
def texture_width(out: int, format: int, channels: int, device: int) -> None:
    """Modelled: as attribute 69 says, for elements of all sizes."""
    require_device(device)
    known_format(format, channels)
    put(out, attributes(driver().capability)[TEXTURE_WIDTH])


@initialized("cuDeviceGetProperties")
def properties(out: int, device: int) -> None:
    """CUdevprop."""
    require_device(device)
    known = attributes(driver().capability)
    for i, number in enumerate(PROPERTIES):
        put_int(out + 4 * i, known[number])
