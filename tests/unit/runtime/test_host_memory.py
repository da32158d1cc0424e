"""`openptx.memory`: allocation, registration, copies and frees on the host, and accesses by kernels on both engines."""

from __future__ import annotations

import ctypes
import gc
import struct
import threading
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from host_memory_kernels import ADD

import openptx
from openptx import memory
from openptx.device.mapping import can_choose
from openptx.device.memory import QUARANTINE, device
from openptx.device.pool import QUARANTINE as POOLED_QUARANTINE
from openptx.errors import ArgumentError, Fault
from openptx.memory import capacity
from openptx.memory.blocks import OWN_SLOTS

pytestmark = pytest.mark.usefixtures("no_blocks_left")


@pytest.fixture(params=["interp", "native"])
def engine(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def crowd() -> list[memory.Block]:
    """Enough small allocations that further ones share a slot."""
    return [memory.allocate(16) for _ in range(OWN_SLOTS)]


def test_an_allocation_is_one_address_for_host_and_kernels(add: openptx.Kernel, engine: str) -> None:
    block = memory.allocate(128)
    assert block.address % 256 == 0
    if can_choose():
        assert block.pointer == block.address
    for pointer in (block, block.address, block.array(), block.array(np.int32)):
        add(1, 32, (pointer, 5, 32), engine=engine)
    assert (block.array(np.int32) == 20).all()
    assert memory.read(block) == struct.pack("<32i", *[20] * 32)


def test_a_view_of_an_allocation_lies_within_it(add: openptx.Kernel, engine: str) -> None:
    block = memory.allocate(128)
    view = block.array(np.int32)[8:]
    assert memory.address(view) == block.address + 32
    add(1, 32, (view, 1, 24), engine=engine)
    assert [*block.array(np.int32)] == [0] * 8 + [1] * 24


def test_faults_name_the_block(add: openptx.Kernel, engine: str) -> None:
    block = memory.allocate(100, name="weights")
    with pytest.raises(Fault) as fault:
        add(1, 32, (block, 1, 32), engine=engine)
    text = f"weights, 100 bytes at 0x{block.address:x}; the access ends 4 bytes past it"
    assert (fault.value.nearest, fault.value.thread) == (text, (25, 0, 0))
    assert "(test_host_memory.py:" in memory.allocate(8).name


def test_small_allocations_share_a_slot(add: openptx.Kernel, engine: str, crowd: list[memory.Block]) -> None:
    one, two = memory.allocate(100, name="one"), memory.allocate(100, name="two")
    assert one.address >> 32 == two.address >> 32
    assert one.address % 256 == two.address % 256 == 0
    if can_choose():
        assert one.pointer == one.address
    add(1, 32, (two, 7, 25), engine=engine)
    assert [*two.array(np.int32)] == [7] * 25
    assert not one.array().any()
    with pytest.raises(Fault) as fault:
        add(1, 32, (one.address, 1, 26), engine=engine)
    assert fault.value.nearest == f"one, 100 bytes at 0x{one.address:x}; the access ends 4 bytes past it"
    assert "outside of every allocation" in fault.value.message
    with pytest.raises(Fault) as fault:  # in the middle between both
        add(1, 1, (one.address + 128, 1, 1), engine=engine)
    assert fault.value.nearest is not None
    assert fault.value.nearest.startswith("one, 100 bytes")


def test_there_are_more_allocations_than_slots(add: openptx.Kernel, engine: str) -> None:
    blocks = [memory.allocate(1024) for _ in range(20_500)]
    for block in blocks[:: len(blocks) // 7]:
        add(1, 256, (block, 3, 256), engine=engine)
        assert (block.array(np.int32) == 3).all()
    assert sum(int(block.array()[0]) for block in blocks) == 3 * len(blocks[:: len(blocks) // 7])
    for block in blocks:
        memory.free(block)


def test_use_after_free_is_a_fault_that_names_the_block(add: openptx.Kernel, engine: str) -> None:
    block = memory.allocate(128, name="gone")
    memory.free(block)
    others = [memory.allocate(128) for _ in range(QUARANTINE - 1)]
    assert block.address not in map(int, others)
    with pytest.raises(Fault) as fault:
        add(1, 32, (block.address, 1, 32), engine=engine)
    assert fault.value.nearest == f"none: gone, 128 bytes at 0x{block.address:x}, was here and has been freed"
    with pytest.raises(ArgumentError, match=r"gone, 128 bytes at .* has been freed"):
        add(1, 32, (block, 1, 32), engine=engine)


def test_use_after_free_in_a_shared_slot(add: openptx.Kernel, engine: str, crowd: list[memory.Block]) -> None:
    block = memory.allocate(128, name="gone")
    memory.free(block)
    for _ in range(POOLED_QUARANTINE - 1):
        again = memory.allocate(128)
        assert again.address != block.address
        memory.free(again)
    with pytest.raises(Fault) as fault:
        add(1, 32, (block.address, 1, 32), engine=engine)
    assert fault.value.nearest == f"none: gone, 128 bytes at 0x{block.address:x}, was here and has been freed"
    memory.free(memory.allocate(128))
    later = memory.allocate(128)  # freed long enough ago: given out once more, as zeros
    assert later.address == block.address
    assert not later.array().any()


def test_an_array_of_freed_memory_is_refused(add: openptx.Kernel) -> None:
    block = memory.allocate(128)
    data = block.array(np.int32)
    add(1, 32, (data, 1, 32))
    memory.free(block)
    with pytest.raises(ArgumentError, match="has been freed"):
        add(1, 32, (data, 1, 32))
    assert data[0] == 1  # to the host it is memory as long as the array lives
    with pytest.raises(ArgumentError, match="has been freed"):
        block.array()


def test_a_launch_keeps_what_another_thread_frees(engine: str) -> None:
    module = openptx.load(ADD.replace("END: ret;", "END: bra.uni $L;\n$L: setp.eq.u32 q, n, 0; @q bra $L; ret;"))
    block = memory.allocate(128)
    errors: list[Fault] = []

    def run() -> None:
        try:
            module["add"](1, 32, (block.address, 1, 0), engine=engine, timeout=1)
        except Fault as fault:
            errors.append(fault)

    thread = threading.Thread(target=run)
    thread.start()
    memory.free(block)
    gc.collect()
    thread.join()
    assert [fault.name for fault in errors] == ["timeout"]


@pytest.mark.parametrize(
    ("size", "error"),
    [(0, "from 1 on"), (-4, "from 1 on"), (1.5, "whole number"), ("4", "whole number"), (True, "from 1 on")],
)
def test_sizes_that_are_none(size: object, error: str) -> None:
    with pytest.raises(ArgumentError, match=error):
        memory.allocate(size)  # pyright: ignore[reportArgumentType]


def test_there_is_as_much_memory_as_the_computer_has() -> None:
    before = memory.info()
    assert before.free <= before.total // 2
    block = memory.allocate(1 << 20)
    assert memory.info() == (before.free - (1 << 20), before.total)
    with pytest.raises(MemoryError, match="out of device memory"):
        memory.allocate(before.total)
    with pytest.raises(MemoryError):
        memory.allocate(1 << 62)
    memory.free(block)
    assert memory.info() == before


def test_half_of_what_is_available_is_offered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    statistics = tmp_path / "meminfo"
    monkeypatch.setattr(capacity, "STATISTICS", statistics)
    assert capacity.available() == capacity.total()  # no Linux
    statistics.write_text("MemTotal:     4096 kB\nMemFree:     16 kB\nMemAvailable:     64 kB\n")
    assert capacity.offered.__wrapped__() == 32 << 10


def test_what_can_not_be_freed() -> None:
    block = memory.allocate(64, name="mine")
    with pytest.raises(ArgumentError, match="16 bytes into mine"):
        memory.free(block.address + 16)
    with pytest.raises(ArgumentError, match="null pointer"):
        memory.free(0)
    with pytest.raises(ArgumentError, match=r"which `openptx.memory` did not give"):
        memory.free(0x7000_0000_0000)
    memory.free(block)
    for again in (block, block.address):
        with pytest.raises(ArgumentError, match=r"mine, .* has been freed already"):
            memory.free(again)


def test_a_with_statement_frees() -> None:
    with memory.allocate(64) as block:
        assert memory.find(block.address + 63) is block
        assert memory.find(block.address + 64) is None
    assert memory.find(block.address) is None
    with memory.allocate(64) as block:
        memory.free(block)


def test_packed_parameters(add: openptx.Kernel, engine: str) -> None:
    block = memory.allocate(128)

    class Parameters(ctypes.Structure):
        _fields_ = (("at", ctypes.c_uint64), ("value", ctypes.c_uint32), ("count", ctypes.c_uint32))

    add.launch_packed(1, 32, Parameters(block.address, 3, 32), engine=engine)
    add.launch_packed((1, 1, 1), (32, 1, 1), struct.pack("<QII", block, 4, 32), shared=1024, engine=engine)
    assert (block.array(np.int32) == 7).all()
    with pytest.raises(ArgumentError, match=r"takes 16 bytes of parameters \(.u64 at at 0, .u32 value at 8"):
        add.launch_packed(1, 32, b"12345678", engine=engine)
    with pytest.raises(ArgumentError, match="packed parameters are bytes, not int"):
        add.launch_packed(1, 32, 5)
    with pytest.raises(Fault, match="null pointer"):
        add.launch_packed(1, 32, bytes(15) + b"\1", engine=engine)
    assert openptx.sanitize(add, 1, 32, (block, 1, 32)) == []


def test_parameters_are_described() -> None:
    text = ".version 8.0\n.target sm_80\n.address_size 64\n"
    kernel = openptx.load(text + ".visible .entry k(.param .u8 a, .param .align 16 .b8 s[20], .param .f64 d) { ret; }")[
        "k"
    ]
    assert [(p.name, p.type, p.offset, p.size, p.align, p.count) for p in kernel.parameters] == [
        ("a", "u8", 0, 1, 1, 1),
        ("s", "b8", 16, 20, 16, 20),
        ("d", "f64", 40, 8, 8, 1),
    ]
    kernel.launch_packed(1, 1, bytes(48))


def test_sanitizers_see_shared_slots(add: openptx.Kernel, crowd: list[memory.Block]) -> None:
    block = memory.allocate(128)
    assert openptx.sanitize(add, 1, 32, (block, 1, 32)) == []
    found = openptx.sanitize(add, 1, 64, (block, 1, 33))
    assert [finding.kind for finding in found] == ["mem"]
    races = openptx.sanitize(add, 2, 32, (block, 1, 32), engine="interp")
    assert races, "two blocks add to the same words"


def test_the_address_space_is_not_leaked() -> None:
    rows = len(device(64).map().rows)
    for _ in range(3 * QUARANTINE):
        memory.free(memory.allocate(1 << 20))
    assert len(device(64).map().rows) <= rows + QUARANTINE + 2


def test_the_nearest_allocation_is_named_though_the_slot_before_it_was_freed() -> None:
    blocks = [memory.allocate(1 << 20) for _ in range(3 * QUARANTINE)]
    first, second = next((a, b) for a, b in pairwise(blocks) if b.address - a.address == 1 << device(64).shift)
    memory.free(first)
    view = device(64).map()
    assert view.nearest(second.address - 3, 1).endswith("the access begins 3 bytes before it")
    assert view.nearest(first.address + (1 << 20) + 3, 1).endswith("was here and has been freed")
