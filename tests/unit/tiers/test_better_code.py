"""Running code is replaced by better code: after wrong speculation, and after baseline code."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from launching import HEAD, LOOP, jobs, launch, replied, until

import openptx
from openptx.engines.auto import costs
from openptx.engines.native import settings
from openptx.engines.native.pipeline import lower_kernel
from openptx.engines.native.runtime import compiled_kernel
from openptx.engines.native.runtime import plans as made_plans
from openptx.engines.native.runtime.plans import plans
from openptx.engines.tiers import service

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="servers are watched on systems with fork"),
    pytest.mark.usefixtures("only_a_server"),
]


PARTED = """.visible .entry k(.param .u64 x, .param .u64 y) {
.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<2>;
ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4;
add.s64 %rd1, %rd1, %rd3; add.s64 %rd2, %rd2, %rd3; ld.global.u32 %r2, [%rd1]; mov.u32 %r3, 0; mov.u32 %r4, 0;
A: setp.ge.u32 %p1, %r3, %r2; @%p1 bra B; ld.global.u32 %r5, [%rd1]; add.u32 %r4, %r4, %r5; add.s64 %rd1, %rd1, 4;
add.u32 %r3, %r3, 1; bra A;
B: ld.global.u32 %r5, [%rd1]; add.u32 %r4, %r4, %r5; st.global.u32 [%rd2], %r4; ret; }
"""
"""Lanes leave a loop, in which addresses depend on how often it ran, at different times."""


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

    monkeypatch.setattr(costs, "BASELINE", 0.0)
    monkeypatch.setattr(made_plans, "EACH", 1.0)
    with settings.cache_at(tmp_path):
        kernel = openptx.load(HEAD + LOOP)["k"]
        launch(kernel)
        until(replied)
        launch(kernel)
        assert kinds() == [True]
        assert native_runs == ["k"]
        assert all(plan.options.baseline for plan in plans(kernel.module.image).made.values())
        monkeypatch.setattr(made_plans, "EACH", 0.0)
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
    monkeypatch.setattr(costs, "BASELINE", 0.0)
    monkeypatch.setattr(made_plans, "EACH", 1.0)
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
