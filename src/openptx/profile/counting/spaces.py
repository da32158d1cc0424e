"""The memory that addresses refer to: the space that an instruction names, or for generic addresses their window."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from openptx.array_types import Array
from openptx.engines.common.accesses import COUNTED
from openptx.engines.interp import lane_sets
from openptx.engines.interp.machine import Threads
from openptx.isa.address_windows import FIRST, LOCAL, SHARED


def memories(
    x: Threads, space: str, addresses: Array, lanes: lane_sets.Lanes
) -> Iterator[tuple[str, Array, lane_sets.Lanes]]:
    """The memories that lanes access, each with the addresses and the lanes that access it."""
    if space != "generic":
        if space in COUNTED:
            yield COUNTED[space], addresses, lanes
        return
    slots = addresses >> np.uint64(x.shift)
    if slots.size == 1 or (slots == slots[0]).all() or slots.min() >= FIRST:
        if memory := memory_of(int(slots[0])):
            yield memory, addresses, lanes
        return
    kinds = np.minimum(slots, FIRST)
    for kind in np.unique(kinds).tolist():
        chosen = kinds == kind
        if memory := memory_of(kind):
            yield memory, addresses[chosen], lane_sets.where(lanes, chosen, x.n)


def memory_of(slot: int) -> str | None:
    """The memory of a slot of the generic address space; None for constants, parameters and functions."""
    if slot >= FIRST:
        return "global"
    return {SHARED: "shared", LOCAL: "local"}.get(slot)
