"""Memory that graph nodes allocate and free at each launch, at a fixed address, and its use by programs in between.

Its life begins when a launch reaches the node that allocates it, and ends at a node that frees it or when the program
frees it; outside its life accesses are faults (CUDA Programming Guide, Graph Memory Nodes). The address stays the same
as long as a node for it exists. Memory that the program holds when the last node is destroyed is an ordinary
allocation.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable

from openptx.driver.calls import invalid
from openptx.driver.memory.allocations import (
    AT_FREE,
    AT_OBTAIN,
    OWNED,
    RELEASES,
    Ownership,
    follows_undefined_bits,
    give_back,
)
from openptx.memory.blocks import Block, restore, withdraw

OF_GRAPHS = set[int]()
"""Addresses that nodes have allocated, in graphs that may no longer exist."""
HELD = set[int]()
"""Addresses that the last launch leaves to the program. Updated in call order, before the work is done."""
FREED = set[int]()
"""Addresses that have been freed since the last launch that allocates them."""


class GraphMemory:
    """Memory that a node allocates, as long as the node exists."""

    def __init__(self, address: int) -> None:
        settle()
        self.address, self.block = address, OWNED[address].block
        OF_GRAPHS.add(address)
        _living[address] = self
        withdraw(self.block)
        weakref.finalize(self, _ended.append, self.block).atexit = False

    @property
    def lives(self) -> bool:
        """Whether its context still exists."""
        return is_owned(self.block)

    def allocate(self) -> None:
        """The action of its node at a launch."""
        if self.lives and self.block.withdrawn:
            restore(self.block)
        if self.lives and follows_undefined_bits():
            self.block.undefine()

    def free(self) -> None:
        """The action of a node that frees it, and of the program."""
        if self.lives and not self.block.withdrawn:
            withdraw(self.block)


_ended: list[Block] = []
"""Blocks whose last node has been destroyed. Finalizers run anywhere, so `settle` frees the blocks later."""
_living = weakref.WeakValueDictionary[int, GraphMemory]()


def is_owned(block: Block) -> bool:
    owned = OWNED.get(block.address)
    return owned is not None and owned.block is block


def settle() -> None:
    """Frees allocations that no node allocates again, and that the program does not hold."""
    while _ended:
        block = _ended.pop()
        if is_owned(block) and block.address not in HELD:
            give_back(block.address, OWNED[block.address].kind)


def graph_memory(address: int) -> GraphMemory | None:
    """The allocation at an address that a node allocates."""
    return _living.get(address)


def owned_by_graph(address: int) -> Ownership | None:
    """The owner of memory that a node allocates, by an address inside it, also while it is not accessible."""
    for found in [*_living.values()]:
        if found.lives and found.address <= address < found.address + found.block.size:
            return OWNED[found.address]
    return None


def surrender(address: int) -> GraphMemory | None:
    """Marks memory of a graph as freed by the program, in call order. Fails if the program does not hold it. Returns
    None for other memory."""
    found = _living.get(address)
    if found is None or not found.lives:
        settle()
        return None
    if address not in HELD:
        raise invalid(f"0x{address:x} is memory of a graph, which no launch has left allocated")
    HELD.discard(address)
    FREED.add(address)
    return found


def release(address: int) -> bool:
    found = surrender(address)
    if found is not None:
        found.free()
    return found is not None


def claim(allocated: Iterable[GraphMemory], freed: Iterable[GraphMemory], *, again: bool) -> None:
    """Updates the sets for the launch of a graph. Fails if the program holds what it allocates, unless the graph may
    allocate it `again`."""
    settle()
    new, old = {allocation.address for allocation in allocated}, {allocation.address for allocation in freed}
    if not again and (held := new & HELD):
        why = "the last launch allocated it, and it has not been freed"
        raise invalid(f"0x{min(held):x} would be allocated again: {why}")
    HELD.update(new - old)
    HELD.difference_update(old)
    FREED.difference_update(new)
    FREED.update(old)


def forget(address: int) -> None:
    """The allocation has ended."""
    for known in OF_GRAPHS, HELD, FREED:
        known.discard(address)
    _living.pop(address, None)


RELEASES.append(release)
AT_FREE.append(forget)
AT_OBTAIN.append(settle)
