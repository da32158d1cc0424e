"""Kernels compiled in a separate process: the same code, and its death is an error with a cause."""

from __future__ import annotations

import signal
from collections.abc import Generator
from subprocess import Popen
from typing import Any

import numpy as np
import pytest

import openptx
from openptx.engines.native import settings
from openptx.llvm import subprocess_compile as apart
from openptx.llvm.codegen import compile

KERNEL = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x) {
.reg .b32 %r<4>; .reg .b64 %rd<4>;
ld.param.u64 %rd1, [x]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r1; ret;
}
"""  # noqa: E501 - PTX in one line reads better here


@pytest.fixture(autouse=True)
def _apart(monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    monkeypatch.setenv("OPENPTX_COMPILE_APART", "1")
    with settings.cache_at(None):
        yield


def launched() -> None:
    x = np.zeros(32, np.uint32)
    openptx.load(KERNEL)["k"](1, 32, (x,), engine="native", workers=1)
    assert np.array_equal(x, np.arange(32))


def test_the_code_is_the_same() -> None:
    text = "define i32 @f(i32 %a) {\n  %b = mul i32 %a, 3\n  ret i32 %b\n}\n"
    assert apart.compile_in_subprocess(text) == compile(text)


def test_a_launch_does_not_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openptx.engines.native.rtlib.support.compile", None)  # not here
    launched()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system kills otherwise")
def test_the_death_of_the_process_is_an_error_with_a_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    class Doomed(Popen[bytes]):
        def __init__(self, *args: Any, **keywords: Any) -> None:
            super().__init__(*args, **keywords)
            self.kill()

    with monkeypatch.context() as patch:
        patch.setattr(apart, "Popen", Doomed)
        with pytest.raises(openptx.Bug, match="the process that compiles ended by SIGKILL"):
            launched()
    launched()  # nothing of it is left


def test_what_llvm_said_last_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(openptx.Bug, match=r"ended with status 1: .*LLVM rejects"):
        apart.compile_in_subprocess("this is no module")
    aborts = "import os, sys; print('Assertion `x` failed', file=sys.stderr, flush=True); os.abort()"
    monkeypatch.setattr(apart, "CHILD", aborts)
    with pytest.raises(openptx.Bug, match="ended by SIGABRT: Assertion `x` failed"):
        launched()


@pytest.mark.parametrize(("value", "asked"), [("1", True), ("0", False), ("", False), (None, False)])
def test_the_environment_asks_for_it(value: str | None, asked: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if value is None:
        monkeypatch.delenv("OPENPTX_COMPILE_APART", raising=False)
    else:
        monkeypatch.setenv("OPENPTX_COMPILE_APART", value)
    assert settings.compiles_in_subprocess() is asked
