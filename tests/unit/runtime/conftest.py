"""Fixtures for tests of the runtime."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from host_memory_kernels import ADD

import openptx
from openptx import memory
from openptx.device.memory import device
from openptx.memory.blocks import BLOCKS


@pytest.fixture
def empty_heap() -> None:
    """The device's heap without what the kernels of other tests left in it."""
    heap = device(64).device_heap()
    for block in [*heap.blocks]:
        heap.give_back(block)


@pytest.fixture(scope="module")
def add() -> openptx.Kernel:
    return openptx.load(ADD)["add"]


@pytest.fixture
def no_blocks_left() -> Iterator[None]:
    """Frees after a test what it has allocated or registered."""
    yield
    for block in [*BLOCKS.live.values()]:
        (memory.unregister if block.registered else memory.free)(block)
