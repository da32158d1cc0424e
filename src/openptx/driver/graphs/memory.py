"""Memory allocated by graph nodes: the descriptions, and the total size.

Its address is assigned when the node is created. `allocations.py` manages its lifetime.
"""

from __future__ import annotations

from openptx.driver.calls import get, initialized, invalid, put
from openptx.driver.devices.device import require_device
from openptx.driver.getters import getter
from openptx.driver.graphs.allocations import FREED, OF_GRAPHS, settle
from openptx.driver.graphs.settings import of_kind
from openptx.driver.memory.allocations import OWNED

USED, USED_HIGH, RESERVED, RESERVED_HIGH = range(4)
"""CUgraphMem_attribute."""
HIGH = {USED_HIGH: 0, RESERVED_HIGH: 0}
"""High-water marks, which programs reset."""


def bytes_of_graphs() -> int:
    """All that nodes have allocated, in graphs that may no longer exist, and that has not been freed."""
    settle()
    allocated = OF_GRAPHS - FREED
    return sum(owned.size for address, owned in OWNED.items() if address in allocated)


@initialized("cuDeviceGetGraphMemAttribute")
def get_attribute(device: int, attribute: int, out: int) -> None:
    require_device(device)
    if attribute not in range(4):
        raise invalid(f"the memory of graphs has no attribute {attribute}")
    now = bytes_of_graphs()
    for mark in HIGH:
        HIGH[mark] = max(HIGH[mark], now)
    put(out, HIGH.get(attribute, now))


@initialized("cuDeviceSetGraphMemAttribute")
def set_attribute(device: int, attribute: int, value: int) -> None:
    require_device(device)
    if attribute not in HIGH or get(value):
        raise invalid(f"attribute {attribute} of the memory of graphs: only high marks can be set, and to 0")
    HIGH[attribute] = 0


@initialized("cuDeviceGraphMemTrim")
def trim(device: int) -> None:
    """Does nothing: all memory belongs to nodes."""
    require_device(device)


getter("cuGraphMemAllocNodeGetParams", lambda _, handle: of_kind(handle, "allocation").description)
getter("cuGraphMemFreeNodeGetParams", lambda _, handle: of_kind(handle, "free").address)
