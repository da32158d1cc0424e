"""The compile service: code is compiled once, in the background; launches succeed whatever happens to the server."""

from __future__ import annotations

import logging
import os
import signal
import threading
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from launching import HEAD, LOOP, jobs, launch, replied, until

import openptx
from openptx.engines.native import settings
from openptx.engines.tiers import server_process, service

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="servers are watched on systems with fork"),
    pytest.mark.usefixtures("only_a_server"),
]


ALLOCA = LOOP.replace("A:", "alloca.u64 %rd3, 16; A:")


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
    with pytest.raises(openptx.Fault, match="the kernel did not start within"):
        kernel(1, 32, (np.zeros(32, np.uint32), 5), engine="native", timeout=0.2)


def test_the_reference_engine_never_asks() -> None:
    kernel = openptx.load(HEAD + LOOP)["k"]
    x = np.zeros(32, np.uint32)
    kernel(1, 32, (x, 5), engine="interp")
    kernel(1, 32, (x, 5), max_instructions=1000)
    kernel(2, 32, (x, 5), cluster=2)
    kernel(1, 32, (x, 5), initcheck=True)
    with patch.dict(os.environ, OPENPTX_TIERS="0"), pytest.raises(AssertionError, match="by the process that launches"):
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
    ("from openptx.compile_server import server; server.load = None; server.main()",
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
