"""The allocation, the registered memory or the module's variable that an address lies in."""

from __future__ import annotations

from openptx import memory
from openptx.driver.allocations import OWNED, REGISTERED, Owned
from openptx.driver.modules import Module
from openptx.driver.objects import driver
from openptx.memory import Block


def owned_at(address: int) -> Owned | None:
    """By an address of the device, or by the host's for registered memory. None for what the driver does not know."""
    block = memory.find(address)
    if block is not None:
        return OWNED.get(block.address)
    for host, device in REGISTERED.items():
        if host <= address < host + OWNED[device].block.size:
            return OWNED[device]
    return variable_at(address)


def variable_at(address: int) -> Owned | None:
    """A `.global` variable, as the allocation that it is on a device."""
    for module in driver().every(Module):
        image = module.loaded.image
        for name, allocation in image.allocations.items():
            if allocation.base <= address < allocation.base + allocation.size:
                kind = "managed" if image.program.variables[name].managed else "device"
                return Owned(Block(allocation, image.bytes(name), False, True), kind, 1, module.context, None)
    return None
