"""Very large kernels are compiled without optimisation: the same results, with enough stack."""

from __future__ import annotations

import re

import numpy as np
import pytest

import openptx
from openptx.engines.native.rtlib.support import support
from openptx.engines.native.runtime import plan, threads
from openptx.llvm import codegen

VALUES = 400
BODY = "".join(f"mad.lo.u32 %r{i}, %r{i - 1}, {2 * i + 1}, %r{i // 2};" for i in range(2, VALUES))
SUM = "".join(f"xor.b32 %r1, %r1, %r{i};" for i in range(2, VALUES))
KERNEL = f"""
.version 8.5
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{{
    .reg .b32 %r<{VALUES}>;
    .reg .b64 %a<3>;
    .reg .pred %p;
    mov.u32 %r0, %tid.x;
    add.u32 %r1, %r0, 1;
    setp.gt.u32 %p, %r0, 20;
    @%p bra END;
    {BODY}
    {SUM}
END:
    ld.param.u64 %a0, [out];
    mad.wide.u32 %a1, %r0, 4, %a0;
    st.global.u32 [%a1], %r1;
    ret;
}}
"""
CALLED = """
.func (.reg .b32 d) halved(.reg .b32 a) {
    .reg .pred %p;
AGAIN:
    shr.u32 a, a, 1;
    setp.gt.u32 %p, a, 1000;
    @%p bra AGAIN;
    mov.b32 d, a;
    ret;
}
.visible .entry k"""


def run(engine: str, size: int = 64, text: str = KERNEL) -> list[int]:
    out = np.zeros(size, np.uint32)
    openptx.load(text)["k"](1, 64, (out,), engine=engine)
    return out.tolist()


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every kernel is large. The threads that are made for launches."""
    made: list[str] = []
    assert support(64, False, False).library  # which the other tests of this process call, too
    start = threads.start
    monkeypatch.setenv("OPENPTX_CACHE", "")
    monkeypatch.setattr(codegen, "LARGE", 0)

    def noted(task: threads.Task, *, deep: bool) -> None:
        made.append("deep" if deep else "thread")
        start(task, deep=deep)

    monkeypatch.setattr(threads, "start", noted)
    return made


def test_the_results_are_the_same(hurried: list[str]) -> None:
    assert run("native") == run("interp")
    assert hurried == ["deep"]


def test_calls_of_a_kernel_with_a_large_frame_do_not_nest_too_deep(
    hurried: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own frame may be larger than what other kernels have for all their frames."""
    monkeypatch.setattr(plan, "USUAL_BUDGET", 64)
    text = KERNEL.replace(".visible .entry k", CALLED).replace("END:\n", "END:\n    call (%r1), halved, (%r1);\n", 1)
    assert run("native", text=text) == run("interp", text=text)
    assert hurried == ["deep"]


def test_faults_are_the_same(hurried: list[str]) -> None:
    with pytest.raises(openptx.Fault, match="outside of"):
        run("native", 40)
    assert hurried == ["deep"]


def test_others_run_where_they_are_called(hurried: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codegen, "LARGE", 4_000_000)
    assert run("native") == run("interp")
    assert not hurried


@pytest.mark.parametrize("counted", [False, True])
def test_a_kernel_defines_no_function_whose_result_would_be_lost(counted: bool) -> None:
    """Those that preserve all registers, see `attributes`."""
    head = support(64, True, counted).head
    assert re.search("^declare i64 .* #1$", head, re.MULTILINE)
    assert not re.search("^define .* #1", head, re.MULTILINE)
