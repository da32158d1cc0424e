"""Restores a recorded launch: its allocations, with the pointers in them and in its parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from openptx.device.allocation import Bytes, in_bytes
from openptx.device.memory import Memory
from openptx.device.memory_view import pointer_of
from openptx.errors import InputError
from openptx.isa.address_windows import FIRST
from openptx.program import Program
from openptx.recording.addresses import Relocation, aligned
from openptx.recording.file import Recording, Region
from openptx.recording.tensor_maps import with_our_maps
from openptx.runtime import Kernel, LoadedModule
from openptx.runtime.parameters import Packed

ALIGN = 256
"""Host addresses of restored memory equal those on the GPU modulo this number of bytes."""

HIGHEST = 1 << 12
"""Allocations in slots below this one keep their addresses: higher ones would make the table of slots large."""


class RestoredRegion(NamedTuple):
    """An allocation of the recording, in this process: its device `address`, and `data`, a view of its bytes."""

    region: Region
    name: str
    address: int
    data: Bytes


@dataclass(frozen=True, slots=True, eq=False)
class RestoredLaunch:
    """Everything needed to run a recorded launch. Its memory lives as long as this object."""

    recording: Recording
    kernel: Kernel
    regions: tuple[RestoredRegion, ...]
    arguments: tuple[Packed]
    back: Relocation
    """From addresses of this process to those of the GPU."""

    def differing(self) -> Iterator[tuple[RestoredRegion, NDArray[np.intp]]]:
        """After a run, each allocation that differs from the GPU's, with the positions of the differing bytes.

        Pointers to the same place are equal.
        """
        for restored in self.regions:
            region = restored.region
            if not region.compared or np.array_equal(restored.data, region.after):
                continue
            ours = restored.data.copy()
            view, theirs = aligned(region.address, ours), aligned(region.address, region.after)
            moved = self.back.words(view)
            same = moved == theirs
            view[same] = theirs[same]
            where = np.flatnonzero(ours != region.after)
            if where.size:
                yield restored, where

    def differs(self, number: int, byte: int) -> bool:
        """Whether one byte of an allocation differs from the GPU's."""
        wanted = self.regions[number]
        return any(restored is wanted and byte in where for restored, where in self.differing())


def restore(recording: Recording, program: Program) -> RestoredLaunch:
    """Creates the recorded allocations in the memory of a separate device, with their contents before the launch.

    Each gets addresses that end in the same bits as on the GPU (32 of them in 64-bit programs), so that alignment is
    the same; those that OpenPTX's driver gave, it gets again. Pointers to other allocations, in parameters and in
    memory, are relocated; tensor maps of the GPU's become ours.
    Raises ArgumentError for a kernel that the module does not have, InputError for parameters and variables that are
    not those of the kernel's text.
    """
    recording = with_our_maps(recording)
    module = LoadedModule(program, memory_for(recording, program.address_size))
    kernel = module.get_function(recording.kernel)
    kept = addresses_kept(recording, module.image.memory)
    found = [place_region(recording, number, module, kept) for number in range(len(recording.regions))]
    recorded = [(restored.region.address, restored.data.size) for restored in found]
    copies = [restored.address for restored in found]
    relocation = Relocation(recorded, copies)
    for restored in found:
        relocation.content(restored.region.address, restored.data)
    back = Relocation(
        [(restored.address, restored.data.size) for restored in found], [address for address, _ in recorded]
    )
    arguments = (Packed(parameters(recording, kernel, relocation)),)
    return RestoredLaunch(recording, kernel, tuple(found), arguments, back)


def memory_for(recording: Recording, address_size: int) -> Memory:
    """A device's memory in which the GPU's addresses are unused, so that pointers that were not relocated fault."""
    memory = Memory(address_size)
    for region in recording.regions:
        memory.avoid(region.address, region.size)
    for address, size in recording.left_out:
        memory.avoid(address, size)
    return memory


def addresses_kept(recording: Recording, memory: Memory) -> set[int]:
    """Those of allocations that have slots of their own, as OpenPTX's driver gives them.

    Relocating its pointers would change data: 17 and 64 are the halves of an address of its second allocation.
    """
    parts = [(region.address, region.size) for region in recording.regions] + list(recording.left_out)
    slots = Counter(
        slot for address, size in parts for slot in range(address >> memory.shift, (address + size >> memory.shift) + 1)
    )
    return {
        region.address
        for region in recording.regions
        if FIRST <= (slot := region.address >> memory.shift) < HIGHEST and slots[slot] == 1
    }


def place_region(recording: Recording, number: int, module: LoadedModule, kept: Container[int]) -> RestoredRegion:
    """One allocation, as new memory or as a variable of the module."""
    region = recording.regions[number]
    if region.symbol:
        data = module.get_global(region.symbol) if region.symbol in module.program.variables else None
        if data is None or data.size != region.size:
            has = "has no such variable" if data is None else f"declares {in_bytes(data.size)}"
            raise InputError(
                f"{recording.name}: {in_bytes(region.size)} of `{region.symbol}` are recorded, and the PTX {has}"
            )
        data[:] = region.before
        return RestoredRegion(region, f"`{region.symbol}`", module.image.address(region.symbol, generic=True), data)
    name = f"allocation {number} (0x{region.address:x} on the GPU)"
    address, data = added(module.image.memory, name, region, region.address in kept)
    return RestoredRegion(region, name, address, data)


def added(memory: Memory, name: str, region: Region, is_kept: bool) -> tuple[int, Bytes]:
    """New memory, at the address of the recording if that `is_kept`: its address, and its bytes."""
    whole = np.empty(region.size + 2 * ALIGN, np.uint8)
    first = (region.address - pointer_of(whole)) % ALIGN
    data = whole[first : first + region.size]
    data[:] = region.before
    if is_kept:
        return memory.show(name, region.address, data).base, data
    lead = region.address & ((1 << memory.shift) - 1)
    return memory.span(name, whole, pointer_of(whole) + first, region.size, True, lead).base, data


def parameters(recording: Recording, kernel: Kernel, relocation: Relocation) -> bytes:
    """The kernel's parameters as bytes. Bytes that a launcher passed beyond the declared parameters are dropped. Raises
    InputError for a parameter that is not recorded."""
    size = kernel.function.parameter_size
    buffer, covered = bytearray(size), np.zeros(size, np.bool_)
    for offset, content in recording.parameters:
        part = relocation.parameter(offset, content)[: max(size - offset, 0)]
        buffer[offset : offset + len(part)] = part
        covered[offset : offset + len(part)] = True
    for parameter in kernel.parameters:
        if not covered[parameter.offset : parameter.offset + parameter.size].all():
            raise InputError(
                f"{recording.name}: parameter `{parameter.name}` of kernel `{recording.kernel}` is not recorded"
            )
    return bytes(buffer)
