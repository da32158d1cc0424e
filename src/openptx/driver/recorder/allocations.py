"""The program's device memory, tracked through its calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from openptx.driver.calls import get
from openptx.driver.recorder.wrappers import Passage, around

if TYPE_CHECKING:
    from openptx.driver.recorder.session import Session


class Allocations:
    """Sizes by address; host memory under its device address."""

    def __init__(self) -> None:
        self.sizes: dict[int, int] = {}
        self.hosts: dict[int, int] = {}
        """Device addresses of host memory, by host address."""
        self._sorted: tuple[NDArray[np.uint64], NDArray[np.uint64]] | None = None

    def add(self, address: int, size: int) -> None:
        if address and size:
            self.sizes[address], self._sorted = size, None

    def remove(self, address: int) -> None:
        if self.sizes.pop(address, None) is not None:
            self._sorted = None

    def containing(self, words: NDArray[np.uint64]) -> list[int]:
        """The addresses of the allocations that contain any of these words as addresses."""
        if self._sorted is None:
            pairs = sorted([*self.sizes.items()])
            self._sorted = np.array([p[0] for p in pairs], np.uint64), np.array([p[1] for p in pairs], np.uint64)
        starts, sizes = self._sorted
        if not starts.size:
            return []
        i = np.searchsorted(starts, words, side="right").astype(np.int64) - 1
        first = np.maximum(i, 0)
        inside = (i >= 0) & (words - starts[first] < sizes[first])
        return starts[np.unique(first[inside])].tolist()


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
