"""Compilation is cancelled by time limits and signals: while emitting text, and while LLVM runs."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from subprocess import Popen

import numpy as np
import pytest

import openptx
from openptx.engines.native import settings
from openptx.engines.native.rtlib import support
from openptx.llvm import subprocess_compile
from openptx.locks import LLVM

LATE = 5.0
"""As in test_native_stops.py."""
HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"


def long_kernel(operations: int) -> str:
    """A chain of divisions: 0.1 to 1 s for each thousand, half of it to make the text and half in LLVM."""
    body = "".join(f"div.rn.f32 %f{i % 50}, %f{(i + 7) % 50}, %f{(i + 3) % 50};\n" for i in range(operations))
    first = "".join(f"add.f32 %f{i}, %f50, {i}.5;\n" for i in range(50))
    return (
        f"{HEAD}.visible .entry k(.param .u64 x) {{ .reg .f32 %f<51>; .reg .b64 %rd<2>; ld.param.u64 %rd1, [x];\n"
        f"ld.global.f32 %f50, [%rd1];\n{first}{body} st.global.f32 [%rd1], %f1; ret; }}"
    )


@pytest.fixture(autouse=True)
def _nothing_is_kept() -> Generator[None]:
    openptx.load(f"{HEAD}.entry k() {{ ret; }}")["k"](1, 1, (), engine="native")  # what all kernels share
    with settings.cache_at(None):
        yield


@pytest.mark.parametrize(("timeout", "operations"), [(0.1, 10000), (1.0, 40000)])
def test_a_time_limit_ends_compiling(timeout: float, operations: int) -> None:
    kernel = openptx.load(long_kernel(operations))["k"]
    start = time.process_time()  # not of the clock: a busy machine is late
    with pytest.raises(openptx.Fault) as found:
        kernel(1, 32, (np.ones(1, np.float32),), engine="native", timeout=timeout)
    assert time.process_time() - start < timeout + 2
    assert found.value.name == "timeout"
    assert "it was being compiled" in found.value.notes


class Ended(Exception):
    """What ends compiling here, in place of a time limit."""


def slow_compile(monkeypatch: pytest.MonkeyPatch, end: threading.Event | None = None) -> threading.Event:
    """Compiling in a process that never ends, for all texts; set when it has begun. `end` raises `Ended` in it."""
    begun = threading.Event()
    start = subprocess_compile.compile_in_subprocess

    def noted(text: str, check: Callable[[], None], process: Popen[bytes] | None, *how: bool) -> bytes:
        begun.set()

        def checked() -> None:
            check()
            if end is not None and end.is_set():
                raise Ended

        return start(text, checked, process, *how)

    monkeypatch.setattr(subprocess_compile, "CHILD", "import time; time.sleep(600)")
    monkeypatch.setattr(support, "may_fork", lambda: False)
    monkeypatch.setattr(support, "compile_in_subprocess", noted)
    monkeypatch.setattr(support, "LONG", 0)
    return begun


def test_a_time_limit_ends_llvm(monkeypatch: pytest.MonkeyPatch) -> None:
    module = openptx.load(long_kernel(3))
    with monkeypatch.context() as patch:
        begun = slow_compile(patch)
        start = time.monotonic()
        with pytest.raises(openptx.Fault, match=r"did not start within 0\.5 seconds"):
            module["k"](1, 32, (np.ones(1, np.float32),), engine="native", timeout=0.5)
        assert 0.5 <= time.monotonic() - start < 0.5 + LATE
        assert begun.is_set()
    x = np.ones(1, np.float32)
    module["k"](1, 1, (x,), engine="native")  # nothing is left of the first
    y = np.ones(1, np.float32)
    module["k"](1, 1, (y,), engine="interp")
    assert x == y


def test_others_launch_and_fork_while_one_compiles_long(monkeypatch: pytest.MonkeyPatch) -> None:
    other = openptx.load(f"{HEAD}.entry k() {{ ret; }}")
    other["k"](1, 1, (), engine="native")
    module = openptx.load(long_kernel(3))
    end = threading.Event()
    begun = slow_compile(monkeypatch, end)
    ended: list[str] = []

    def work() -> None:
        with pytest.raises(Ended) as found:
            module["k"](1, 32, (np.ones(1, np.float32),), engine="native", timeout=300)
        ended.append(found.typename)

    thread = threading.Thread(target=work)
    thread.start()
    assert begun.wait(100)
    assert LLVM.acquire(timeout=1)  # what a forking thread waits for
    LLVM.release()
    other["k"](1, 1, (), engine="native")
    assert thread.is_alive()
    end.set()
    thread.join()
    assert ended == ["Ended"]


def test_the_process_gives_the_same_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(support, "LONG", 0)
    monkeypatch.setattr(support, "compile", None)  # not here
    x = np.ones(1, np.float32)
    openptx.load(long_kernel(3))["k"](1, 1, (x,), engine="native")
    y = np.ones(1, np.float32)
    openptx.load(long_kernel(3))["k"](1, 1, (y,), engine="interp")
    assert x == y


def test_programs_that_embed_python_compile_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(support, "LONG", 0)
    monkeypatch.setattr(support, "compile_in_subprocess", None)
    monkeypatch.setattr(sys, "executable", "/usr/bin/blender")
    openptx.load(long_kernel(3))["k"](1, 1, (np.ones(1, np.float32),), engine="native")


STORM = """
import signal, sys, time
import numpy as np, openptx
from test_native_compile_stops import long_kernel
from openptx.engines.native import settings
from openptx.engines.native.rtlib import support
support.LONG = int(sys.argv[1])

class Interrupted(Exception): pass
armed = False

def handler(*_):
    if armed:
        raise Interrupted

signal.signal(signal.SIGALRM, handler)
expected = np.ones(1, np.float32)
openptx.load(long_kernel(20))["k"](1, 1, (expected,), engine="interp")
stopped, times = 0, int(sys.argv[2])
with settings.cache_at(None):
    for text in ("// warm", "// timed"):
        start = time.perf_counter()
        openptx.load(long_kernel(20) + text)["k"](1, 1, (np.ones(1, np.float32),), engine="native")
    first_launch = time.perf_counter() - start
    for i in range(times):
        module = openptx.load(long_kernel(20) + f"// {i}")
        try:
            armed = True
            signal.setitimer(signal.ITIMER_REAL, first_launch * (i + 1) / times)
            module["k"](1, 1, (np.ones(1, np.float32),), engine="native")
        except Interrupted:
            stopped += 1
        finally:
            armed = False
            signal.setitimer(signal.ITIMER_REAL, 0)
        x = np.ones(1, np.float32)
        module["k"](1, 1, (x,), engine="native", timeout=60)
        assert x == expected
print(stopped > 3)
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no such signals")
@pytest.mark.parametrize(("longest", "times"), [(1 << 60, 40), (0, 12)], ids=["here", "apart"])
def test_signals_at_any_point_of_a_first_launch_leave_the_second_whole(longest: int, times: int) -> None:
    folder = __file__.rpartition("/")[0]
    command = [sys.executable, "-c", STORM, str(longest), str(times)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr[-3000:]


def test_a_time_limit_ends_waiting_for_llvm() -> None:
    """While another thread uses LLVM for long."""
    module = openptx.load(long_kernel(4))
    held, end = threading.Event(), threading.Event()

    def hold() -> None:
        with LLVM:
            held.set()
            end.wait(20)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    try:
        start = time.monotonic()
        with pytest.raises(openptx.Fault, match=r"did not start within 0\.5 seconds"):
            module["k"](1, 32, (np.ones(1, np.float32),), engine="native", timeout=0.5)
        assert time.monotonic() - start < 0.5 + LATE
    finally:
        end.set()
        thread.join()
    module["k"](1, 32, (np.ones(1, np.float32),), engine="native")


ACQUIRING = """
import signal, sys, threading, time
from openptx.locks import LLVM

class Interrupted(Exception): pass

armed = ended = False
raised = 0

def handler(*_):
    global raised
    if armed:
        raised += 1
        raise Interrupted

def contend():
    while not ended:
        with LLVM:
            time.sleep(0.0003)
        time.sleep(0.0003)

def acquire():
    global armed
    armed = True
    try:
        with LLVM:
            with LLVM:
                pass
    except Interrupted:
        pass

contender = threading.Thread(target=contend)
contender.start()
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.0002, 0.00005)
end, leaks = time.monotonic() + 60, 0
while raised < 3000 and time.monotonic() < end:
    try:
        acquire()
    except Interrupted:
        pass
    armed = False
    try:
        LLVM.release()
        leaks += 1
    except RuntimeError:
        pass
signal.setitimer(signal.ITIMER_REAL, 0)
ended = True
contender.join(30)
print(raised > 100, leaks, contender.is_alive())
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no such signals")
def test_storms_of_signals_leave_the_lock_of_llvm_free() -> None:
    done = subprocess.run([sys.executable, "-c", ACQUIRING], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "True 0 False\n"), done.stderr[-3000:]
