"""The compile service: code is made once, in the background; whatever becomes of the server, launches give results."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import openptx
from openptx.engines.native import settings, tiering
from openptx.engines.native.pipeline import lower_kernel
from openptx.engines.native.runtime import baseline, compile_time, compiled_kernel
from openptx.engines.native.runtime.plan import plans
from openptx.engines.tiers import server_process, service

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
LOOP = """.visible .entry k(.param .u64 x, .param .u32 n) {
.reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<2>;
ld.param.u64 %rd1, [x]; ld.param.u32 %r2, [n]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
A: ld.global.u32 %r3, [%rd1]; add.u32 %r3, %r3, 1; st.global.u32 [%rd1], %r3;
sub.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra A; ret; }
"""
ALLOCA = LOOP.replace("A:", "alloca.u64 %rd3, 16; A:")
PARTED = """.visible .entry k(.param .u64 x, .param .u64 y) {
.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<2>;
ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4;
add.s64 %rd1, %rd1, %rd3; add.s64 %rd2, %rd2, %rd3; ld.global.u32 %r2, [%rd1]; mov.u32 %r3, 0; mov.u32 %r4, 0;
A: setp.ge.u32 %p1, %r3, %r2; @%p1 bra B; ld.global.u32 %r5, [%rd1]; add.u32 %r4, %r4, %r5; add.s64 %rd1, %rd1, 4;
add.u32 %r3, %r3, 1; bra A;
B: ld.global.u32 %r5, [%rd1]; add.u32 %r4, %r4, %r5; st.global.u32 [%rd2], %r4; ret; }
"""
"""Lanes leave a loop, in which addresses depend on how often it ran, at different times."""

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="servers are watched on systems with fork")


@pytest.fixture(autouse=True)
def tiers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Tiers are on, for small kernels too; nothing is compiled in this process, all by a server."""

    def here(*_: Any) -> Any:
        raise AssertionError("compiled by the process that launches")

    monkeypatch.setattr(tiering, "AT_ONCE", 0.0)
    monkeypatch.setattr(tiering, "AT_ONCE_ALONE", 0.0)
    monkeypatch.setattr(tiering, "ASKED", 0.0)
    monkeypatch.setattr(tiering, "SHARE", 0.0)
    monkeypatch.setattr(compiled_kernel, "lower_kernel", here)
    monkeypatch.setattr(service, "may_fork", bool)
    service.close()
    with settings.tiers(), settings.cache_at(None):
        yield
    service.close()


@pytest.fixture
def native_runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the kernels that ran as machine code."""
    seen, run = list[str](), tiering.run

    def noted(program: Any, function: Any, *args: Any, **options: Any) -> None:
        run(program, function, *args, **options)
        seen.append(function.name)

    monkeypatch.setattr(tiering, "run", noted)
    return seen


def launch(kernel: Any, turns: int = 3) -> None:
    x = np.arange(32, dtype=np.uint32)
    kernel(1, 32, (x, turns))
    assert np.array_equal(x, np.arange(32) + turns)


def until(done: Callable[[], object]) -> None:
    end = time.monotonic() + 60
    while not done():
        assert time.monotonic() < end
        time.sleep(0.01)


def jobs() -> list[service.Job]:
    return [*service.service().jobs]


def replied() -> bool:
    return all(job.reply is not None for job in jobs())


def warnings(caplog: pytest.LogCaptureFixture, count: int = 1) -> list[str]:
    """What was said, when so much was: a moment after the reply is there."""

    def said() -> list[str]:
        return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]

    until(lambda: len(said()) >= count)
    return said()


def folder(where: str, tmp_path: Path) -> Path | None:
    if where == "none":
        return None
    if where == "not to be written to":
        (tmp_path / "file").write_text("")
        return tmp_path / "file" / "cache"
    return tmp_path


@pytest.mark.parametrize("where", ["none", "not to be written to", "a folder"])
def test_code_is_made_once_in_the_background(where: str, tmp_path: Path, native_runs: list[str]) -> None:
    """Two modules of one text, two launches of one kernel while it is made, and another kernel."""
    other = LOOP.replace(" k(", " other(")
    with settings.cache_at(folder(where, tmp_path)):
        modules = [openptx.load(HEAD + LOOP + other) for _ in range(2)]
        for module in (*modules, modules[0]):
            launch(module["k"])
        launch(modules[0]["other"])
        assert native_runs == []
        assert len(jobs()) == 2
        until(replied)
        assert [job.reply.problem for job in jobs() if job.reply] == ["", ""]
        for module in modules:
            launch(module["k"])
        launch(modules[0]["other"])
        assert native_runs == ["k", "k", "other"]
        assert len(jobs()) == 2
        assert any(tmp_path.rglob("*.object")) == (where == "a folder")


def test_code_takes_over_in_the_midst_of_a_launch(native_runs: list[str]) -> None:
    launch(openptx.load(HEAD + LOOP)["k"], 10_000_000)  # which takes the reference engine some minutes
    assert native_runs == ["k"]


def test_native_waits_for_code_that_is_being_made(native_runs: list[str]) -> None:
    kernel = openptx.load(HEAD + LOOP)["k"]
    launch(kernel)
    x = np.zeros(32, np.uint32)
    kernel(1, 32, (x, 5), engine="native")
    assert (x == 5).all()
    assert native_runs == ["k"]


def test_native_waits_no_longer_than_the_launch_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_process, "SERVER", "import time; time.sleep(600)")
    kernel = openptx.load(HEAD + LOOP)["k"]
    launch(kernel)
    with pytest.raises(openptx.Fault, match="the kernel ran longer than"):
        kernel(1, 32, (np.zeros(32, np.uint32), 5), engine="native", timeout=0.2)


def test_the_reference_engine_never_asks() -> None:
    kernel = openptx.load(HEAD + LOOP)["k"]
    x = np.zeros(32, np.uint32)
    kernel(1, 32, (x, 5), engine="interp")
    kernel(1, 32, (x, 5), max_instructions=1000)
    kernel(1, 32, (x, 5), cluster=1)
    kernel(1, 32, (x, 5), initcheck=True)
    with settings.tiers(False), pytest.raises(AssertionError, match="by the process that launches"):
        kernel(1, 32, (x, 5))
    assert jobs() == []


def test_what_cannot_be_compiled_stays(native_runs: list[str], caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "openptx")
    kernel = openptx.load(HEAD.replace("8.0", "7.3") + ALLOCA)["k"]
    launch(kernel)
    until(replied)
    launch(kernel)
    launch(kernel)
    assert native_runs == []
    assert len(jobs()) == 1
    until(lambda: "kernel `k` can't be compiled: alloca" in caplog.text)


@pytest.mark.parametrize(("server", "said"), [
    ("import os; from openptx.compile_server import server; server.reply_to = lambda _: os.abort(); server.main()",
     "no code for kernel `k`, which stays on the reference engine: the process that compiles it ended by SIGABRT"),
    ("from openptx.compile_server import server, job; job.load = None; server.main()",
     "no code for kernel `k`, which stays on the reference engine: TypeError: 'NoneType' object is not callable"),
])  # fmt: skip
def test_a_kernel_that_breaks_the_compiler_stays(
    server: str, said: str, monkeypatch: pytest.MonkeyPatch, native_runs: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(server_process, "SERVER", server)
    kernel = openptx.load(HEAD + LOOP)["k"]
    launch(kernel)
    until(replied)
    for _ in range(3):
        launch(kernel)
    assert native_runs == []
    assert warnings(caplog) == [said]
    assert not service.service().broken


@pytest.mark.parametrize("server", ["raise SystemExit(3)", "import time; time.sleep(600)"])
def test_where_no_server_can_be_had_kernels_are_compiled_in_place(
    server: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(server_process, "SERVER", server)
    if "sleep" in server:
        monkeypatch.setattr(server_process, "SILENCE", 0.3)
    kernel = openptx.load(HEAD + LOOP)["k"]
    launch(kernel)
    until(replied)
    with pytest.raises(AssertionError, match="by the process that launches"):
        launch(openptx.load(HEAD + LOOP)["k"])
    reason = "ended with status 3" if "raise" in server else "said nothing for 0 s"
    assert warnings(caplog, 2) == [
        f"the compile server {reason}; another takes its work",
        f"the compile server {reason}; kernels are compiled where they are launched",
    ]


def test_a_server_that_was_killed_is_replaced(native_runs: list[str]) -> None:
    kernel = openptx.load(HEAD + LOOP)["k"]
    launch(kernel)
    server = service.service().server
    assert server is not None
    until(lambda: server.process)
    assert server.process is not None
    os.kill(server.process.pid, signal.SIGKILL)
    until(replied)
    launch(kernel)
    assert native_runs == ["k"]


def test_arrays_that_other_threads_may_use_stay(native_runs: list[str]) -> None:
    """A thread of the host's: compiled code takes over at the next launch."""
    end = threading.Event()
    other = threading.Thread(target=end.wait)
    other.start()
    try:
        kernel = openptx.load(HEAD + LOOP)["k"]
        launch(kernel)
        until(replied)
        launch(kernel)
        assert native_runs == ["k"]
    finally:
        end.set()
        other.join()


def test_code_that_speculated_wrongly_is_replaced_in_the_background(
    monkeypatch: pytest.MonkeyPatch, native_runs: list[str]
) -> None:
    """It goes on to run, with the generic version, which its first launch makes, until the other code is there."""
    module = openptx.load(HEAD + PARTED)
    x = np.arange(128, dtype=np.uint32) % 5
    wanted = np.zeros(64, np.uint32)
    module["k"](1, 64, (x, wanted), engine="interp")

    def launched() -> bool:
        y = np.zeros(64, np.uint32)
        module["k"](1, 64, (x, y))
        return np.array_equal(y, wanted)

    assert launched()
    until(replied)
    lowered = list[bool]()

    def generic(program: Any, function: Any, image: Any, options: Any, *given: Any) -> Any:
        lowered.append(options.lane_facts)
        return lower_kernel(program, function, image, options, *given)

    monkeypatch.setattr(compiled_kernel, "lower_kernel", generic)
    assert launched()
    assert [job.request().options.speculates for job in jobs()] == [True, False]
    assert launched()
    until(replied)
    assert launched()  # and finds that the other code is there
    assert plans(module.image).not_speculating == {("k", (64, 1, 1))}
    assert launched()
    assert lowered == [False]
    assert len(native_runs) == 4


def test_baseline_code_runs_until_there_is_optimised_code(
    monkeypatch: pytest.MonkeyPatch, native_runs: list[str], tmp_path: Path
) -> None:
    """Which is asked for when launches have taken long enough, and never made twice; a second module needs neither."""

    def kinds() -> list[bool]:
        return [job.request().options.baseline for job in jobs()]

    monkeypatch.setattr(tiering, "BASELINE", 0.0)
    monkeypatch.setattr(baseline, "EACH", 1.0)
    with settings.cache_at(tmp_path):
        kernel = openptx.load(HEAD + LOOP)["k"]
        launch(kernel)
        until(replied)
        launch(kernel)
        assert kinds() == [True]
        assert native_runs == ["k"]
        assert all(plan.options.baseline for plan in plans(kernel.module.image).made.values())
        monkeypatch.setattr(baseline, "EACH", 0.0)
        launch(kernel)
        assert kinds() == [True, False]
        until(replied)
        launch(kernel)  # and finds that it is there
        launch(kernel)
        assert [plan.options.baseline for plan in plans(kernel.module.image).made.values()] == [False]
        again = openptx.load(HEAD + LOOP)["k"]
        launch(again)
        assert [plan.options.baseline for plan in plans(again.module.image).made.values()] == [False]
        assert kinds() == [True, False]
        assert len(native_runs) == 5


def test_baseline_code_on_disk_is_used_and_the_native_engine_optimises(
    monkeypatch: pytest.MonkeyPatch, native_runs: list[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(tiering, "BASELINE", 0.0)
    monkeypatch.setattr(baseline, "EACH", 1.0)
    with settings.cache_at(tmp_path):
        launch(openptx.load(HEAD + LOOP)["k"])
        until(replied)
        service.close()  # as another process begins
        kernel = openptx.load(HEAD + LOOP)["k"]
        launch(kernel)
        assert native_runs == ["k"]
        assert jobs() == []
        with pytest.raises(AssertionError, match="by the process that launches"):
            kernel(1, 32, (np.zeros(32, np.uint32), 5), engine="native")


def test_short_launches_of_kernels_that_are_made_quickly_stay(
    monkeypatch: pytest.MonkeyPatch, native_runs: list[str]
) -> None:
    """A launch that takes less long than making the code would, and launches that together take as long, do not."""
    monkeypatch.setattr(compiled_kernel, "lower_kernel", lower_kernel)
    monkeypatch.setattr(compile_time, "FUNCTION", 100.0)
    monkeypatch.setattr(tiering, "AT_ONCE_ALONE", 1000.0)
    kernel = openptx.load(HEAD + LOOP)["k"]
    launch(kernel)
    assert native_runs == []
    state = tiering.states[kernel.module.image]["k"]
    state.spent = state.left - 0.01
    launch(kernel, 1_000_000)
    assert native_runs == ["k"]
    monkeypatch.setattr(compile_time, "FUNCTION", 0.0)
    kernel = openptx.load(HEAD + LOOP)["k"]
    tiering.states.setdefault(kernel.module.image, {})["k"] = state = tiering.TierState(
        kernel.module.program, kernel.function
    )
    state.spent = state.left
    launch(kernel)
    assert native_runs == ["k", "k"]
    assert jobs() == []


def test_launches_whose_loops_will_take_longer_than_making_code_are_abandoned_soon(
    monkeypatch: pytest.MonkeyPatch, native_runs: list[str]
) -> None:
    """By the loop's counter: nobody waits the hundred seconds that making the code is said to take."""
    monkeypatch.setattr(compiled_kernel, "lower_kernel", lower_kernel)
    monkeypatch.setattr(compile_time, "FUNCTION", 100.0)
    monkeypatch.setattr(tiering, "AT_ONCE_ALONE", 1000.0)
    kernel = openptx.load(HEAD + LOOP)["k"]
    launch(kernel, 100)
    assert native_runs == []
    launch(kernel, 30_000_000)  # which takes the reference engine half an hour
    assert native_runs == ["k"]
    assert jobs() == []


def test_long_launches_that_could_not_be_abandoned_wait_for_code(native_runs: list[str]) -> None:
    """With a thread of the host's, which may use the array."""
    end = threading.Event()
    other = threading.Thread(target=end.wait)
    other.start()
    try:
        kernel = openptx.load(HEAD + LOOP)["k"]
        x = np.zeros(32 * 100, np.uint32)
        with pytest.raises(AssertionError, match="by the process that launches"):
            kernel((1 << 10, 1 << 6), 32, (x, 5))
        assert native_runs == []
    finally:
        end.set()
        other.join()


def test_code_is_asked_for_when_launches_have_taken_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the processor, all launches of the kernel together; none that is short starts a server."""
    monkeypatch.setattr(tiering, "ASKED", 1000.0)
    kernel = openptx.load(HEAD + LOOP)["k"]
    launch(kernel)
    assert jobs() == []
    tiering.states[kernel.module.image]["k"].spent = 1e6
    launch(kernel)
    assert len(jobs()) == 1


@pytest.mark.parametrize(("call", "called"), [
    ("call f;", 1),
    (".reg .b64 p; mov.u64 p, f; P: .callprototype _ (); call p, P;", 2),  # by address, so it may be any
])  # fmt: skip
def test_what_is_called_counts_for_the_time_that_code_takes(call: str, called: int) -> None:
    functions = "".join(f".func {name}() {{ .reg .u32 a; mov.u32 a, 1; ret; }}\n" for name in "fg")
    module = openptx.load(HEAD + functions + f".visible .entry m() {{ {call} ret; }} .visible .entry n() {{ ret; }}\n")
    given, code = module.program, module["m"].function.code
    plain = compile_time.FUNCTION + compile_time.EACH * len(code) + compile_time.BRANCH * 2
    wanted = plain + called * (compile_time.FUNCTION + 2 * compile_time.EACH + compile_time.BRANCH)
    assert compile_time.seconds_to_make(given, module["m"].function) == pytest.approx(wanted)


ASSERTED = (
    ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);\n"
    + (
        LOOP.replace(
            "ret;",
            """setp.eq.u32 %p1, %r2, 0; @%p1 bra D;
{.param .b64 m, f, n, s; .param .b32 l; call __assertfail, (m, f, l, n, s);}
D: ret;""",
        )
    )
)


def test_assertions_that_hold_are_no_reason_to_begin_as_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that fails ends the launch, so it takes nothing back; nothing is compiled in this process."""
    monkeypatch.setattr(tiering, "AT_ONCE_ALONE", 1000.0)
    monkeypatch.setattr(compile_time, "FUNCTION", 100.0)
    launch(openptx.load(HEAD + ASSERTED)["k"])
    assert jobs() == []


@pytest.mark.parametrize(("seconds", "engines"), [(0.2, "innniii"), (0.0, "innnnnn")])
def test_launches_return_to_the_reference_engine_where_that_is_faster(
    seconds: float, engines: str, monkeypatch: pytest.MonkeyPatch, native_runs: list[str], caplog: Any
) -> None:
    """Three launches as machine code, all of them twice as long, are enough; of another grid nothing is known yet."""
    caplog.set_level(logging.INFO, "openptx")
    run = tiering.run

    def slowed(*args: Any, **options: Any) -> None:
        run(*args, **options)
        time.sleep(seconds)

    monkeypatch.setattr(tiering, "run", slowed)
    kernel = openptx.load(HEAD + LOOP)["k"]
    launch(kernel)  # once, or the first one's imports count
    launch(kernel)
    until(replied)
    found = "i"
    for _ in engines[1:]:
        before = len(native_runs)
        launch(kernel)
        found += "n" if len(native_runs) > before else "i"
    assert found == engines
    assert caplog.text.count("the reference engine runs such launches from now on") == engines.endswith("i")
    before = len(native_runs)
    kernel(2, 32, (np.zeros(32, np.uint32), 1))
    assert len(native_runs) == before + 1
