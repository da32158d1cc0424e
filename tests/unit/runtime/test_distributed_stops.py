"""Ctrl-C, a fault of one range and the end of the caller stop the ranges that workers run."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest
from test_runtime_distribute import HEAD, KERNELS, scaled

import openptx
from openptx.errors import Fault
from openptx.runtime import load
from openptx.runtime.waiting_caller import Watch, waiting

ENDLESS = HEAD + ".visible .entry k(.param .u64 x) { .reg .u64 a; ld.param.u64 a, [x]; L: st.u32 [a], 1; bra L; }"


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        yield pool


def test_ctrl_c_ends_a_distributed_launch() -> None:
    x = np.zeros(1, np.uint32)
    with ThreadPoolExecutor(2) as pool:
        timer = threading.Timer(0.3, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            openptx.distribute(load(ENDLESS)["k"], pool, 2, 1, (x,), chunks=2, timeout=60.0, engine="interp")
    assert not x.any()


FIRST_FAILS = ENDLESS.replace("L:", ".reg .u32 i; .reg .pred p; mov.u32 i, %ctaid.x; setp.eq.u32 p, i, 0; @p trap; L:")


@pytest.mark.parametrize("engine", ["interp", "native", "auto"])
def test_ranges_end_when_another_one_has_failed(processes: Executor, engine: str) -> None:
    """Otherwise the pool would be at work until the time limit."""
    kernel, x, start = load(FIRST_FAILS)["k"], np.zeros(1, np.uint32), time.monotonic()
    with pytest.raises(Fault, match="trap"):
        openptx.distribute(kernel, processes, 2, 1, (x,), chunks=2, timeout=60.0, engine=engine)
    scaled(load(KERNELS)["scale"], processes, 4)
    assert time.monotonic() - start < 30.0


def test_ranges_of_other_machines_and_of_other_processes_do_not_look_at_the_file() -> None:
    with waiting() as caller:
        near = Watch(caller)
        near()
    with pytest.raises(KeyboardInterrupt):
        Watch(caller)()
    Watch(caller._replace(machine="another"))()
    Watch(caller._replace(process=caller.process + 1))()


class Worker(Executor):
    """Runs ranges at once on this thread, as the main thread of a process of a pool does."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def submit(self, function: Any, /, *args: Any, **keywords: Any) -> Future[Any]:
        future, start = Future[Any](), time.monotonic()
        try:
            future.set_result(function(*args, **keywords))
        except BaseException as error:
            future.set_exception(error)
        self.seconds.append(time.monotonic() - start)
        return future


def test_after_ctrl_c_a_worker_runs_no_other_range() -> None:
    x, worker = np.zeros(1, np.uint32), Worker()
    threading.Timer(0.3, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        openptx.distribute(load(ENDLESS)["k"], worker, 3, 1, (x,), chunks=3, timeout=5.0, engine="interp")
    assert max(worker.seconds[1:]) < 2.0
    scaled(load(KERNELS)["scale"], worker, 3)
