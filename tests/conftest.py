"""Settings for all tests."""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

import compiled_once
from bounded_sweep import BoundedSweep

HURRIED = [Path(__file__).parent / folder for folder in ("unit/matrix", "unit/interp", "models")]
"""Where kernels of one instruction run once, as machine code too. LLVM's optimisation is tested by the same tests in
the sweep, by tests/kernels, whose kernels have such instructions, and by tests/unit/native."""

compiled_once.install()
# Which engine runs a launch, and when, would depend on how busy the computer is. The tests of tiers turn them on.
os.environ.setdefault("OPENPTX_TIERS", "0")
# Hundreds of tests start a process that imports the package: 0.1 s with bytecode, 0.4 s where images of containers set
# this variable and each process compiles the package again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# A shell's background jobs ignore Ctrl-C, and so would the processes that tests start and then interrupt.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--sweep-minutes", type=float, help="run as many tests as there is time for (bounded_sweep.py)")
    parser.addoption("--sweep-seed", type=int, help="which of them; by default the time of day")


def pytest_configure(config: pytest.Config) -> None:
    option = config.option
    if option.sweep_minutes:
        if option.sweep_seed is None:
            option.sweep_seed = int(time.time()) % 100_000  # xdist gives the options to its workers
        config.pluginmanager.register(BoundedSweep(option.sweep_minutes, option.sweep_seed))


def pytest_collection_finish() -> None:
    """Take the collected tests out of the garbage collector's sight.

    There are over ten thousand of them, a million objects that live to the end. A test that calls `gc.collect()`, for
    arrays and modules whose memory it wants back, walked them all: half a second each time, a minute of each worker.
    """
    gc.collect()
    gc.freeze()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    hurried = item.get_closest_marker("sweep") is None and any(folder in item.path.parents for folder in HURRIED)
    with compiled_once.compiled_hurriedly() if hurried else nullcontext():
        yield


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """The same after each file, for what its tests left in memory for good."""
    yield
    if nextitem is None or nextitem.path != item.path:
        gc.collect()
        gc.freeze()
