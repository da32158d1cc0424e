"""Forks of the launching process compile code: without its files, and launches succeed whatever happens to them."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
from typing import Any

import pytest
from launching import HEAD, LOOP, jobs, launch, replied, until

import openptx
from openptx.engines.auto import costs, policy
from openptx.engines.interp import abandon
from openptx.engines.native.pipeline import lower_kernel
from openptx.engines.native.runtime import background_code, code_requests, compiled_kernel, threads
from openptx.engines.native.runtime import plans as made_plans
from openptx.engines.tiers import forecast, forked_compile, messages, service

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes fork on Linux alone")


@pytest.fixture(autouse=True)
def forks(never_here: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forks make all code, at once, whatever other tests have left in this process."""
    monkeypatch.setattr(costs, "FORK", 0.0)
    monkeypatch.setattr(forked_compile, "LARGEST", 1 << 50)


def test_a_fork_makes_the_code_and_there_is_no_server(native_runs: list[str]) -> None:
    kernel = openptx.load(HEAD + LOOP)["k"]
    launch(kernel, 10_000_000)  # which takes the reference engine some minutes
    launch(openptx.load(HEAD + LOOP)["k"])
    assert native_runs == ["k", "k"]
    assert len(service.service().jobs) == 1
    assert service.service().server is None
    assert service.service().forks == []


def test_a_launch_that_will_take_long_makes_short_code_itself(
    monkeypatch: pytest.MonkeyPatch, native_runs: list[str]
) -> None:
    """A fork would have it later. The code is baseline code, which is there sooner."""
    made = list[bool]()

    def here(program: Any, function: Any, image: Any, options: Any, *given: Any) -> Any:
        made.append(options.baseline)
        return lower_kernel(program, function, image, options, *given)

    def long(*_: object) -> float:
        return 1000.0

    monkeypatch.setattr(compiled_kernel, "lower_kernel", here)
    monkeypatch.setattr(costs, "BASELINE_OF_FORKS", 0.0)
    monkeypatch.setattr(forecast.Forecast, "update", long)
    monkeypatch.setattr(made_plans, "EACH", 1.0)  # a busy machine asks for optimised code no sooner
    launch(openptx.load(HEAD + LOOP)["k"], 10_000)
    assert (native_runs, made) == (["k"], [True])
    assert service.service().jobs == []


def test_whether_to_fork_is_looked_up_once_by_a_launch_that_asks(
    monkeypatch: pytest.MonkeyPatch, native_runs: list[str]
) -> None:
    """And once more by the request; a launch of code that exists does not need to know."""
    calls, may_fork = list[bool](), forked_compile.may_fork

    def counted() -> bool:
        calls.append(may_fork())
        return calls[-1]

    monkeypatch.setattr(service, "may_fork", counted)
    kernel = openptx.load(HEAD + LOOP)["k"]
    launch(kernel, 10_000_000)
    assert (native_runs, calls) == (["k"], [True, True])
    launch(kernel)
    assert (native_runs, len(calls)) == (["k", "k"], 2)


def test_launches_that_wait_for_forks_get_baseline_code(
    monkeypatch: pytest.MonkeyPatch, native_runs: list[str]
) -> None:
    asked, request = list[bool](), code_requests.request_code

    def noted(program: Any, function: Any, image: Any, options: Any, **given: Any) -> Any:
        asked.append(options.baseline)
        return request(program, function, image, options, **given)

    monkeypatch.setattr(policy, "request_code", noted)
    for least in (1.0, 0.0):
        monkeypatch.setattr(costs, "BASELINE_OF_FORKS", least)
        launch(openptx.load(HEAD + LOOP + f"// {least}")["k"], 10_000_000)
    assert (native_runs, asked) == (["k", "k"], [False, True])


def test_it_does_not_ask_for_the_launch_that_forked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whose time limit and abandonment are the parent's: the code of the fork is for later launches, too."""
    parent, asked = os.getpid(), abandon.Abandonable.ask

    def ask(self: abandon.Abandonable) -> None:
        if os.getpid() != parent:
            raise abandon.Abandoned
        asked(self)

    monkeypatch.setattr(abandon.Abandonable, "ask", ask)
    launch(openptx.load(HEAD + LOOP)["k"], 1_000)
    until(replied)
    (job,) = jobs()
    assert job.reply is not None
    assert (job.reply.problem, job.reply.made) == ("", True)


def test_it_has_none_of_the_files_signals_and_output_of_its_parent(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A reader of a pipe would wait for the fork's copy of the other end; a terminal's signals are not meant for it."""

    def told(*_: Any) -> Any:
        print("output of the fork", flush=True)
        kinds = [os.readlink(f"/proc/self/fd/{name}").partition(":")[0] for name in ("0", "1", "2")]
        files = [name for name in os.listdir("/proc/self/fd") if int(name) > 2]
        alone = os.getsid(0) == os.getpid()
        raise ValueError(f"{kinds} {len(files)} {alone} {signal.getsignal(signal.SIGTERM) == signal.SIG_DFL}")

    monkeypatch.setattr(background_code, "codes_of", told)

    def handler(*_: object) -> None:
        raise AssertionError

    before = signal.signal(signal.SIGTERM, handler)
    try:
        launch(openptx.load(HEAD + LOOP)["k"])
    finally:
        signal.signal(signal.SIGTERM, before)
    until(replied)
    (job,) = service.service().jobs
    assert job.reply is not None
    # the pipe, and the folder that is being listed
    assert job.reply.problem == f"ValueError: {['/dev/null'] * 3} 2 True True"
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize("signal_", [signal.SIGABRT, signal.SIGKILL])
def test_a_kernel_that_breaks_the_compiler_stays(
    signal_: signal.Signals, monkeypatch: pytest.MonkeyPatch, native_runs: list[str], caplog: Any
) -> None:
    def breaks(*_: Any) -> None:
        os.kill(os.getpid(), signal_)

    monkeypatch.setattr(background_code, "codes_of", breaks)
    kernel = openptx.load(HEAD + LOOP)["k"]
    for _ in range(3):
        launch(kernel)
        until(replied)
    assert native_runs == []
    until(
        lambda: "no code for kernel `k`, which stays on the reference engine: the process that compiles" in caplog.text
    )
    assert not service.service().broken
    assert [record.levelname for record in caplog.records if record.levelname != "INFO"] == ["WARNING"]


def test_a_process_that_hangs_is_replaced_by_a_server(
    monkeypatch: pytest.MonkeyPatch, native_runs: list[str], caplog: Any
) -> None:
    """It may have been forked while another thread held a lock that it needs."""
    caplog.set_level(logging.WARNING, "openptx")
    lock = threading.Lock()
    lock.acquire()

    def hangs(*_: Any) -> None:
        lock.acquire()

    monkeypatch.setattr(background_code, "codes_of", hangs)
    monkeypatch.setattr(forked_compile, "SILENCE", 0.1)
    kernel = openptx.load(HEAD + LOOP)["k"]
    launch(kernel)
    until(replied)
    launch(kernel)
    assert native_runs == ["k"]
    assert "the process that compiles kernel `k` made no progress for 0 s; a server makes its code" in caplog.text


def test_the_system_refuses_a_process(monkeypatch: pytest.MonkeyPatch, native_runs: list[str]) -> None:
    def none() -> messages.Reply:
        raise AssertionError("made here")

    def ended(*_: Any) -> None:
        raise AssertionError("ended")

    def refused() -> int:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", refused)
    files = len(os.listdir("/proc/self/fd"))
    kernel = openptx.load(HEAD + LOOP)["k"]
    with pytest.raises(OSError, match="unavailable"):
        forked_compile.ForkedCompile(none, ended)
    assert len(os.listdir("/proc/self/fd")) <= files  # another fork's pipe may have been closed
    launch(kernel)
    assert service.service().server is not None
    until(replied)
    launch(kernel)
    assert native_runs == ["k"]


def test_beside_threads_of_the_program_a_server_makes_the_code(native_runs: list[str]) -> None:
    end = threading.Event()
    other = threading.Thread(target=end.wait)
    other.start()
    try:
        assert not forked_compile.may_fork()
        launch(openptx.load(HEAD + LOOP)["k"])
        assert service.service().server is not None
    finally:
        end.set()
        other.join()
    assert forked_compile.may_fork()


def test_large_processes_and_those_without_proc_do_not_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    assert forked_compile.may_fork()
    with monkeypatch.context() as patched:
        patched.setattr(forked_compile, "LARGEST", 1 << 20)
        assert not forked_compile.may_fork()
    assert forked_compile.may_fork()
    monkeypatch.setattr(forked_compile, "STATM", "/no/such/file")
    assert not forked_compile.may_fork()


def test_threads_that_run_compiled_code_forbid_no_forks() -> None:
    task = threads.Task(lambda: 7)
    threads.start(task, deep=False)
    until(lambda: task.over)
    assert any(each.name.startswith(forked_compile.OURS) for each in threading.enumerate())  # it waits for the next
    assert forked_compile.may_fork()


def test_a_program_that_waits_for_all_children_changes_nothing() -> None:
    """In a process of its own: this one may have children that do not end."""
    program = f"""
import contextlib, os
import numpy as np
import openptx
kernel, x = openptx.load({HEAD + LOOP!r})["k"], np.arange(32, dtype=np.uint32)
for turns in 300_000, 3:
    kernel(1, 32, (x, turns), engine="auto")
    with contextlib.suppress(ChildProcessError):
        os.wait()
assert np.array_equal(x, np.arange(32) + 300_003)
"""
    environment = {**os.environ, "OPENPTX_TIERS": "1"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
