"""Compiled code takes a launch over at any point: the same memory and faults, whatever was written before."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import openptx
from openptx.engines.auto import launch as auto
from openptx.engines.common.engine import PreparedLaunch, Running, alone
from openptx.engines.interp.abandon import Abandonable
from openptx.engines.native import entry as native
from openptx.engines.native import settings
from openptx.engines.native.runtime import plans as made_plans
from openptx.engines.native.runtime.plans import plans
from openptx.engines.tiers import takeover
from openptx.testing.case import read_case, run_case

KERNELS = Path(__file__).parents[2] / "kernels"
CASES = (
    "atomic_integers_sm80", "atomic_tickets_sm80", "attention_sm80", "bitonic_sm80", "byte_histogram_sm80",
    "chained_scan_sm80", "components_sm80", "double_buffer_sm80", "function_table_sm80", "generic_pointers_sm80",
    "globals_sm80", "grid_scan_sm75", "heap_lists_sm80", "last_block_total_sm80", "lock_blocks_sm80",
    "mma_f16_sm80", "triton_matmul_sm80", "triton_softmax_rows_sm90", "assert_holds_sm80", "print_threads_sm80",
)  # fmt: skip
HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"


class Forced(Abandonable):
    """Wants to be abandoned at one question, and counts them."""

    at, asked, restored, reasons = 0, 0, 0, list[str]()

    def ask(self) -> None:
        Forced.asked += 1
        if Forced.asked == Forced.at:
            if not self.kept:
                self.end()
            Forced.reasons.append(self.kept)

    def restore(self) -> None:
        Forced.restored += 1
        super().restore()


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with settings.cache_at(tmp_path_factory.mktemp("code")):
        yield


def never(*_: object) -> bool:
    return False


def begins(*_: object) -> Any:
    """A launch that the reference engine begins, and goes on with unless it is told otherwise."""
    return never


def none(_: object) -> int:
    return 0


@pytest.fixture
def forced(monkeypatch: pytest.MonkeyPatch) -> type[Forced]:
    """All launches of `auto` begin on the reference engine, and code is always about to be ready."""

    monkeypatch.setattr(auto, "code_wanted", begins)
    monkeypatch.setattr(auto, "prefers_interp", never)
    monkeypatch.setattr(takeover, "Abandonable", Forced)
    monkeypatch.setattr(takeover, "host_threads", none)
    Forced.restored, Forced.reasons = 0, []
    return Forced


def points(forced: type[Forced], run: Any, most: int) -> list[int]:
    """Some of the questions that a run asks, evenly spread, the first and the last among them."""
    forced.at, forced.asked = 0, 0
    run()
    if not forced.asked:
        return []
    found: set[int] = {1 + round(i * (forced.asked - 1) / (most - 1)) for i in range(most)}
    return sorted(found)


@pytest.mark.parametrize("name", CASES)
def test_cases_give_the_same_wherever_code_takes_over(name: str, forced: type[Forced]) -> None:
    case = read_case(str(KERNELS / name))
    for at in points(forced, lambda: run_case(case), 3):
        forced.at, forced.asked = at, 0
        run_case(case)
    assert forced.restored + len(forced.reasons) > 0
    assert forced.restored or name.startswith(("assert", "print", "heap")), forced.reasons


@pytest.mark.parametrize("name", ["bitonic_sm80", "components_sm80", "function_table_sm80", "triton_matmul_sm80"])
def test_baseline_code_takes_over(name: str, forced: type[Forced], monkeypatch: pytest.MonkeyPatch) -> None:
    """At the first question and in the midst of the launch."""
    launch, code = native.launch, list[bool]()

    def hurried(prepared: PreparedLaunch, *, baseline: bool, **options: Any) -> None:
        launch(prepared, baseline=True, **options)
        code.extend(plan.options.baseline for plan in plans(prepared.image).made.values())

    monkeypatch.setattr(native, "launch", hurried)
    # A launch in which the generic version is compiled takes as long as optimised code, which then replaces this.
    monkeypatch.setattr(made_plans, "EACH", math.inf)
    case = read_case(str(KERNELS / name))
    for at in points(forced, lambda: run_case(case), 3)[:2]:
        forced.at, forced.asked = at, 0
        run_case(case)
    assert code
    assert all(code)


COUNTS = (
    HEAD
    + """.global .align 4 .u32 total = 5;
.visible .entry k(.param .u64 x, .param .u64 y, .param .u64 z) {
.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<2>;
ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.u64 %rd3, [z]; mov.u32 %r1, %tid.x; mov.u32 %r2, 0;
mul.wide.u32 %rd4, %r1, 4; add.s64 %rd1, %rd1, %rd4; add.s64 %rd2, %rd2, %rd4; add.s64 %rd3, %rd3, %rd4;
A: ld.global.u32 %r3, [%rd1]; add.u32 %r3, %r3, 1; st.global.u32 [%rd1], %r3;
ld.global.u32 %r4, [%rd2]; mad.lo.u32 %r4, %r4, 3, %r3; st.global.u32 [%rd2], %r4;
ld.global.u32 %r7, [%rd3]; add.u32 %r4, %r4, %r7;
atom.global.add.u32 %r5, [total], 1; red.global.add.u32 [%rd1], %r5;
add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 6; @%p1 bra A; ret; }
"""
)


def arrays() -> tuple[Any, Any, Any, Any]:
    """An array, two overlapping views of another, and one that may only be read."""
    base = np.arange(96, dtype=np.uint32)
    only_read = np.arange(64, dtype=np.uint32)
    only_read.flags.writeable = False
    return base, base[:64], base[32:96], only_read


def counted(engine: str) -> tuple[bytes, bytes]:
    module = openptx.load(COUNTS)
    base, x, y, z = arrays()
    module["k"](1, 32, (x, y, z), engine=engine)  # x and y overlap, but what the threads write does not
    module["k"](1, 32, (x, x[32:], z), engine=engine)
    return base.tobytes(), module.get_global("total").tobytes()


def test_every_point_of_a_kernel_that_changes_what_it_reads(forced: type[Forced]) -> None:
    wanted = counted("interp")
    assert wanted == counted("native")
    forced.at, forced.asked = 0, 0
    assert counted("auto") == wanted
    asked = forced.asked
    assert asked > 12
    for at in range(1, asked + 1):
        forced.at, forced.asked = at, 0
        assert counted("auto") == wanted, at
    assert forced.restored == asked


FAULTS = (
    HEAD
    + """.visible .entry k(.param .u64 x, .param .u32 n) {
.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<2>;
ld.param.u64 %rd1, [x]; ld.param.u32 %r1, [n]; mov.u32 %r2, 0;
A: ld.global.u32 %r3, [%rd1]; add.u32 %r3, %r3, 7; st.global.u32 [%rd1], %r3; add.s64 %rd1, %rd1, 4;
add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra A; ret; }
"""
)


def test_faults_are_the_same(forced: type[Forced]) -> None:
    def fault(engine: str) -> tuple[str, bytes]:
        x = np.arange(8, dtype=np.uint32)
        with pytest.raises(openptx.Fault) as raised:
            openptx.load(FAULTS)["k"](1, 1, (x, 9), engine=engine)
        return re.sub("0x[0-9a-f]+", "", str(raised.value)), x.tobytes()

    wanted = fault("interp")
    forced.at, forced.asked = 0, 0
    assert fault("auto") == wanted
    asked = forced.asked
    for at in range(1, asked + 1):
        forced.at, forced.asked = at, 0
        assert fault("auto") == wanted
    assert forced.restored == asked


@pytest.mark.parametrize("clock", ["clock64", "globaltimer"])
def test_launches_that_read_clocks_are_begun_again(clock: str, forced: type[Forced]) -> None:
    """A kernel that waits for a time to pass would take the reference engine a thousand times as long."""
    text = FAULTS.replace("A: ld", f"mov.u64 %rd3, %{clock}; A: ld")
    forced.at, forced.asked = 3, 0
    x = np.zeros(8, np.uint32)
    openptx.load(text)["k"](1, 1, (x, 8))
    assert (x == 7).all()
    assert forced.restored == 1


def test_large_memory_is_not_copied(forced: type[Forced], monkeypatch: pytest.MonkeyPatch) -> None:
    """A launch is abandoned where it is about to write more than may be copied."""
    monkeypatch.setattr("openptx.engines.interp.abandon.LIMIT", 31)
    forced.at, forced.asked = 0, 0
    x = np.zeros(8, np.uint32)
    openptx.load(FAULTS)["k"](1, 1, (x, 8))
    assert (x == 7).all()
    assert forced.restored == 1


def test_launches_that_overlap_in_time_are_known() -> None:
    first, second, third = object(), object(), object()
    with Running(first):
        assert alone(first)
        with Running(second):
            assert not alone(first)
            assert not alone(second)
        assert not alone(first)
    with Running(third):
        assert alone(third)


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_launches_that_overlap_are_not_begun_again(
    engine: str, forced: type[Forced], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another launch on the same array, in the midst of one that code is ready for at once."""
    monkeypatch.setattr(takeover, "Abandonable", Abandonable)
    other, x = openptx.load(FAULTS)["k"], np.zeros(8, np.uint32)

    def wanted(_: float) -> bool:
        if not other.module.executable:
            other(1, 1, (x, 8), engine=engine)
        return True

    module = openptx.load(FAULTS)
    assert takeover.launch_and_replace(module["k"].prepare(1, 1, (x, 8)), wanted)
    assert (x == 14).all()


def test_launches_that_stay_ask_while_they_run(monkeypatch: pytest.MonkeyPatch, caplog: Any) -> None:
    """What is asked may have code made for later launches; the line of the log, after the launch, asks nothing."""
    caplog.set_level("INFO", "openptx")
    asked, running = list[bool](), list[bool]()
    run = takeover.launch

    def watched(*args: Any, **options: Any) -> None:
        running.append(True)
        run(*args, **options)
        running.clear()

    def wanted(_: float) -> bool:
        asked.append(bool(running))
        return True

    def some(_: object) -> int:
        return 1

    monkeypatch.setattr(takeover, "launch", watched)
    monkeypatch.setattr(takeover, "host_threads", some)
    module, x = openptx.load(FAULTS), np.zeros(8, np.uint32)
    assert takeover.launch_and_replace(module["k"].prepare(1, 1, (x, 8)), wanted)
    assert asked == [True]
    assert "it was not replaced: other threads of the host may use its arrays" in caplog.text
