"""The remaining time of a launch is forecast from the operands of its loops' comparisons."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import openptx
from openptx.engines.tiers import forecast
from openptx.engines.tiers.forecast import SAMPLED, Forecast, comparisons, differences, left
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
    "a number": ("A: sub.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 7; @%p1 bra A; ret; }", {("%r2", "7")}),
    "no end": ("A: setp.eq.u32 %p1, %r1, %r2; @%p1 bra B; add.u32 %r1, %r1, 1; B: bra A; }", set[tuple[str, str]]()),
    "no loop": ("setp.eq.u32 %p1, %r1, %r2; @%p1 bra A; add.u32 %r1, %r1, 1; A: ret; }", set[tuple[str, str]]()),
}


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
    looks = [(at, np.array([one], np.float64)) for at, one in zip((1.0, 2.0, 4.0), values, strict=True)]
    assert left(looks) == pytest.approx(seconds)
    assert left(looks[:2]) == 0.0


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
        return SimpleNamespace(rings=lambda: True)

    monkeypatch.setattr(forecast, "Alarm", ringing)
    function = openptx.load(HEAD + BODIES["at the end"][0])["k"].function
    counter = next(i for i, r in enumerate(function.registers) if r.name == "%r1")

    def batch(lanes: int) -> Any:
        regs = [np.full(lanes, 1000, np.uint32) for _ in function.registers]
        regs[counter][:] = 0
        return SimpleNamespace(current=SimpleNamespace(parent=None, regs=regs), x=SimpleNamespace(n=lanes))

    seconds = count(0.0, 0.5)
    monkeypatch.setattr(forecast, "time", SimpleNamespace(thread_time=lambda: next(seconds)))
    seen, batches = Forecast(function), [batch(64), batch(64), batch(32)]
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
    batch: Any = SimpleNamespace(current=SimpleNamespace(parent=None, regs=[]), x=SimpleNamespace(n=1))
    seconds, said = count(0.0, 0.5), iter([8.0, 0.0, 9.0, 3.0, 5.0])

    def replace(name: str, value: Callable[[], Any]) -> None:
        def given(*_: object) -> Any:
            return value()

        monkeypatch.setattr(forecast, name, given)

    monkeypatch.setattr(forecast, "time", SimpleNamespace(thread_time=lambda: next(seconds)))
    replace("Alarm", lambda: SimpleNamespace(rings=lambda: True))
    replace("comparisons", lambda: {(0, 0)})
    replace("differences", lambda: np.zeros((1, 1)))
    replace("left", lambda: next(said))
    seen = Forecast(function)
    assert [seen.update(batch) for _ in range(5)] == [0.0, 0.0, 0.0, 3.0, 3.0]
