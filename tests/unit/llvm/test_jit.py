"""Object code in memory: placed anywhere, freed with its owner, thousands of objects in one process."""

from __future__ import annotations

import ctypes
import gc
import subprocess
import sys
import threading
import time
from operator import attrgetter

import llvmlite.binding as llvm
import numpy as np
import pytest
from numpy.typing import NDArray

import openptx
from openptx.llvm.codegen import compile
from openptx.llvm.jit import SESSION, Library, Session
from openptx.locks import LLVM, cancellable
from openptx.runtime.module import LoadedModule

# A function, and a constant in a section of its own that it refers to by a 32-bit distance.
TABLE = """
@table = private constant [4 x double] [double 1.5, double 2.5, double 3.5, double 4.5]
define double @f(i32 %i) {
  %p = getelementptr [4 x double], ptr @table, i32 0, i32 %i
  %v = load double, ptr %p
  ret double %v
}
"""
KERNEL = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x) {
.reg .b32 %%r<4>; .reg .b64 %%rd<4>;
ld.param.u64 %%rd1, [x]; mov.u32 %%r1, %%tid.x; mad.lo.u32 %%r2, %%r1, %d, 7;
mul.wide.u32 %%rd2, %%r1, 4; add.s64 %%rd1, %%rd1, %%rd2; st.global.u32 [%%rd1], %%r2; ret;
}
"""
FAR = """
import ctypes, sys
from test_jit import TABLE, call
from openptx.locks import cancellable
from openptx.llvm.codegen import compile
from openptx.llvm.jit import Library

libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
PRIVATE_ANONYMOUS_NORESERVE, PAGE, SIZE = 0x4022, 4096, 4 << 30

def reserve(size):
    return libc.mmap(None, size, 0, PRIVATE_ANONYMOUS_NORESERVE, -1, 0)

image = compile(TABLE)
kept = [Library(image, ("f",))]
for _ in range(4):
    region = reserve(SIZE)
    while reserve(PAGE) > region:  # all holes above it
        pass
    libc.munmap(region + SIZE - PAGE, PAGE)  # the one that is left has room for one section
    kept.append(Library(image, ("f",)))
assert [call(library["f"], i % 4) for i, library in enumerate(kept)] == [1.5, 2.5, 3.5, 4.5, 1.5]
"""


def call(address: int, i: int) -> float:
    return ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int32)(address)(i)


def resident() -> int:
    """Bytes of memory that this process has."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


on_linux = pytest.mark.skipif(sys.platform != "linux", reason="asks Linux about memory")


@on_linux
def test_sections_stay_together_where_memory_has_small_holes_far_apart() -> None:
    """LLVM's older linker put them there, and ended the process (`isInt<32>(RealOffset)`)."""
    done = subprocess.run([sys.executable, "-c", FAR], cwd=__file__.rpartition("/")[0], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@on_linux
def test_libraries_are_freed() -> None:
    image = compile(TABLE)

    def link(count: int) -> None:
        for _ in range(count):
            library = Library(image, ("f",))
            assert call(library["f"], 1) == 2.5

    link(4 * SESSION)
    before = resident()
    link(8 * SESSION)
    assert resident() - before < 8 * SESSION * 2048  # 11 KB of each were kept


def mapped(address: int) -> bool:
    """Whether there is memory at an address."""
    with open("/proc/self/maps") as file:
        ranges = [line.split()[0].split("-") for line in file]
    return any(int(start, 16) <= address < int(stop, 16) for start, stop in ranges)


@on_linux
def test_a_library_that_ends_while_llvm_is_busy_is_freed_later() -> None:
    """Who lets go of it does not wait: the garbage collector comes on any thread, at any time."""
    image = compile(TABLE)
    library = Library(image, ("f",))
    address = library["f"]
    busy, done = threading.Event(), threading.Event()

    def use() -> None:
        with LLVM:
            busy.set()
            done.wait(30)

    thread = threading.Thread(target=use)
    thread.start()
    busy.wait()
    del library
    assert mapped(address)
    done.set()
    thread.join()
    kept = [Library(image, ("f",))]
    assert kept[0]["f"] == address or not mapped(address)


def linked() -> tuple[int, int]:
    """How many objects are linked, and how many LLJITs have linked them."""
    found = gc.get_objects()
    return sum(isinstance(one, Library) for one in found), sum(isinstance(one, Session) for one in found)


def launched(i: int, size: int = 32) -> tuple[LoadedModule, NDArray[np.uint32]]:
    """A module of a kernel that has run, and what it wrote."""
    module = openptx.load(KERNEL % (i % 8))
    x = np.zeros(size, np.uint32)
    module["k"](1, 32, (x,), engine="native", workers=1)
    assert x[5] == 5 * (i % 8) + 7
    return module, x


def test_kernels_are_freed_with_their_modules() -> None:
    launched(0)
    gc.collect()
    libraries, sessions = linked()
    for i in range(3 * SESSION):
        launched(i)
    gc.collect()
    assert linked()[0] <= libraries
    assert linked()[1] <= sessions + 1


@pytest.mark.sweep
def test_thousands_of_kernels_in_one_process() -> None:
    """Half of them live to the end, among arrays that scatter what the system has left of its address space."""
    kept: list[object] = []
    for i in range(3000):
        module, x = launched(i, 32 + (i % 50 == 0) * (1 << 24))
        if i % 2:
            kept.append(module)
        if i % 100 == 0:
            kept.append(x)


def test_a_lock_left_by_an_interrupted_call_of_llvmlite_is_released() -> None:
    """A signal handler that raises as llvmlite's `__exit__` begins leaves its lock held by the main thread, for which
    another thread then waits in a call, and the main thread for that."""
    lock = attrgetter("ffi.lib._lock")(llvm)
    entered = threading.Event()

    def call() -> None:
        with LLVM:
            entered.set()
            llvm.get_host_cpu_name()

    other = threading.Thread(target=call, daemon=True)
    lock.__enter__()
    other.start()
    entered.wait(10)
    deadline = time.monotonic() + 10

    def check() -> None:
        assert time.monotonic() < deadline

    with cancellable(check), LLVM:
        other.join(10)
    assert not other.is_alive()
