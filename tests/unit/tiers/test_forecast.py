"""The remaining time of a launch is forecast from the operands of its loops' comparisons."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import count
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import openptx
from openptx.engines.interp import batch_state
from openptx.engines.interp.batch import Batch
from openptx.engines.tiers import forecast
from openptx.engines.tiers.forecast import (
    CONFIRMS,
    LATER,
    SAMPLED,
    Depth,
    Forecast,
    agreement,
    comparisons,
    differences,
    until_all_left,
    until_overflow,
    until_zero,
)
from openptx.program import Imm, Reg

HEAD = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u32 n) {
.reg .b32 %r<9>; .reg .pred %p<9>;
ld.param.u32 %r2, [n]; mov.u32 %r1, 0;
"""
BODIES = {
    "at the end": ("A: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r2; @%p1 bra A; ret; }", {("%r1", "%r2")}),
    "before it": (
        "A: setp.ge.u32 %p1, %r1, %r2; not.pred %p2, %p1; @%p2 bra B; bra C; B: add.u32 %r1, %r1, 1; bra A; C: ret; }",
        {("%r1", "%r2")},
    ),
    "after more code": (
        "A: setp.ge.u32 %p1, %r1, %r2; not.pred %p2, %p1; @%p2 bra B; bra.uni D; D: mov.u32 %r3, 1; bra.uni C;"
        "B: add.u32 %r1, %r1, 1; bra A; C: ret; }",
        {("%r1", "%r2")},
    ),
    "at a return": (
        "A: setp.lt.u32 %p1, %r1, %r2; @%p1 bra B; mov.u32 %r3, 1; ret; B: add.u32 %r1, %r1, 1; bra A; }",
        {("%r1", "%r2")},
    ),
    "inner choices": (
        "A: setp.ge.u32 %p1, %r1, %r2; @%p1 bra B; mov.u32 %r3, 1; B: add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 9;"
        "@%p2 bra A; ret; }",
        {("%r1", "9")},
    ),
    "a number": ("A: sub.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 7; @%p1 bra A; ret; }", {("%r2", "7")}),
    "no end": ("A: setp.eq.u32 %p1, %r1, %r2; @%p1 bra B; add.u32 %r1, %r1, 1; B: bra A; }", set[tuple[str, str]]()),
    "no loop": ("setp.eq.u32 %p1, %r1, %r2; @%p1 bra A; add.u32 %r1, %r1, 1; A: ret; }", set[tuple[str, str]]()),
}


def batch_of(frame: SimpleNamespace, lanes: int) -> Any:
    def calls_left(_: object) -> float:
        return 100.0

    return SimpleNamespace(current=frame, x=SimpleNamespace(n=lanes), calls_left=calls_left)


@pytest.mark.parametrize("where", BODIES)
def test_what_loops_compare_before_they_end(where: str) -> None:
    body, wanted = BODIES[where]
    function = openptx.load(HEAD + body)["k"].function

    def name(one: Reg | Imm) -> str:
        return str(one.value) if isinstance(one, Imm) else function.registers[one.index].name

    assert {(name(a), name(b)) for a, b in comparisons(function)} == wanted


@pytest.mark.parametrize(("values", "seconds"), [
    (([100], [90], [70]), 7.0),  # 10 a second
    (([-100, 5], [-90, 5], [-70, 5]), 7.0),  # upwards; and a lane that has ended
    (([100, 200], [90, 190], [70, 170]), 17.0),  # until the last lane ends
    (([16], [9], [13]), 0.0),  # a loop that has begun anew
    (([100], [60], [58]), 0.0),  # not steady
    (([100], [110], [130]), 0.0),  # away from zero
    (([100], [100], [100]), 0.0),
])  # fmt: skip
def test_the_time_until_they_meet(values: tuple[list[int], ...], seconds: float) -> None:
    looks = looks_of(*values)
    found = until_zero(looks)
    assert (0.0 if found is None else found.max()) == pytest.approx(seconds)
    assert until_zero(looks[:2]) is None


def looks_of(*values: list[int]) -> list[forecast.Look]:
    return [(at, np.array([one], np.float64)) for at, one in zip((1.0, 2.0, 4.0), values, strict=False)]


def test_a_lane_that_leaves_its_loop_between_samples_seems_slow_once() -> None:
    """It stops during an interval, so that its speed then is too low, and zero in the next one."""
    first = until_zero(looks_of([100, 100], [90, 90], [70, 74]))
    second = until_zero(looks_of([90, 90], [80, 74], [60, 74]))
    assert first is not None
    assert first[0] == pytest.approx([7.0, 74 / 8])
    assert agreement(first, second) == 6.0
    assert agreement(None, second) == agreement(first, None) == 0.0


def test_the_time_until_all_lanes_have_left_a_loop() -> None:
    """A third of 99 lanes leaves in two seconds."""
    before, later = np.full(99, 100.0), np.full(99, 90.0)
    last = np.where(np.arange(99) < 33, 90.0, 70.0)
    looks = [(1.0, before[None]), (2.0, later[None]), (4.0, last[None])]
    rate = np.log(99.5 / 66.5) / 2.0
    assert until_all_left(looks, 99) == pytest.approx(np.log(66) / rate, rel=0.1)  # few lanes take as long as one
    assert until_all_left(looks, 99_000) == pytest.approx(1 / rate, rel=0.2)  # time is proportional to the lanes left
    assert until_all_left([*looks[:2], (4.0, later[None] - 20.0)], 99) == math.inf  # nobody left
    ended = np.where(np.arange(99) < 33, 0.0, 70.0)
    assert until_all_left([*looks[:2], (4.0, ended[None])], 99) == math.inf  # they have reached the bound


def test_samples_have_lanes_of_all_parts_of_warps() -> None:
    lanes = np.arange(1 << 15, dtype=np.uint32)
    row, other = differences(
        [(Reg(0, 32), Imm((1 << 32) - 2, 32)), (Reg(1, 32), Reg(0, 32))], [lanes, lanes[:1]], 1 << 15
    )
    assert 200 < row.size <= SAMPLED
    assert row[0] == 2.0
    assert row[-1] > 0.99 * lanes.size
    assert {*((row - 2) % 32)} == {*range(32)}
    assert np.array_equal(other, 2 - row)
    few = differences([(Reg(0, 32), Imm(0, 32))], [lanes[:33]], 33)
    assert np.array_equal(few, [np.arange(33)])


def test_batches_are_not_compared_with_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last batch of a launch has fewer lanes, and batches take turns."""

    def ringing(_: float) -> Any:
        return SimpleNamespace(expired=lambda: True)

    monkeypatch.setattr(forecast, "Alarm", ringing)
    function = openptx.load(HEAD + BODIES["at the end"][0])["k"].function
    counter = next(i for i, r in enumerate(function.registers) if r.name == "%r1")

    def lanes_of(lanes: int) -> Any:
        regs = [np.full(lanes, 1000, np.uint32) for _ in function.registers]
        regs[counter][:] = 0
        return batch_of(SimpleNamespace(parent=None, regs=regs, depth=0), lanes)

    seconds = count(0.0, 0.5)
    monkeypatch.setattr(forecast, "time", SimpleNamespace(thread_time=lambda: next(seconds)))
    seen, batches = Forecast(function), [lanes_of(64), lanes_of(64), lanes_of(32)]
    for i in range(9):
        batches[i % 3].current.regs[counter] += 100
        assert seen.update(batches[i % 3]) == 0.0
    found = list[float]()
    for _ in range(3):
        batches[2].current.regs[counter] += 100
        found.append(seen.update(batches[2]))
    assert found == [0.0, 0.0, (1000 - 600) / 100 * 0.5]  # two forecasts agree


def test_a_forecast_counts_when_the_next_one_agrees(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop with several ends may be over long before its counter is."""
    function = openptx.load(HEAD + BODIES["at the end"][0])["k"].function
    given = batch_of(SimpleNamespace(parent=None, regs=[], depth=0), 1)
    seconds, said = count(0.0, 0.5), iter([np.array([8.0]), None, *map(np.atleast_1d, (9.0, 3.0, 5.0))])
    alarms, samples = list[float](), list[list[float]]()

    def replace(name: str, value: Callable[[], Any]) -> None:
        def given(*_: object) -> Any:
            return value()

        monkeypatch.setattr(forecast, name, given)

    monkeypatch.setattr(forecast, "time", SimpleNamespace(thread_time=lambda: next(seconds)))

    def ringing(seconds: float) -> Any:
        alarms.append(seconds)
        return SimpleNamespace(expired=lambda: True)

    monkeypatch.setattr(forecast, "Alarm", ringing)
    replace("comparisons", lambda: {(0, 0)})
    replace("differences", lambda: np.zeros((1, 1)))

    def until_zero(looks: list[forecast.Look]) -> Any:
        samples.append([at for at, _ in looks])
        return next(said)

    monkeypatch.setattr(forecast, "until_zero", until_zero)
    replace("until_all_left", lambda: math.inf)
    seen = Forecast(function)
    assert [seen.update(given) for _ in range(5)] == [0.0, 0.0, 0.0, 3.0, 3.0]
    found = [share / at for share, at in zip(alarms[1:], count(0.5, 0.5), strict=False)]
    assert found == pytest.approx([CONFIRMS, LATER, CONFIRMS, LATER, LATER])  # the next sample soon, if it decides
    assert samples == [
        [0.5],
        [0.5, 1.0],
        [0.5, 1.0, 1.5],
        [0.5, 1.0, 2.0],
        [1.0, 2.0, 2.5],
    ]  # instead of the one before


@pytest.mark.parametrize(("body", "samples"), [
    pytest.param(BODIES["no loop"][0], 0, id="neither"),
    pytest.param(BODIES["at the end"][0], 3, id="a counter"),
    pytest.param("call f; ret; }", 3, id="a call"),  # perhaps a recursion
])  # fmt: skip
def test_kernels_without_counters_and_calls_are_not_sampled(
    body: str, samples: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ringing(seconds: float) -> Any:
        return SimpleNamespace(expired=lambda: seconds < math.inf)

    monkeypatch.setattr(forecast, "Alarm", ringing)
    seconds = count(0.0, 0.5)
    monkeypatch.setattr(forecast, "time", SimpleNamespace(thread_time=lambda: next(seconds)))
    taken = list[int]()

    def noted(found: list[forecast.Comparison], regs: list[Any], lanes: int) -> Any:
        taken.append(len(found))
        return np.zeros((len(found), 1))

    monkeypatch.setattr(forecast, "differences", noted)
    head, kernel, rest = HEAD.partition(".visible")
    function = openptx.load(f"{head}.func f() {{ ret; }} {kernel}{rest}{body}")["k"].function
    seen, batch = Forecast(function), batch_of(SimpleNamespace(parent=None, regs=[], depth=0), 1)
    assert [seen.update(batch) for _ in range(3)] == [0.0] * 3
    assert len(taken) == samples


@pytest.mark.parametrize(("calls", "seconds"), [
    ((10, 20, 30, 40, 50), 50 * 12e-3 / 40),  # a call each 0.3 ms
    ((10, 12, 35, 40, 50), 50 * 12e-3 / 40),
    ((10, 20, 30, 40, 40), 0.0),
    ((10, 20, 15, 40, 50), 0.0),
    ((7, 20, 30, 40, 50), 0.0),  # few calls at first
    ((20, 30, 40, 50), 0.0),
])  # fmt: skip
def test_calls_that_only_grow_in_number_fill_the_stack(calls: tuple[int, ...], seconds: float) -> None:
    depths = [Depth(i * 3e-3, n, 100 - n) for i, n in enumerate(calls)]
    assert until_overflow(depths) == pytest.approx(seconds)
    quick = [depth._replace(at=depth.at / 2) for depth in depths]
    assert until_overflow(quick) == 0.0  # over 6 ms, as recursions that end


DEEP = """.func f() {{ .local .b8 x[{bytes}]; {{ call f; }} ret; }}
.visible .entry k() {{ call f; ret; }}
"""


@pytest.mark.parametrize(("size", "threads"), [(8 << 10, 1), (16, 32), (512, 1024)])
def test_how_many_calls_fit_on_the_stack(size: int, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the size of frames, by the memory of all lanes, or by the number of calls."""
    seen, frame = list[float](), Batch.frame

    def noted(self: Batch, callee: Any, parent: Any, *given: Any) -> Any:
        if parent is not None:
            seen.append(self.calls_left(parent))
        return frame(self, callee, parent, *given)

    monkeypatch.setattr(batch_state, "STACK_BYTES", 32 << 20)
    monkeypatch.setattr(Batch, "frame", noted)
    kernel = openptx.load(HEAD.partition(".visible")[0] + DEEP.format(bytes=size))["k"]
    with pytest.raises(openptx.Fault, match="stack"):
        kernel(1, threads, engine="interp")
    assert 0.0 <= seen[-1] < 1.0
    assert seen[1:] == pytest.approx([seen[-1] + i for i in reversed(range(len(seen) - 1))])
