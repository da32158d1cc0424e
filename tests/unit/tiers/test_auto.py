"""`engine="auto"`: the interpreter as long as compiling would take longer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import openptx
from openptx.engines.auto import launch as auto
from openptx.engines.auto import policy
from openptx.engines.common.engine import import_engine
from openptx.engines.native import entry as native
from openptx.engines.native import settings

STORE = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x) {
.reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<2>;
ld.param.u64 %rd1, [x]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r1, %r1, 32, %r2;
mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r1; ret;
}
"""
LOOP = STORE.replace(
    "ld.param", "mov.u32 %r3, 9; A: sub.u32 %r3, %r3, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra A; ld.param"
)


class Watched:
    """Which engine ran each launch, on a clock by which the reference engine takes four milliseconds."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.now, self.seen = 0.0, list[str]()
        run, interpret = native.run, native.interp.launch

        def watched_native(*args: Any, **options: Any) -> None:
            self.seen.append("native")
            run(*args, **options)

        def watched_interp(*args: Any, **options: Any) -> None:
            self.seen.append("interp")
            self.now += 0.004
            interpret(*args, **options)

        import_engine("native")  # in a process where that is over
        clock = SimpleNamespace(**dict.fromkeys(("thread_time", "monotonic", "perf_counter"), lambda: self.now))
        patch.setattr(native, "run", watched_native)
        for module in (native, auto):
            patch.setattr(module, "interp", SimpleNamespace(launch=watched_interp))
        for module in (native, auto, policy):
            patch.setattr(module, "time", clock)

    def launch(self, kernel: Any, ctas: int = 2) -> str:
        x = np.zeros(32 * ctas, np.uint32)
        kernel(ctas, 32, (x,))
        assert np.array_equal(x, np.arange(32 * ctas))
        return self.seen[-1]


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    with settings.cache_at(None):
        yield Watched(monkeypatch)


def test_small_launches_stay_until_they_took_as_long_as_compiling(watched: Watched) -> None:
    kernel = openptx.load(STORE)["k"]
    assert [watched.launch(kernel) for _ in range(7)] == ["interp"] * 4 + ["native"] * 3


def test_large_launches_and_loops_do_not(watched: Watched) -> None:
    assert watched.launch(openptx.load(STORE)["k"], 1 << 16) == "native"
    assert watched.launch(openptx.load(LOOP)["k"]) == "native"


def test_code_that_is_there_is_used(watched: Watched) -> None:
    kernel = openptx.load(STORE)["k"]
    assert watched.launch(kernel) == "interp"
    x = np.zeros(32, np.uint32)
    kernel(1, 32, (x,), engine="native")
    assert watched.launch(kernel) == "native"


def test_code_on_disk_is_soon_looked_for(watched: Watched, tmp_path: Path) -> None:
    with settings.cache_at(tmp_path):
        openptx.load(STORE)["k"](1, 32, (np.zeros(32, np.uint32),), engine="native")
        kernel = openptx.load(STORE)["k"]
        assert [watched.launch(kernel) for _ in range(3)] == ["interp", "native", "native"]
