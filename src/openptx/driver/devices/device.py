"""Initialization, and the one device: its name, capability, attributes."""

from __future__ import annotations

import ctypes
import re
import uuid

from openptx import memory
from openptx.driver.calls import Failure, anytime, initialized, invalid, put, put_int, text, write
from openptx.driver.devices.attributes import attributes
from openptx.driver.objects import driver
from openptx.driver.results import Result

PCI_BUS = "0000:01:00.0"
BUS_NAME = re.compile(r"(?:([0-9a-f]+):)?([0-9a-f]+):([0-9a-f]+)(?:\.([0-9a-f]+))?", re.IGNORECASE)
"""What cuDeviceGetByPCIBusId accepts: domain, bus, device and function, with or without the first and the last."""


def require_device(device: int) -> None:
    """Fails for any number but the device's."""
    if device:
        raise Failure(Result.INVALID_DEVICE, f"there is one device, 0, and no device {device}")


@anytime("cuInit")
def init(flags: int) -> None:
    if flags:
        raise invalid("the flags must be 0")
    for number, value in attributes(driver().capability).items():
        driver().library.set_attribute(number, value)
    driver().initialized = True
    driver().library.initialized()


@initialized("cuDeviceGetUuid", "cuDeviceGetUuid_v2")
def get_uuid(out: int, device: int) -> None:
    require_device(device)
    write(out, uuid.uuid5(uuid.NAMESPACE_URL, f"OpenPTX sm_{driver().capability}").bytes)


@initialized("cuDeviceTotalMem")
def total_memory_32(out: int, device: int) -> None:
    require_device(device)
    put(out, min(memory.info().total, (1 << 32) - 1), ctypes.c_uint32)


@initialized("cuDeviceTotalMem_v2")
def total_memory(out: int, device: int) -> None:
    require_device(device)
    put(out, memory.info().total)


@initialized("cuDeviceGetPCIBusId")
def get_bus(out: int, length: int, device: int) -> None:
    require_device(device)
    if not out or length <= len(PCI_BUS):
        raise invalid("there is no room for the bus")
    write(out, PCI_BUS.encode() + b"\0")


@initialized("cuDeviceGetByPCIBusId")
def get_by_bus(out: int, bus: int) -> None:
    named = BUS_NAME.fullmatch(text(bus, "the bus"))
    if named is None or [int(number or "0", 16) for number in named.groups()] != [0, 1, 0, 0]:
        raise Failure(Result.INVALID_DEVICE, f"the device is at {PCI_BUS}")
    put_int(out, 0)


@initialized("cuDeviceCanAccessPeer")
def can_access_peer(out: int, device: int, peer: int) -> None:
    require_device(device)
    require_device(peer)
    put_int(out, 0)


@initialized("cuDeviceGetExecAffinitySupport")
def affinity(out: int, kind: int, device: int) -> None:
    require_device(device)
    put_int(out, 0)
