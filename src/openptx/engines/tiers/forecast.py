"""Forecasts how long a launch on the reference engine will continue, from the counters of its loops.

A loop's trip count is unknown in advance, but most loops end when two numbers meet. So the differences of the numbers
that a kernel's loop exits compare are sampled now and then: if one has approached zero at the same speed over three
samples, it is assumed to continue. Inner loops restart and outer ones have not advanced yet, so this is a lower bound,
and often nothing is known. Lanes may leave a loop by another exit sooner. So a lane counts only if two consecutive
forecasts agree on it (in between it may just have stopped), and lanes are assumed to go on leaving at the present rate.

A recursion that only deepens is assumed to reach the stack's limit. Where it ends sooner, that was too long.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from openptx.control_flow import branches, control, is_read, is_written, targets
from openptx.engines.interp.batch import Batch
from openptx.engines.tiers.conditions import Alarm
from openptx.program import Function, Imm, Op, Reg

FIRST, FIRST_OF_EACH = 0.003, 45e-6
"""Seconds of processor time until the first sample, and at least that for each instruction. A sample takes 0.05 to
0.2 ms, mostly because the launch has displaced it from the caches, and making code takes at least five times the one,
and nine times the other."""

LATER = 0.35
"""The time until the next sample, as a fraction of the time that the launch has taken. With 1.0, loops that run 130 ms
were forecast after 27 ms instead of 14."""

CONFIRMS = 0.07
"""The fraction for the sample after a first forecast, which has to confirm it. The minimum, `FIRST` / 2, applies up to
21 ms, so that loops take some steps meanwhile."""

DEPTH = 8
"""The number of nested calls from which a recursion that only deepens, over `DEEPENS` samples, is assumed to reach the
stack's limit."""

DEEPENS, DEEPENING = 5, 0.01
"""The number of those samples, and the minimum seconds between the first and the last. A recursion of 97 calls that
ends takes 4 ms until then (parity_sm80)."""

STEADY = 0.3
"""How much two speeds may differ: loops count in whole steps, of which few may lie between two samples."""

DOUBLES = 1000
"""The number of lanes for which the reference engine takes about twice as long as for one."""

SAMPLED = 256
"""The maximum number of lanes in a sample."""

FOLLOWED = 32
"""The maximum number of instructions from a branch to where it leaves a loop."""

Comparison = tuple[Reg | Imm, Reg | Imm]
Look = tuple[float, NDArray[np.float64]]
"""The time of a sample, and the differences: a row for each comparison, a column for each lane in the sample."""


class Depth(NamedTuple):
    """How many calls are active in a sample, and how many more fit on the stack."""

    at: float
    calls: int
    left: float


class Forecast:
    """The forecast of one launch."""

    __slots__ = ("_alarm", "_batch", "_comparisons", "_depths", "_function", "_last", "_looks", "_start", "left")

    def __init__(self, function: Function) -> None:
        self._function = function
        self._start = time.thread_time()
        self._alarm = Alarm(max(FIRST, FIRST_OF_EACH * len(function.code)))
        self._comparisons: list[Comparison] | None = None
        self._batch: Batch | None = None
        """The batch of the samples: the lanes of another one are at other positions, and may be fewer."""
        self._looks: list[Look] = []
        self._depths: list[Depth] = []
        self._last: NDArray[np.float64] | None = None
        """The last forecast of each difference, if there was one."""
        self.left = 0.0
        """The remaining processor seconds of the launch: a lower bound for loops, an upper one for recursions."""

    def update(self, batch: Batch | None) -> float:
        """Takes a sample if it is time to. Returns `left`."""
        if batch is None or batch.current is None or not self._alarm.expired():
            return self.left
        now = time.thread_time()
        if self._comparisons is None:
            self._comparisons = [*set(comparisons(self._function))]
            if not self._comparisons and not self._function.callees:
                self._alarm = Alarm(math.inf)  # neither a counter nor a recursion
                return 0.0
        if batch is not self._batch:
            self._batch, self._looks, self._depths, self._last = batch, [], [], None
        frame = batch.current
        while frame.parent is not None:
            frame = frame.parent
        confirms = self._last is not None and not self.left
        earlier = self._looks[:2] if confirms else self._looks[-2:]  # few steps lie between the last two
        self._looks = [*earlier, (now, differences(self._comparisons, frame.regs, batch.x.n))]
        before, self._last = self._last, until_zero(self._looks)
        current = batch.current
        self._depths.append(Depth(now, current.depth, batch.calls_left(current)))
        del self._depths[:-DEEPENS]
        agreed = agreement(before, self._last)
        if agreed:
            agreed = min(agreed, until_all_left(self._looks, batch.x.n))
        self.left = max(agreed, until_overflow(self._depths))
        later = LATER if self.left or self._last is None else CONFIRMS
        self._alarm = Alarm(max(later * (now - self._start), FIRST / 2))
        return self.left


def until_zero(looks: list[Look]) -> NDArray[np.float64] | None:
    """Seconds until each difference is zero, and 0 for those that do not approach it steadily; None if none does.

    Samples are at least half of `FIRST` apart, so no interval is zero.
    """
    if len(looks) < 3:
        return None
    (t0, a), (t1, b), (t2, c) = looks
    speed = (b - c) / (t2 - t1)
    steady = c * speed > 0
    if not steady.any():
        return None
    steady &= np.abs((a - b) / (t1 - t0) - speed) <= STEADY * np.abs(speed)
    return np.divide(c, speed, out=np.zeros_like(c), where=steady) if steady.any() else None


def agreement(before: NDArray[np.float64] | None, last: NDArray[np.float64] | None) -> float:
    """The greatest number of seconds that two forecasts give the same difference at least."""
    return 0.0 if before is None or last is None else float(np.minimum(before, last).max())


def until_all_left(looks: list[Look], lanes: int) -> float:
    """Seconds until the last of a batch's lanes has left its loop, if lanes go on leaving it at the rate of the last
    interval; only lanes none of whose differences are zero, because others have reached the loop's bound.

    Iterations take less time as lanes leave, except for the part that does not depend on their number.
    """
    (_, a), (t1, b), (t2, c) = looks
    moved = (a != b).any(0) & c.all(0)
    count, moving = np.count_nonzero(moved), np.count_nonzero(moved & (b != c).any(0))
    if moving == count:
        return math.inf
    rate = math.log((count + 0.5) / (moving + 0.5)) / (t2 - t1)
    inside = max(2.0, moving * lanes / c.shape[1])
    constant = DOUBLES / (DOUBLES + inside)
    return (1.0 - constant + constant * math.log(inside)) / rate


def until_overflow(depths: list[Depth]) -> float:
    """Seconds until the stack is full, if active calls have only grown in number for long enough."""
    first, last = depths[0], depths[-1]
    deepens = all(a.calls < b.calls for a, b in pairwise(depths))
    if len(depths) < DEEPENS or first.calls < DEPTH or last.at - first.at < DEEPENING or not deepens:
        return 0.0
    return last.left * (last.at - first.at) / (last.calls - first.calls)


def differences(comparisons: list[Comparison], regs: list[Any], lanes: int) -> NDArray[np.float64]:
    """The differences of the compared numbers in every n-th lane, for an odd n, so that all parts of warps are sampled.
    A row for each comparison."""
    step = -(-lanes // SAMPLED) | 1
    found = np.empty((len(comparisons), -(-lanes // step)))
    for row, (a, b) in zip(found, comparisons, strict=True):
        np.subtract(signed(regs, a, step), signed(regs, b, step), out=row, dtype=np.float64)
    return found


def signed(regs: list[Any], one: Reg | Imm, step: int) -> NDArray[Any] | int:
    """A value per lane in the sample, or one for all of them, as signed numbers."""
    if isinstance(one, Imm):
        return one.value - (one.value >> one.width - 1 << one.width)
    bits = regs[one.index][::step]
    return bits.view(f"i{bits.itemsize}")


def comparisons(function: Function) -> Iterator[Comparison]:
    """The comparisons before branches that may end a loop."""
    code = function.code
    loops = [(target, pc) for pc, target in branches(function) if target <= pc]
    for pc in dict.fromkeys(pc for pc, _ in branches(function)) if loops else ():
        op = code[pc]
        if op.guard is None:
            continue
        inside = [
            first for first, last in loops if first <= pc <= last and (pc == last or leaves(code, pc, first, last))
        ]
        if inside:
            yield from compared(code, op.guard, pc, min(inside))


def leaves(code: tuple[Op, ...], pc: int, first: int, last: int) -> bool:
    """Whether one side of a branch leaves a loop, perhaps after more code, as unoptimised code does."""
    return any(ends_outside(code, start, first, last) for start in (pc + 1, *targets(code[pc])))


def ends_outside(code: tuple[Op, ...], pc: int, first: int, last: int) -> bool:
    """Whether the code from `pc` on leaves a loop before it decides anything."""
    for _ in range(FOLLOWED):
        if not first <= pc <= last:
            return True
        op, kind = code[pc], control(code[pc])
        if kind in ("return", "exit", "branch") and op.guard is not None:
            return False
        if kind in ("return", "exit"):
            return True
        pc = next(targets(op), pc + 1) if kind == "branch" else pc + 1
    return False


def compared(code: tuple[Op, ...], predicate: Reg, pc: int, first: int) -> Iterator[Comparison]:
    """The numbers that a predicate is computed from, by the nearest instruction before `pc` that writes it."""
    wanted = {predicate.index}
    for op in reversed(code[first:pc]):
        if not any(is_written(op, i) and isinstance(o, Reg) and o.index in wanted for i, o in enumerate(op.operands)):
            continue
        read = [o for i, o in enumerate(op.operands) if is_read(op, i) and isinstance(o, Reg | Imm)]
        numbers = [o for o in read if 8 < o.width < 128]
        if len(numbers) == 2:
            yield numbers[0], numbers[1]
            return
        wanted |= {o.index for o in read if isinstance(o, Reg) and o.width == 1}
