"""On a terminal, work of more than a second shows its progress; the log names the engine of each kernel."""

from __future__ import annotations

import io
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import openptx
from openptx import progress
from openptx.cli.terminal import Clock
from openptx.engines.native import settings
from openptx.engines.tiers import service

LOOP = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u32 n) {
.reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<2>;
ld.param.u64 %rd1, [x]; ld.param.u32 %r2, [n]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
A: ld.global.u32 %r3, [%rd1]; add.u32 %r3, %r3, 1; st.global.u32 [%rd1], %r3;
sub.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra A; ret; }
"""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Where everything takes long enough to be told."""
    made = Terminal()
    monkeypatch.setattr(progress, "LATE", 0.0)
    monkeypatch.setattr(progress, "INTERVAL", 0.0)
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=made))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("OPENPTX_PROGRESS", raising=False)
    return made


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    logger, text = logging.getLogger("openptx"), io.StringIO()
    level, handlers = logger.level, [*logger.handlers]
    yield text
    logger.setLevel(level)
    logger.handlers[:] = handlers


def launch(engine: str, blocks: int = 1, turns: int = 3) -> None:
    with settings.cache_at(None):
        openptx.load(LOOP)["k"](blocks, 32, (np.zeros(32, np.uint32), turns), engine=engine, workers=1)


def test_compiling_and_blocks_are_told_and_erased(terminal: Terminal) -> None:
    launch("native", 6, 2_000_000)
    told = terminal.getvalue()
    assert "compiling kernel `k`" in told
    assert "kernel `k`: " in told
    assert " of 6 blocks" in told
    assert told.endswith(progress.ERASE)


@pytest.mark.parametrize("engine", ["auto", "interp"])
def test_the_reference_engine_is_told(engine: str, terminal: Terminal) -> None:
    with patch.dict(os.environ, OPENPTX_TIERS="1"):
        launch(engine, 1, 2000)
    assert "kernel `k` on the reference engine" in terminal.getvalue()
    assert terminal.getvalue().endswith(progress.ERASE)


@pytest.mark.parametrize("tool", ["profile", "trace", "sanitize"])
def test_launches_under_observation_are_told(tool: str, terminal: Terminal) -> None:
    options: dict[str, Any] = {} if tool == "trace" else {"engine": "interp"}
    getattr(openptx, tool)(openptx.load(LOOP)["k"], 1, 32, (np.zeros(32, np.uint32), 200), **options)
    assert "kernel `k` on the reference engine" in terminal.getvalue()
    assert terminal.getvalue().endswith(progress.ERASE)


def test_a_command_with_a_clock_has_one_line(terminal: Terminal) -> None:
    with Clock("watching `k`"):
        launch("interp", 1, 200)
    assert terminal.getvalue() == ""
    launch("interp", 1, 200)
    assert "on the reference engine" in terminal.getvalue()


def test_proofs_are_told(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("z3")
    monkeypatch.setattr(progress, "INTERVAL", 0.01)
    once = LOOP.replace("@%p1 bra A;", "")
    one, other = (openptx.load(text)["k"] for text in (once, once.replace("add.u32", "sub.u32")))
    assert openptx.prove(one, other, timeout=20).verdict == "different"
    told = terminal.getvalue()
    assert "proving `k` and `k` equivalent, 0 of 20 s" in told
    assert "reference engine" not in told  # of launches that confirm a difference
    assert told.endswith(progress.ERASE)
    launch("interp", 1, 2000)
    assert "on the reference engine" in terminal.getvalue()


class AtOnce(Executor):
    """Runs ranges on the main thread, as a process of a pool does."""

    def submit(self, function: Any, /, *args: Any, **keywords: Any) -> Future[Any]:
        future = Future[Any]()
        future.set_result(function(*args, **keywords))
        return future


def test_the_caller_tells_how_far_workers_are(terminal: Terminal) -> None:
    kernel, args = openptx.load(LOOP)["k"], (np.zeros(32, np.uint32), 20_000)
    with ThreadPoolExecutor(1) as pool:
        openptx.distribute(kernel, pool, 2, 32, args, chunks=2, engine="interp")
    told = terminal.getvalue()
    assert "kernel `k` on workers, 0 of 2 ranges of blocks are done" in told
    assert told.endswith(progress.ERASE)


def test_workers_leave_the_terminal_to_the_caller(terminal: Terminal) -> None:
    kernel, args = openptx.load(LOOP)["k"], (np.zeros(32, np.uint32), 2000)
    with settings.cache_at(None), patch.dict(os.environ, OPENPTX_TIERS="1"):
        openptx.distribute(kernel, AtOnce(), 2, 32, args, chunks=2)
        assert terminal.getvalue() == ""
        openptx.load(LOOP)["k"](2, 32, args)
    assert "kernel `k`" in terminal.getvalue()


@pytest.mark.parametrize("variable", ["OPENPTX_PROGRESS", "TERM"])
def test_nothing_is_told_where_nobody_watches(
    variable: str, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "0" if variable == "OPENPTX_PROGRESS" else "dumb")
    launch("native")
    assert terminal.getvalue() == ""


def test_a_fork_leaves_the_line_to_its_parent(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """It makes code during a launch whose line has begun, and has no standard error."""
    with progress.progress(lambda: "work") as update:
        monkeypatch.setattr("openptx.progress.sys.stderr", None)
        update()
    assert terminal.getvalue() == ""


def test_the_log_tells_what_was_made_and_what_ran(log: io.StringIO) -> None:
    service.close()  # or code that another test has asked for is used
    openptx.logging.show("debug", log)
    launch("native")
    said = log.getvalue()
    assert "made optimised code here in" in said
    assert "as optimised code, 1 workers" in said
    openptx.logging.show("info", log)  # once, not twice
    launch("native")
    assert log.getvalue().removeprefix(said).count("made optimised code") == 1
    assert log.getvalue().removeprefix(said).count("workers") == 0


def test_a_kernel_on_the_reference_engine_is_told_once_for_a_shape(log: io.StringIO) -> None:
    openptx.logging.show("info", log)
    kernel = openptx.load(LOOP)["k"]
    with patch.dict(os.environ, OPENPTX_TIERS="1"):
        for threads in (32, 32, 64, 32, 64):
            kernel(1, threads, (np.zeros(64, np.uint32), 3), engine="auto")
        assert log.getvalue().count("on the reference engine") == 2
        openptx.logging.show("debug", log)
        kernel(1, 32, (np.zeros(64, np.uint32), 3), engine="auto")
    assert log.getvalue().count("on the reference engine") == 3


def test_a_launch_that_is_abandoned_before_there_is_code_is_told_so(
    log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    def at_once(*_: object) -> Callable[[float], bool]:
        return lambda _: True

    openptx.logging.show("info", log)
    monkeypatch.setattr("openptx.engines.auto.launch.code_wanted", at_once)
    with patch.dict(os.environ, OPENPTX_TIERS="1"), settings.cache_at(None):
        openptx.load(LOOP)["k"](1, 32, (np.zeros(32, np.uint32), 10_000), engine="auto")
    said = log.getvalue()
    assert said.index("abandoned after") < said.index("code here in")
    assert "takes over" not in said


def test_a_level_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="no level `loud`: choose debug, info"):
        openptx.logging.show("loud")


@pytest.mark.parametrize(("level", "said"), [
    ("INFO", "made optimised code here in"), ("loud", "OPENPTX_LOG=loud is not a level"),
])  # fmt: skip
def test_the_environment_turns_it_on(level: str, said: str) -> None:
    launch = "k(1, 32, (np.zeros(32, np.uint32), 3), engine='native')"
    program = f"import numpy as np, openptx; k = openptx.load({LOOP!r})['k']; {launch}"
    environment = {**os.environ, "OPENPTX_LOG": level, "OPENPTX_CACHE": ""}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert said in done.stderr
    assert bool(done.stderr) == bool(said)
