# ruff: noqa: E501 - PTX in one line reads better here
"""A second launch reuses what the first has prepared, and checks that it still applies."""

from __future__ import annotations

import gc
import os
import signal
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import openptx
from openptx.errors import ArgumentError
from openptx.locks import LLVM

ADD = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y, .param .u32 n, .param .f32 f) {
.reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<8>;
ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.u32 %r5, [n];
mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.s32 %r1, %r2, %r3, %r1;
mul.wide.u32 %rd3, %r1, 4; add.s64 %rd1, %rd1, %rd3; add.s64 %rd2, %rd2, %rd3;
ld.global.u32 %r4, [%rd1]; add.u32 %r4, %r4, %r5; st.global.u32 [%rd2], %r4; ret;
}
.visible .entry trapped(.param .u32 n) {
.reg .pred %p<2>; .reg .b32 %r<4>; ld.param.u32 %r1, [n]; mov.u32 %r2, %ctaid.x; setp.eq.u32 %p1, %r1, %r2; @%p1 trap; ret;
}
"""
Launch = Callable[..., None]
Array = NDArray[np.uint32]
ENGINES = ("native", "interp")


def numbers() -> tuple[Array, Array]:
    return np.arange(32, dtype=np.uint32), np.zeros(32, np.uint32)


@pytest.fixture(params=ENGINES)
def run(request: pytest.FixtureRequest) -> Launch:
    kernel = openptx.load(ADD)["k"]

    def launch(x: Any, y: Any, n: Any = 1, f: Any = 0.0, block: int = 32) -> None:
        kernel(1, block, (x, y, n, f), engine=request.param)

    return launch


def test_arrays_that_change_places_are_found_again(run: Launch) -> None:
    for i in range(5):
        x, y = numbers()
        run(x, y, i)
        run(y, x, i)
        assert np.array_equal(x, np.arange(32) + 2 * i)
        assert np.array_equal(y, np.arange(32) + i)


def test_an_array_that_may_no_longer_be_written_is_not(run: Launch) -> None:
    x, y = numbers()
    run(x, y)
    y.flags.writeable = False
    with pytest.raises(openptx.Fault, match="only be read"):
        run(x, y)
    run(y, x)  # reading it is fine
    y.flags.writeable = True
    run(x, y)
    assert np.array_equal(y, np.arange(32) + 3)


def test_a_view_with_gaps_is_refused_where_a_whole_one_of_its_size_was_taken(run: Launch) -> None:
    whole, y = np.arange(64, dtype=np.uint32), np.zeros(32, np.uint32)
    run(whole[:32], y)
    with pytest.raises(ArgumentError, match="not contiguous"):
        run(whole[::2], y)


def test_overlapping_views_have_bounds_of_their_own(run: Launch) -> None:
    whole, y = np.arange(64, dtype=np.uint32), np.zeros(64, np.uint32)
    run(whole[:32], whole[16:48])
    assert whole[16:48].tolist() == [*range(1, 17), *range(17, 33)]
    run(whole, y, block=64)
    with pytest.raises(openptx.Fault, match="outside of every allocation"):
        run(whole[:32], y, block=64)
    with pytest.raises(openptx.Fault, match="outside of every allocation"):
        run(whole, y[:33], block=64)


def test_memory_that_a_launch_knows_can_not_move(run: Launch) -> None:
    x, y = numbers()
    run(x, y)
    with pytest.raises(ValueError, match="cannot resize"):  # NumPy sees our weak reference
        x.resize(1 << 16, refcheck=False)


def test_arguments_are_checked_each_time(run: Launch) -> None:
    x, y = numbers()
    run(x, y)
    for wrong, words in (
        ((x, y, 1 << 32, 0.0), "takes -2147483648 to 4294967295"),
        ((x, y, 1.0, 0.0), "takes an integer"),
        ((x, y, y, 0.0), "takes a number, not an array"),
        ((x, y, 1, 1e300), "become infinite"),
        ((x, y, 1, x), "takes a number, not an array"),
        ((x, 1.5, 1, 0.0), "takes an integer"),
        ((x, [1], 1, 0.0), "numpy.array"),
    ):
        with pytest.raises(ArgumentError, match=words):
            run(*wrong)
    run(x, y, -1, 3)  # CUDA's compiler declares `int` and `unsigned` alike
    assert np.array_equal(y, np.arange(32, dtype=np.uint32) - np.uint32(1))
    run(x, y, True, np.float64(2))
    assert np.array_equal(y, np.arange(32) + 1)


def test_shapes_are_checked_each_time() -> None:
    kernel = openptx.load(ADD)["k"]
    x, y = numbers()
    kernel((1, 1), (32,), (x, y, 1, 0.0), engine="native")
    wrong: Any = ((True, 32), ((1, True), 32), ((1.0, 1), 32), (1, 32.0), (1, 2048), (0, 32))
    for grid, block in wrong:
        with pytest.raises(ArgumentError):
            kernel(grid, block, (x, y, 1, 0.0), engine="native")


def test_a_launch_keeps_no_array_alive(run: Launch) -> None:
    x, y = numbers()
    run(x, y)
    there = weakref.ref(x)
    del x
    gc.collect()
    assert there() is None
    run(y, y)


def test_a_fault_leaves_nothing_behind() -> None:
    kernel = openptx.load(ADD)["trapped"]
    for cta in (3, 0):
        with pytest.raises(openptx.Fault) as found:
            kernel(8, 32, (cta,), engine="native", workers=1)
        assert (found.value.name, found.value.block) == ("trap", (cta, 0, 0))
        kernel(8, 32, (99,), engine="native", workers=1)


def test_threads_may_launch_one_kernel_at_once() -> None:
    kernel = openptx.load(ADD)["k"]
    wrong: list[object] = []

    def work(seed: int) -> None:
        try:
            for i in range(200):
                x = np.full(64, seed, np.uint32)
                y = np.zeros(64, np.uint32)
                kernel(2, 32, (x, y, i, 0.0), engine="native", workers=1 + i % 2)
                if not (y == seed + i).all():
                    wrong.append((seed, i))
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(1000 * seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_launch_may_come_in_the_midst_of_another() -> None:
    """A finalizer launches when and where an array goes, which may be in a launch."""
    kernel = openptx.load(ADD)["k"]
    x, y = numbers()
    inner = np.zeros(32, np.uint32)

    class Last:
        def __del__(self) -> None:
            kernel(1, 32, (x, inner, 5, 0.0), engine="native")

    class Number(int):
        def __index__(self) -> int:
            kernel(1, 32, (x, inner, 5, 0.0), engine="native")
            return 2

        __int__ = __index__

    kernel(1, 32, (x, y, Number(2), 0.0), engine="native")
    assert np.array_equal(y, np.arange(32) + 2)
    assert np.array_equal(inner, np.arange(32) + 5)
    before = gc.get_threshold()
    try:
        gc.set_threshold(1)
        for i in range(20):
            cycle: list[object] = [Last()]
            cycle.append(cycle)
            del cycle
            kernel(1, 32, (x, y, i, 0.0), engine="native")
            assert np.array_equal(y, np.arange(32) + i)
    finally:
        gc.set_threshold(*before)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system can't fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_forked_process_has_workers_of_its_own() -> None:
    kernel = openptx.load(ADD)["k"]
    x, y = np.arange(64, dtype=np.uint32), np.zeros(64, np.uint32)
    kernel(2, 32, (x, y, 1, 0.0), engine="native", workers=2)
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # it ends by itself, whatever happens
        kernel(2, 32, (x, y, 2, 0.0), engine="native", workers=2)
        os._exit(0 if np.array_equal(y, np.arange(64) + 2) else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert np.array_equal(y, np.arange(64) + 1)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system can't fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_process_is_not_forked_while_a_thread_uses_llvm() -> None:
    """Otherwise the child would wait forever for that thread, which it does not have."""
    begun, ended = threading.Event(), threading.Event()

    def use() -> None:
        with LLVM:
            begun.set()
            ended.wait(0.2)

    thread = threading.Thread(target=use)
    thread.start()
    begun.wait()
    child = os.fork()
    if child == 0:
        os._exit(0 if LLVM.acquire(timeout=5) else 1)
    assert os.waitpid(child, 0)[1] == 0
    thread.join()
    assert LLVM.acquire(timeout=5)
    LLVM.release()
