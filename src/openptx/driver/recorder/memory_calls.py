"""Calls that allocate and free device memory."""

from __future__ import annotations

from openptx.driver.calls import get
from openptx.driver.recorder.session import Session
from openptx.driver.recorder.wrappers import Passage, around


@around("cuMemAlloc_v2", "cuMemAllocManaged", "cuMemAllocAsync", "cuMemAllocFromPoolAsync")
def allocate(session: Session, call: Passage, out: int, size: int, *more: int) -> None:
    if call() == 0:
        session.allocations.add(get(out), size)


@around("cuMemAllocPitch_v2")
def allocate_rows(session: Session, call: Passage, out: int, pitch: int, width: int, height: int, size: int) -> None:
    if call() == 0:
        session.allocations.add(get(out), get(pitch) * height)


@around("cuMemHostAlloc", "cuMemAllocHost_v2")
def allocate_of_host(session: Session, call: Passage, out: int, size: int, *flags: int) -> None:
    if call() == 0:
        add_host_memory(session, get(out), size)


@around("cuMemHostRegister_v2")
def register(session: Session, call: Passage, pointer: int, size: int, flags: int) -> None:
    if call() == 0:
        add_host_memory(session, pointer, size)


def add_host_memory(session: Session, pointer: int, size: int) -> None:
    """Adds host memory if it has a device address: kernels cannot access it otherwise."""
    address = session.real.ask("cuMemHostGetDevicePointer_v2", pointer, 0)
    if address is not None:
        session.allocations.hosts[pointer] = address
        session.allocations.add(address, size)


@around("cuMemMap")
def map_memory(session: Session, call: Passage, address: int, size: int, *more: int) -> None:
    if call() == 0:
        session.allocations.add(address, size)


@around("cuMemFree_v2", "cuMemFreeAsync", "cuMemUnmap")
def free(session: Session, call: Passage, address: int, *more: int) -> None:
    session.allocations.remove(address)


@around("cuMemFreeHost", "cuMemHostUnregister")
def free_of_host(session: Session, call: Passage, pointer: int) -> None:
    session.allocations.remove(session.allocations.hosts.pop(pointer, 0))
