"""Device memory: addresses that live as long as their arrays, slots, the nearest allocation, the heap."""

import contextlib
import dis
import gc
import struct
import sys
import weakref
from collections.abc import Callable, Generator
from types import FrameType
from typing import Any

import numpy as np
import pytest

from openptx.device import memory as device_memory
from openptx.device.heap import Heap
from openptx.device.memory import Memory
from openptx.device.memory_view import ROW
from openptx.engines.native import settings
from openptx.engines.native.pipeline import LoweredKernel, lower_kernel
from openptx.engines.native.runtime import compiled_kernel
from openptx.errors import CheckError
from openptx.isa.address_windows import FIRST
from openptx.runtime import load


def test_an_address_lasts_as_long_as_the_array() -> None:
    memory = Memory()
    data = np.zeros(10, np.float32)
    first = memory.address(data, "x")
    assert memory.address(data) is first
    assert first.base == FIRST << 32
    view = memory.address(data[1:])
    assert view.base % 256 == 4
    del data
    gc.collect()
    assert all(row is None for row in memory.map().rows)


def test_the_map_keeps_memory_alive() -> None:
    memory = Memory()
    data = np.arange(4, dtype=np.uint8)
    allocation = memory.address(data)
    held = memory.map()
    del data
    gc.collect()
    assert held.rows[allocation.base >> held.shift] is not None
    assert allocation.bytes().tolist() == [0, 1, 2, 3]


def test_large_allocations_take_several_slots() -> None:
    memory = Memory(32)
    big, small = np.zeros((1 << 25) + 1, np.uint8), np.zeros(1, np.uint8)
    a, b = memory.address(big), memory.address(small)
    held = memory.map()
    assert [row is a for row in held.rows[FIRST : FIRST + 3]] == [True] * 3
    assert b.base >> 24 == FIRST + 3
    table = np.frombuffer(held.snapshot.table, np.uint64).reshape(-1, 4)
    assert table[FIRST : FIRST + 4, 0].tolist() == [a.base, a.base, a.base, b.base]
    with pytest.raises(MemoryError):
        memory.address(np.zeros(1 << 32, np.uint8))


def test_an_allocation_does_not_look_at_slots_that_are_taken() -> None:
    memory = Memory()
    arrays = [np.zeros(1, np.uint8) for _ in range(300)]
    for array in arrays:
        memory.address(array)
    assert memory._lowest >= FIRST + len(arrays) - 1  # pyright: ignore[reportPrivateUsage]


def test_the_nearest_allocation() -> None:
    memory = Memory()
    data = np.zeros(100, np.uint8)
    base = memory.address(data, "x").base
    held = memory.map()
    assert held.nearest(base + 100, 4) == f"x, 100 bytes at 0x{base:x}; the access ends 4 bytes past it"
    assert held.nearest(base - 8, 4) == f"x, 100 bytes at 0x{base:x}; the access begins 8 bytes before it"
    assert Memory().map().nearest(1 << 40, 4) == "none within 1 GiB"
    assert Memory().map().nearest((1 << 64) - 4, 4) == "none: this is 4 bytes before the null pointer"
    assert "begins 4 bytes before" in Memory().map().nearest((1 << 32) - 4, 4, shared=64)
    assert "generic address of .shared" in Memory().map().nearest(1 << 32, 4, "global", 64)
    assert held.nearest(12, 4) == "none: this is 12 bytes after the null pointer"


def test_read_only_arrays_say_so() -> None:
    memory = Memory()
    data = np.zeros(4, np.uint8)
    data.flags.writeable = False
    allocation = memory.address(data)
    assert not allocation.writable
    table = np.frombuffer(memory.map().snapshot.table, np.uint64).reshape(-1, 4)
    assert table[allocation.base >> 32].tolist()[:3] == [allocation.base, 4, 0]


def test_the_heap_joins_what_is_given_back() -> None:
    memory = Memory()
    heap = Heap(*memory.place("device heap", 288, listed=False), memory.extend)
    a, b, c = heap.take(10), heap.take(100), heap.take(100)
    assert (b - a, c - b) == (32, 128)  # a multiple of 16, and a gap
    assert heap.take(100) == 0
    places = np.array([a, a + 9, a + 10, b - 1, b, b + 99, b + 100, c + 100], np.uint64)
    assert heap.holds(places, 1).tolist() == [True, True, False, False, True, True, False, False]
    assert heap.allocated_bytes().sum() == 210
    assert heap.give_back(a)
    assert heap.give_back(b)
    assert not heap.give_back(b)
    assert heap.take(130) == a
    assert heap.take(0) == 0


def test_a_map_is_of_one_snapshot() -> None:
    memory = Memory()
    first, second = np.zeros(4, np.uint8), np.zeros(4, np.uint8)
    base = memory.address(first).base
    held = memory.map()
    assert memory.map().snapshot is held.snapshot  # nothing has changed
    other = memory.address(second).base
    assert len(held.rows) == (base >> held.shift) + 1
    assert memory.map().rows[other >> held.shift] is not None
    assert memory.map().owners  # and it keeps both alive


def test_who_is_about_to_be_forgotten_is_not_in_a_map() -> None:
    """A finalizer may still have to come when the array is gone."""
    memory = Memory()
    data = np.zeros(4, np.uint8)
    slot = memory.address(data).base >> memory.shift
    memory.map()
    seen: list[object] = []
    # The youngest reference hears of the end first, before the one by which the memory forgets.
    first = weakref.ref(data, lambda _: seen.append(memory.map().rows[slot]))
    del data
    gc.collect()
    assert first() is None
    assert seen == [None]
    assert memory.map().rows[slot] is None


def test_memory_of_our_own_goes_with_its_owner() -> None:
    memory = Memory()
    data = np.zeros(8, np.uint8)
    base = memory.add("ours", data).base
    assert memory.map().rows[base >> 32] is not None
    del data
    gc.collect()
    assert memory.map().rows[base >> 32] is None


def test_nothing_can_be_empty() -> None:
    memory = Memory()
    data = np.zeros(0, np.uint8)
    assert memory.add("nothing", data).bytes().size == 0


def test_garbage_is_looked_for_again_after_loading() -> None:
    for text in (".version 8.0\n.target sm_80\n.entry k()\n{\nret;\n}\n", ".version 8.0\n.target sm_80\nmov\n"):
        with contextlib.suppress(CheckError):
            load(text)["k"]
        assert gc.isenabled()
    gc.disable()
    try:
        load(".version 8.0\n.target sm_80\n.entry k()\n{\nret;\n}\n")
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_no_garbage_is_looked_for_while_machine_code_is_lowered(monkeypatch: pytest.MonkeyPatch) -> None:
    collects: list[bool] = []

    def noted(*given: Any) -> LoweredKernel:
        collects.append(gc.isenabled())
        return lower_kernel(*given)

    monkeypatch.setattr(compiled_kernel, "lower_kernel", noted)
    with settings.cache_at(None):
        load(".version 8.0\n.target sm_80\n.entry k()\n{\nret;\n}\n")["k"](1, 1, engine="native")
    assert collects == [False]
    assert gc.isenabled()


class Interrupted(BaseException):
    """What a signal handler raises."""


CALLS = {dis.opmap[name] for name in ("CALL", "CALL_FUNCTION_EX", "JUMP_BACKWARD") if name in dis.opmap}
"""After these, and where a function begins, CPython runs signal handlers."""


@contextlib.contextmanager
def interrupted(point: int) -> Generator[None]:
    """Raises Interrupted at a point where a handler may run in the modules of device memory and weak references."""
    passed, last = 0, dict[FrameType, int]()

    def trace(frame: FrameType, event: str, _: object) -> Callable[..., Any] | None:
        nonlocal passed
        if frame.f_code.co_filename not in {device_memory.__file__, weakref.__file__}:
            return None
        frame.f_trace_opcodes = True
        before, last[frame] = last.get(frame), frame.f_code.co_code[frame.f_lasti]
        if event == "call" or (event == "opcode" and before in CALLS):
            passed += 1
            if passed == point:
                sys.settrace(None)
                raise Interrupted
        return trace

    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(None)
        last.clear()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("where", ["address", "finalizer"])
@pytest.mark.parametrize("point", range(1, 80))
def test_arrays_are_accessible_after_a_signal_at_any_point(where: str, point: int) -> None:
    """The next array often has the address and the identity of the one before."""
    memory, bytes_ = Memory(), bytearray(64)
    for i in range(4):
        data = np.frombuffer(bytes_, np.uint8)
        with contextlib.suppress(Interrupted), interrupted(point if i == 0 and where == "address" else 0):
            memory.address(data)
        again = memory.address(data)
        held = memory.map()
        assert held.rows[again.base >> held.shift] is again
        assert struct.unpack_from("<4Q", held.snapshot.table, (again.base >> held.shift) * ROW.size)[1] == 64
        del held
        with interrupted(point if i == 0 and where == "finalizer" else 0):
            del data
    assert all(row is None for row in memory.map().rows)
