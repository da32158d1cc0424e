"""`openptx.memory` on the program's own memory: registering, copying, sharing with other libraries."""

from __future__ import annotations

import array
import ctypes
import gc
import mmap
import struct
import weakref
from typing import Any

import numpy as np
import pytest
from host_memory_kernels import ADD

import openptx
from openptx import memory
from openptx.device.mapping import can_choose
from openptx.errors import ArgumentError, Fault
from openptx.memory.blocks import BLOCKS

pytestmark = pytest.mark.usefixtures("no_blocks_left")


@pytest.fixture(params=["interp", "native"])
def engine(request: pytest.FixtureRequest) -> str:
    return request.param


def test_registered_memory(add: openptx.Kernel, engine: str) -> None:
    data = np.arange(64, dtype=np.int32)
    block = memory.register(data.ctypes.data + 4, 128, owner=data)
    add(1, 32, (block, 100, 32), engine=engine)
    assert [*data] == [0, *range(101, 133), *range(33, 64)]
    with pytest.raises(Fault, match="registered memory"):
        add(1, 33, (block, 1, 33), engine=engine)
    with pytest.raises(ArgumentError, match="overlap with registered memory"):
        memory.register(data.ctypes.data, 8)
    with pytest.raises(ArgumentError, match="`unregister` takes it back"):
        memory.free(block)
    memory.unregister(block)
    with pytest.raises(ArgumentError, match="has been unregistered already"):
        memory.unregister(block.address)
    with pytest.raises(Fault, match="has been freed"):
        add(1, 32, (block.address, 1, 32), engine=engine)
    memory.unregister(memory.register(data.ctypes.data, 8))


def test_registered_memory_keeps_its_owner() -> None:
    data = bytearray(range(64))
    view = np.frombuffer(data, np.uint8)
    gone: list[int] = []
    block = memory.register(view.ctypes.data, 64, owner=view)
    weakref.finalize(view, gone.append, 1)
    del view
    gc.collect()
    assert not gone
    assert memory.read(block, 4) == b"\0\1\2\3"
    memory.unregister(block)
    del block
    BLOCKS.freed.clear()
    gc.collect()
    assert gone


def test_read_only_registrations(add: openptx.Kernel, engine: str) -> None:
    data = np.zeros(32, np.int32)
    block = memory.register(data.ctypes.data, 128, owner=data, read_only=True, name="table")
    with pytest.raises(Fault) as fault:
        add(1, 32, (block, 1, 32), engine=engine)
    assert fault.value.name == "read-only"
    with pytest.raises(ArgumentError, match="may only be read"):
        memory.write(block, b"1")


def test_what_can_not_be_registered() -> None:
    with pytest.raises(ArgumentError, match="null pointer"):
        memory.register(0, 64)
    with pytest.raises(ArgumentError, match="from 1 on"):
        memory.register(4096, -1)
    block = memory.allocate(64)
    with pytest.raises(ArgumentError, match="overlap with block"):
        memory.register(block.pointer + 60, 64)
    if can_choose():
        hole = mmap.mmap(-1, 4096)
        where = ctypes.addressof(ctypes.c_char.from_buffer(hole))
        gc.collect()
        hole.close()
        with pytest.raises(ArgumentError, match="the process has no memory"):
            memory.register(where, 4096)


def test_copies_are_checked() -> None:
    block, other = memory.allocate(64, name="a"), memory.allocate(64, name="b")
    memory.write(block, np.arange(16, dtype=np.int32)[::-1])
    memory.copy(other, block.address + 32, 32)
    assert memory.read(other.address, 4) == struct.pack("<i", 7)
    memory.copy(block.address + 4, block, 60)  # overlaps
    assert [*block.array(np.int32)] == [15, *range(15, 0, -1)]
    memory.fill(block, 0xFF)
    memory.fill(block.address, 0, 4)
    assert [*block.array(np.int32)] == [0] + [-1] * 15
    assert memory.read(block, 0) == b""
    for action in (
        lambda: memory.write(block, bytes(65)),
        lambda: memory.read(block.address + 60, 8),
        lambda: memory.copy(other, block, 65),
        lambda: memory.fill(block.address, 0, 65),
    ):
        with pytest.raises(ArgumentError, match=r"outside of device memory; nearest: [ab], 64 bytes at"):
            action()
    with pytest.raises(ArgumentError, match="null pointer"):
        memory.read(0, 4)
    with pytest.raises(ArgumentError, match="needs a size"):
        memory.read(block.address)
    with pytest.raises(ArgumentError, match="from 0 on"):
        memory.read(block, -1)
    with pytest.raises(ArgumentError, match="0 to 255"):
        memory.fill(block, 256)
    with pytest.raises(ArgumentError, match="an array or a buffer"):
        memory.write(block, 5)
    memory.free(block)
    with pytest.raises(ArgumentError, match="has been freed"):
        memory.read(block)


def test_copies_reach_arrays_and_variables() -> None:
    module = openptx.load(ADD + ".visible .global .align 4 .b32 v[4] = {1, 2, 3, 4};")
    data = np.arange(4)
    assert memory.read(memory.address(data), 16) == data.tobytes()[:16]
    address = module.image.address("v")
    assert memory.read(address, 16) == struct.pack("<4i", 1, 2, 3, 4)
    memory.write(address + 4, struct.pack("<i", 9))
    assert [*module.get_global("v").view(np.int32)] == [1, 9, 3, 4]


def test_addresses_of_views_lie_in_their_owner(engine: str) -> None:
    copy = openptx.load(ADD)["copy"]
    data, out = np.arange(24.0).reshape(4, 6), np.zeros(4)
    base = memory.address(data)
    assert memory.address(data[1:, ::2]) == base + 48
    assert memory.address(data[::-1]) == base + 3 * 48
    assert memory.address(data.T) == base == memory.address(data)
    copy(1, 4, (out, memory.address(data[1:, 2:])), engine=engine)
    assert [*out] == [8, 9, 10, 11]
    assert memory.address(np.zeros(0)) == 0


def test_addresses_of_memoryviews(engine: str) -> None:
    copy, out = openptx.load(ADD)["copy"], np.zeros(4)
    given = memoryview(array.array("d", [1, 2, 3, 4]))
    address = memory.address(given)
    gc.collect()
    assert memory.address(given) == address
    copy(1, 4, (out, address), engine=engine)
    assert [*out] == [1, 2, 3, 4]
    del given
    gc.collect()
    with pytest.raises(Fault, match="has been freed"):
        copy(1, 4, (out, address), engine=engine)


class Interface:
    """What only says where it lies."""

    def __init__(self, data: np.ndarray[Any, Any]) -> None:
        self.__array_interface__ = data.__array_interface__


def test_addresses_of_objects_whose_life_nothing_tells() -> None:
    for wrong in (bytearray(8), b"12345678", array.array("d", [1]), (ctypes.c_int * 4)(), Interface(np.zeros(4))):
        with pytest.raises(ArgumentError, match=r"keep `numpy.asarray.*or a memoryview"):
            memory.address(wrong)
    for wrong in ([1], 5, "text", None):
        with pytest.raises(ArgumentError, match="takes a number, an array"):
            memory.address(wrong)


class Cuda:
    """An array of another library that says where its device memory is."""

    def __init__(self, address: int) -> None:
        self.__cuda_array_interface__ = {"shape": (32,), "typestr": "<i4", "data": (address, False), "version": 3}


def test_arrays_of_other_libraries_on_our_memory(add: openptx.Kernel, engine: str) -> None:
    block = memory.allocate(128)
    add(1, 32, (Cuda(block.address), 2, 32), engine=engine)
    assert (block.array(np.int32) == 2).all()
    assert memory.address(Cuda(block.address + 4)) == block.address + 4
    with pytest.raises(ArgumentError, match="not in the memory of the CPU"):
        add(1, 32, (Cuda(0x7000_0000_0000), 2, 32), engine=engine)
