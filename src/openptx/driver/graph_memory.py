"""Memory that nodes of graphs allocate: what their descriptions were, and how much there is of it.

Its address is given when the node is made. `graph_allocations` says when it is memory.
"""

from __future__ import annotations

from openptx.driver.allocations import OWNED
from openptx.driver.arrays import write
from openptx.driver.calls import Failure, get, in_context, initialized, put
from openptx.driver.contexts import Context
from openptx.driver.devices import require_device
from openptx.driver.graph_allocations import FREED, OF_GRAPHS, settle
from openptx.driver.graph_settings import of_kind
from openptx.driver.results import Result

USED, USED_HIGH, RESERVED, RESERVED_HIGH = range(4)
"""CUgraphMem_attribute."""
HIGH = {USED_HIGH: 0, RESERVED_HIGH: 0}
"""Marks, which programs set back."""


def bytes_of_graphs() -> int:
    """All that nodes have allocated, in graphs that may be gone, and nobody has freed."""
    settle()
    allocated = OF_GRAPHS - FREED
    return sum(owned.size for address, owned in OWNED.items() if address in allocated)


@initialized("cuDeviceGetGraphMemAttribute")
def get_attribute(device: int, attribute: int, out: int) -> None:
    require_device(device)
    if attribute not in range(4):
        raise Failure(Result.INVALID_VALUE, f"attribute {attribute} of the memory of graphs")
    now = bytes_of_graphs()
    for mark in HIGH:
        HIGH[mark] = max(HIGH[mark], now)
    put(out, HIGH.get(attribute, now))


@initialized("cuDeviceSetGraphMemAttribute")
def set_attribute(device: int, attribute: int, value: int) -> None:
    require_device(device)
    if attribute not in HIGH or get(value):
        raise Failure(Result.INVALID_VALUE, f"attribute {attribute} of the memory of graphs: marks are set to 0")
    HIGH[attribute] = 0


@initialized("cuDeviceGraphMemTrim")
def trim(device: int) -> None:
    """There is nothing that no node has."""
    require_device(device)


@in_context("cuGraphMemAllocNodeGetParams")
def get_allocation(context: Context, handle: int, out: int) -> None:
    write(out, of_kind(handle, "allocation").description)


@in_context("cuGraphMemFreeNodeGetParams")
def get_free(context: Context, handle: int, out: int) -> None:
    put(out, of_kind(handle, "free").address)
