"""Long texts are compiled by a fork of the process: the same code, and the fork's end is an error with a cause."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable

import pytest

from openptx.engines.native.rtlib import support
from openptx.engines.tiers import forked_compile, forked_object
from openptx.engines.tiers.forked_object import compile_in_fork
from openptx.errors import Bug
from openptx.llvm.codegen import compile

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes fork on Linux alone")

TEXT = "define i32 @f(i32 %a) {\n  %b = mul i32 %a, 3\n  ret i32 %b\n}\n"


def unchecked() -> None:
    """What a launch without a time limit checks."""


def works(monkeypatch: pytest.MonkeyPatch, work: Callable[..., bytes]) -> None:
    monkeypatch.setattr(forked_object, "compile", work)


def test_the_code_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    here = compile(TEXT)
    monkeypatch.setattr(support, "LONG", 0)
    monkeypatch.setattr(support, "may_fork", lambda: True)
    monkeypatch.setattr(support, "compile", None)  # neither here nor
    monkeypatch.setattr(support, "compile_in_subprocess", None)  # by another program
    assert support.object_of(TEXT) == here


def test_a_text_that_llvm_rejects() -> None:
    with pytest.raises(Bug, match="LLVM rejects"):
        compile_in_fork("this is no module", unchecked, True, False)


def test_the_death_of_the_fork_is_an_error_with_a_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    works(monkeypatch, lambda *_: os.kill(os.getpid(), signal.SIGKILL) or b"")
    with pytest.raises(Bug, match="the process that compiles ended by SIGKILL"):
        compile_in_fork(TEXT, unchecked, True, False)


def test_where_llvm_aborts_another_process_compiles_by_all_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    works(monkeypatch, lambda *_: os.abort())
    how: list[bool] = []

    def again(text: str, check: object, process: object, promotes: bool, fast: bool, lasting: bool) -> bytes:
        how.append(lasting)
        return text.encode()

    monkeypatch.setattr(forked_object, "compile_in_subprocess", again)
    assert compile_in_fork(TEXT, unchecked, True, False) == TEXT.encode()
    assert how == [True]


def test_a_fork_without_progress_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may have been forked while another thread held a lock that it needs."""
    works(monkeypatch, lambda *_: time.sleep(600) or b"")
    monkeypatch.setattr(forked_compile, "SILENCE", 0.1)
    assert compile_in_fork(TEXT, unchecked, True, False) == compile(TEXT)


def test_a_check_that_raises_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    works(monkeypatch, lambda *_: time.sleep(600) or b"")
    forks: list[forked_compile.ForkedCompile] = []

    class Noted(forked_compile.ForkedCompile):
        def watch(self) -> None:
            forks.append(self)
            super().watch()

    def check() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(forked_object, "ForkedCompile", Noted)
    with pytest.raises(KeyboardInterrupt):
        compile_in_fork(TEXT, check, True, False)
    end = time.monotonic() + 60
    while forks[0]._process is not None and time.monotonic() < end:  # type: ignore[reportPrivateUsage]
        time.sleep(0.01)
    assert forks[0]._process is None  # type: ignore[reportPrivateUsage]


def test_a_system_that_refuses_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused() -> int:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", refused)
    monkeypatch.setattr(support, "LONG", 0)
    monkeypatch.setattr(support, "may_fork", lambda: True)
    monkeypatch.setattr(support, "compile", None)
    assert support.object_of(TEXT) == compile(TEXT)
