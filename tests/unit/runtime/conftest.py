"""What tests of the runtime share."""

from __future__ import annotations

import pytest

from openptx.device.heap import heap_of
from openptx.device.memory import device


@pytest.fixture
def empty_heap() -> None:
    """The device's heap without what the kernels of other tests left in it."""
    heap = heap_of(device(64))
    for block in [*heap.blocks]:
        heap.give_back(block)
