# ruff: noqa: E501 - PTX in one line reads better here
"""Launches stopped by a time limit or a signal at any point, and the state afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

import numpy as np
import pytest

import openptx
from openptx.engines.native.runtime.execution import Execution

LIMIT = 0.15
"""The time limit of endless kernels, in seconds."""

LATE = 5.0
"""Seconds after its limit at which a launch fails these tests; a busy computer takes its time. Idle ones need 0.05."""

HEAD = """.version 8.0
.target sm_80
.address_size 64
"""
REGISTERS = ".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>;"
ENTRY = f"{HEAD}.visible .entry k(.param .u64 x) {{ {REGISTERS}"
HUGE = 2**31 - 1
CALLS = "".join(f".func f{i + 1}() {{ call f{i}; call f{i}; ret; }}\n" for i in range(40))
LOOP = "{ .reg .b32 i; .reg .pred p; mov.u32 i, 0; L: add.u32 i, i, 1; setp.lt.u32 p, i, 60000; @p bra L; ret; }\n"
BULK = (
    HEAD.replace("8.0", "8.6").replace("sm_80", "sm_100") + ENTRY.removeprefix(HEAD) + ".shared .align 16 .b8 s[49152];"
)
# fmt: off
ENDLESS = {  # grid, block, text
    "an empty kernel":   (HUGE, 1, f"{ENTRY} ret; }}"),
    "empty blocks":      (HUGE, 1024, f"{ENTRY} ret; }}"),
    "one turn":          (HUGE, 32, f"{ENTRY} mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 1; @%p1 bra L; ret; }}"),
    "shared memory":     (HUGE, 32, f"{ENTRY} .shared .b32 s[64]; st.shared.u32 [s], 1; ret; }}"),
    "much local memory": (HUGE, 1024, f"{ENTRY} .local .b8 l[1024]; mov.u32 %r1, %tid.x; and.b32 %r1, %r1, 4; mov.u32 %r2, l; add.u32 %r2, %r2, %r1; st.local.u32 [%r2], 1; ld.local.u32 %r3, [l]; ret; }}"),
    "a barrier":         (HUGE, 64, f"{ENTRY} bar.sync 0; ret; }}"),
    "a loop":            (1, 32, f"{ENTRY} L: bra L; }}"),
    "loops of barriers": (1, 64, f"{ENTRY} L: bar.sync 0; bra L; }}"),
    "loops in warps":    (1, 1024, f"{ENTRY} O: mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 60000; @%p1 bra L; bar.sync 0; bra O; }}"),
    "waiting":           (2, 64, f"{ENTRY} ld.param.u64 %rd1, [x]; L: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; ret; }}"),
    "a chain of calls":  (1, 32, f"{HEAD}.func f0() {{ ret; }}\n{CALLS}{ENTRY.removeprefix(HEAD)} call f40; ret; }}"),
    "calls of loops":    (1, 32, f"{HEAD}.func f0() {LOOP}{CALLS}{ENTRY.removeprefix(HEAD)} call f40; ret; }}"),
    "loops of calls":    (1, 32, f"{HEAD}.func f0() {LOOP}{ENTRY.removeprefix(HEAD)} L: call f0; bra L; }}"),
    "bulk stores":       (1, 32, f"{BULK} mov.u64 %rd1, s; L: st.bulk.weak.shared::cta [%rd1], 49152, 0; bra L; }}"),
    "bulk copies":       (1, 32, f"{BULK} ld.param.u64 %rd1, [x]; L: cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 49152; bra L; }}"),
    "clocks":            (1, 32, f"{ENTRY} L: mov.u64 %rd1, %globaltimer; bra L; }}"),
}
# fmt: on


@pytest.fixture(autouse=True, scope="module")
def _compiled() -> None:
    """What all kernels share is on disk: only the first launch of all would wait for it."""
    for body in ("ret;", "bar.sync 0; ret;"):
        openptx.load(f"{ENTRY} {body} }}")["k"](1, 64, (np.zeros(1, np.uint32),), engine="native")


def launch(name: str, engine: str, workers: int, timeout: float | None) -> None:
    grid, block, text = ENDLESS[name]
    options = {"workers": workers} if engine == "native" else {}
    data = np.zeros(2 << 20 if name.startswith("bulk") else 64, np.uint32)
    openptx.load(text)["k"](grid, block, (data,), engine=engine, timeout=timeout, **options)


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("name", ENDLESS)
def test_time_limits_hold(name: str, workers: int) -> None:
    start = time.monotonic()
    with pytest.raises(openptx.Fault) as found:
        launch(name, "native", workers, LIMIT)
    assert found.value.name == "timeout"
    assert time.monotonic() - start < LIMIT + LATE


@pytest.mark.parametrize("name", ENDLESS)
def test_time_limits_hold_on_the_reference_engine(name: str) -> None:
    start = time.monotonic()
    with pytest.raises(openptx.Fault) as found:
        launch(name, "interp", 1, LIMIT)
    assert found.value.name == "timeout"
    assert time.monotonic() - start < LIMIT + LATE


class Interrupted(Exception):
    """What a signal's handler raises here."""


@contextmanager
def interrupted(after: float, handler: Callable[..., object] | None = None) -> Generator[None]:
    """The main thread gets signals after some seconds, again and again."""

    def stop(*_: object) -> None:
        raise Interrupted

    before = signal.signal(signal.SIGALRM, handler or stop)
    signal.setitimer(signal.ITIMER_REAL, after, 0.25)
    try:
        yield
    finally:
        while True:
            try:
                signal.setitimer(signal.ITIMER_REAL, 0)
                signal.signal(signal.SIGALRM, before)
                break
            except Interrupted:
                pass


has_alarms = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no such signals")


@has_alarms
@pytest.mark.parametrize(("name", "workers"), [
    (name, workers) if workers == (1, 3)[i & 1] else pytest.param(name, workers, marks=pytest.mark.sweep)
    for i, name in enumerate(ENDLESS) for workers in (1, 3)
])  # fmt: skip
def test_what_a_handler_raises_stops_a_launch(name: str, workers: int) -> None:
    start = time.monotonic()
    with pytest.raises(Interrupted), interrupted(0.2):
        launch(name, "native", workers, 30)
    assert time.monotonic() - start < 0.2 + LATE


STORM = """
import faulthandler, signal, sys
import numpy as np, openptx
faulthandler.dump_traceback_later(100, exit=True)  # a deadlock tells where it is

SOURCE = '''.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u32 n) {
.reg .pred %p; .reg .b32 %r<8>; .reg .b64 %rd<4>;
ld.param.u64 %rd1, [x]; ld.param.u32 %r3, [n]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
mad.lo.u32 %r2, %r2, 32, %r1; mul.wide.u32 %rd2, %r2, 4; add.s64 %rd1, %rd1, %rd2; mov.u32 %r4, 0;
L: add.u32 %r4, %r4, 1; st.volatile.global.u32 [%rd1], %r4; setp.lt.u32 %p, %r4, %r3; @%p bra L; ret; }
'''
armed = False

def handler(*_):
    if armed:
        raise KeyboardInterrupt

signal.signal(signal.SIGALRM, handler)
kernel = openptx.load(SOURCE)["k"]
stopped = done = 0
for i in range(400):
    x = np.zeros(32 * 64, np.uint32)
    try:
        armed = True
        signal.setitimer(signal.ITIMER_REAL, 0.0001 + i % 37 * 0.0001, 0.0003)
        kernel(64, 32, (x, 2000), engine="native", workers=1 + i % 4)
        armed = False
        assert (x == 2000).all()
        done += 1
    except KeyboardInterrupt:
        armed = False
        stopped += 1
        before = x.copy()
        y = np.ones(50, np.uint32).sum()
        assert np.array_equal(before, x), "a thread still writes"
    armed = False
signal.setitimer(signal.ITIMER_REAL, 0)
kernel(64, 32, (x, 5), engine="native", workers=4)
assert (x == 5).all()
print(stopped > 10)
"""


@has_alarms
def test_storms_of_signals_leave_nothing_running() -> None:
    """A handler raises at hundreds of points of a launch; its arrays are at rest when it has ended."""
    done = subprocess.run([sys.executable, "-c", STORM], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr[-2000:]


@has_alarms
def test_a_second_interruption_leaves_nothing_running(monkeypatch: pytest.MonkeyPatch) -> None:
    """A handler raises twice: in a launch, and as that begins to wait for its other threads."""
    runs, wait = list[Execution](), Execution.wait

    def interrupted_at_first(run: Execution) -> None:
        runs.append(run)
        if len(runs) == 1:
            raise Interrupted
        wait(run)

    monkeypatch.setattr(Execution, "wait", interrupted_at_first)
    with pytest.raises(Interrupted), interrupted(0.1):
        launch("one turn", "native", 2, 5)
    assert all(task.over for task in runs[0].tasks)


@has_alarms
def test_a_handler_launches_the_same_kernel() -> None:
    kernel = openptx.load(f"{ENTRY} L: bra L; }}")["k"]
    faults: list[str] = []

    def handler(*_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        with pytest.raises(openptx.Fault) as found:
            kernel(1, 32, (np.zeros(4, np.uint32),), engine="native", workers=2, timeout=0.1)
        faults.append(found.value.name)

    with pytest.raises(openptx.Fault), interrupted(0.1, handler):
        kernel(2, 32, (np.zeros(4, np.uint32),), engine="native", workers=2, timeout=0.6)
    assert faults == ["timeout"]


def test_launches_of_several_threads_are_their_own() -> None:
    text = f"{ENTRY} ld.param.u64 %rd1, [x]; mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r1; ret; }}"
    kernel, wrong = openptx.load(text)["k"], list[int]()

    def work(seed: int) -> None:
        for size in range(seed, seed + 60):
            x = np.zeros(size, np.uint32)
            kernel(size, 1, (x,), engine="native", workers=1 + size % 3)
            if not np.array_equal(x, np.arange(size)):
                wrong.append(size)

    threads = [threading.Thread(target=work, args=(10 * i + 1,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


EXIT = f"""
import sys, threading, time
import numpy as np, openptx
text = {ENTRY!r} + sys.argv[1] + "}}"
kernel = openptx.load(text)["k"]
x = np.zeros(1 << 20, np.uint32)
threading.Thread(target=kernel, args=(4, 64, (x,)), kwargs=dict(engine=sys.argv[2]), daemon=True).start()
time.sleep(0.4)
print("end", flush=True)
"""
BODIES = {
    "a loop": "L: bra L;",
    "stores": "ld.param.u64 %rd1, [x]; L: st.volatile.global.u32 [%rd1], 1; bra L;",
    "a recursion": "L: call f, (3); bra L;",
}


@pytest.mark.parametrize("engine", ["native", "interp"])
@pytest.mark.parametrize("name", BODIES)
def test_python_ends_while_a_daemon_thread_launches(name: str, engine: str) -> None:
    program = EXIT
    if name == "a recursion":
        f = ".func f(.reg .b32 n) { .reg .pred p; .reg .b32 m; setp.eq.u32 p, n, 0; @p ret; sub.u32 m, n, 1; call f, (m); ret; }\n"
        program = EXIT.replace(repr(ENTRY), repr(HEAD + f + ENTRY.removeprefix(HEAD)))
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", program, BODIES[name], engine], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")
    assert time.monotonic() - start < 30


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_on_the_command_line_is_a_line_and_status_130(tmp_path: object) -> None:
    path = f"{tmp_path}/k.ptx"
    with open(path, "w") as file:
        file.write(f"{ENTRY} L: bra L; }}")
    for engine in ("native", "interp"):
        command = [sys.executable, "-m", "openptx", "run", path, "--grid", "9", "--block", "32"]
        with subprocess.Popen(
            [*command, "--engine", engine, "--arg", "zeros:u32:4"], stderr=subprocess.PIPE, text=True,
        ) as child:  # fmt: skip
            time.sleep(1.5)
            for _ in range(3):
                child.send_signal(signal.SIGINT)
                time.sleep(0.02)
            _, errors = child.communicate(timeout=20)
        # The last signal may come when Python has restored the system's handler already: a shell has 130 for that, too.
        assert child.returncode in (130, -signal.SIGINT)
        assert errors.replace("\r", "").strip().splitlines()[-1] == "error: interrupted"
        assert "Traceback" not in errors


def test_time_limits_hold_within_a_long_block_of_the_reference_engine() -> None:
    """20,000 instructions without a branch, for 32,768 lanes: a second of a fast processor."""
    text = f"{ENTRY} mov.u32 %r1, %tid.x;" + "fma.rn.f32 %r1, %r1, %r1, %r1;".replace("%r", "%f") * 20_000 + "ret; }"
    text = text.replace(".reg .pred", ".reg .f32 %f<4>; mov.f32 %f1, 0f3F800000; .reg .pred")
    kernel = openptx.load(text)["k"]
    start = time.process_time()
    with pytest.raises(openptx.Fault) as found:
        kernel(32, 1024, (np.zeros(4, np.uint32),), engine="interp", timeout=0.2)
    assert found.value.name == "timeout"
    assert time.process_time() - start < 0.2 + LATE
