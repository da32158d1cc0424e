"""The allocation, the registered or mapped memory, or the module variable that contains an address."""

from __future__ import annotations

from openptx import memory
from openptx.device.memory import Allocation
from openptx.driver.graphs.allocations import owned_by_graph
from openptx.driver.memory.allocations import OWNED, Ownership, registered_at
from openptx.driver.memory.virtual import part_at
from openptx.driver.modules.module import Module
from openptx.driver.objects import driver
from openptx.memory import Block

IMPORTED: dict[int, Block] = {}
"""Memory of other processes, by its local address (`ipc`)."""


def owned_at(address: int) -> Ownership | None:
    """The owner of the memory at an address, given as a device address or, for registered memory, as the host's; None
    if the driver does not know it."""
    block = memory.find(address)
    if block is not None:
        return OWNED.get(block.address)
    if (registered := registered_at(address)) is not None:
        return registered[1]
    return variable_at(address) or mapped_at(address) or imported_at(address) or owned_by_graph(address)


def imported_at(address: int) -> Ownership | None:
    for block in [*IMPORTED.values()]:
        if block.address <= address < block.address + block.size:
            return Ownership(block, "device", 0, None, None)
    return None


def mapped_at(address: int) -> Ownership | None:
    """Memory that the program has mapped to reserved addresses."""
    part = part_at(address)
    if part is None:
        return None
    name = "mapped memory"
    found = Allocation(name, part.address, part.size, part.address, part.access == "rw")
    return Ownership(Block(found, found.bytes(), False, True), "device", 0, None, None)


def variable_at(address: int) -> Ownership | None:
    """A `.global` variable, as the allocation that it is on a device."""
    for module in driver().every(Module):
        image = module.loaded.image
        for name, allocation in image.allocations.items():
            if allocation.base <= address < allocation.base + allocation.size:
                kind = "managed" if image.program.variables[name].managed else "device"
                return Ownership(Block(allocation, image.bytes(name), False, True), kind, 1, module.context, None)
    return None
