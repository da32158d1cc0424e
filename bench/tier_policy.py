"""Simulates policies for when to compile a kernel, on recorded launches.

    python bench/tier_policy.py record FILE [PATH ...]
    python bench/tier_policy.py simulate FILE [--limit RATIO]

`record` writes, for each kernel of tests/kernels and tests/data/cases, the processor time of a first launch on the
reference engine, of a first and a second one as machine code, what the compile time was estimated at, and what the
forecast of its loops said when. Each launch is made by a process of its own, as bench/first_results.py does it.
`simulate` prints, for each rule, how the ratios of its first launch to the faster engine's are spread. It has two
processors, of which code in the background gets one.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from first_results import BARRIER, ROOT, launch_of
from tiers import SMALL, processor_seconds

import openptx
from openptx.engines.auto import costs, policy, tier_state
from openptx.engines.auto import launch as auto
from openptx.engines.common.engine import PreparedLaunch
from openptx.engines.native import settings
from openptx.engines.tiers import forecast, service
from openptx.testing.discovery import find

FORK, LINK = 0.007, 0.002
"""Seconds that a fork costs the launch, with copies of shared pages and the look for code on disk before it, and that
linking made code takes."""

SHARED = 1.1
"""How much longer a fork takes to make code than the process itself."""

BASELINE, SHORT, SLOWER = 0.45, 0.65, 2.0
"""What baseline code takes, of optimised code's time: to be made, also where that is made in less than
`costs.BASELINE`, and to run."""


class Record(NamedTuple):
    """Seconds of the processor."""

    name: str
    interp: float
    native: float
    again: float
    """A second launch as machine code."""
    estimate: float
    least: float
    """What the launch takes on the reference engine if each thread executes each instruction once."""
    forecasts: list[tuple[float, float]]
    """Since when the reference engine was at work, how much longer it would take at least."""


def in_fork(folder: str, run: Callable[[], Any]) -> Any:
    readable, writable = os.pipe()
    child = os.fork()
    if not child:
        try:
            with settings.cache_at(folder):
                os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
                os.write(writable, json.dumps(run()).encode())
            service.close()
        finally:
            os._exit(0)
    os.close(writable)
    with os.fdopen(readable, "rb") as stream:
        said = stream.read()
    os.waitpid(child, 0)
    return json.loads(said)


def seconds(path: str, engine: str, launches: int) -> list[float]:
    run, found = launch_of(path), list[float]()
    gc.collect()
    for _ in range(launches):
        start = processor_seconds(engine)
        run(engine)
        found.append(processor_seconds(engine) - start)
    return found


def estimated(path: str) -> tuple[float, float, list[tuple[float, float]]]:
    """The estimates, and the forecasts of a launch that is not abandoned."""
    seen, begun = list[tuple[float, float]](), list[float]()
    states = list[tier_state.TierState]()
    guesses = list[float]()
    update = forecast.Forecast.update

    def noted(self: forecast.Forecast, batch: Any) -> float:
        left = update(self, batch)
        if left != (seen[-1][1] if seen else 0.0):
            seen.append((time.thread_time() - begun[0], left))
        return left

    def never(*_: object) -> bool:
        return False

    def wanted(state: tier_state.TierState, prepared: PreparedLaunch, workers: int | None) -> Any:
        states.append(state)
        guesses.append(policy.seconds_of_one_pass(state, prepared))
        begun.append(time.thread_time())
        return never

    forecast.Forecast.update = noted
    auto.code_wanted = wanted
    auto.prefers_interp = never
    launch_of(path)("auto")
    return (states[0].compile_seconds if states else 0.0), (guesses[0] if guesses else 0.0), seen


def record(file: str, paths: list[str]) -> None:
    with tempfile.TemporaryDirectory() as made, open(file, "w") as out:
        with settings.cache_at(made):
            for text in (SMALL, BARRIER):
                for engine in ("interp", "native"):
                    openptx.load(text)["k"](1, 32, engine=engine)
        for path in paths:
            with tempfile.TemporaryDirectory() as folder:
                shutil.copytree(made, folder, dirs_exist_ok=True)
                (interp,) = in_fork(folder, partial(seconds, path, "interp", 1))
                native, again = in_fork(folder, partial(seconds, path, "native", 2))
                estimate, least, forecasts = in_fork(folder, partial(estimated, path))
            found = Record(Path(path).name, interp, native, again, estimate, least, forecasts)
            out.write(json.dumps(found) + "\n")
            out.flush()


@dataclass(frozen=True, slots=True)
class Rule:
    """Code is wanted when a launch has taken `share` of its estimate, but `least` seconds, or is forecast to take
    longer than the estimate (`costs.FAR` times that before a fork); in place, or in the background by a fork."""

    name: str
    share: float
    least: float
    forks: bool
    forecast: bool = True
    exact: bool = False
    """With the compile time that was measured instead of the estimate."""

    def asked(self, one: Record) -> tuple[float, bool]:
        """Seconds of the reference engine until the code is wanted, and whether the launch makes it in place."""
        estimate = max(one.native - one.again, 0.0) if self.exact else one.estimate
        short = estimate < costs.BASELINE
        if one.least > estimate and (not self.forks or short):
            return 0.0, True
        at = max(self.share * estimate, self.least)
        longer = estimate * (costs.FAR if self.forks else 1.0)
        soon = [time for time, left in one.forecasts if left > longer and time >= 0.0] if self.forecast else []
        return min([at, *soon]), not self.forks or (short and bool(soon) and min(soon) <= at)

    def seconds(self, one: Record) -> float:
        """Until the first result, on the clock."""
        at, in_place = self.asked(one)
        if one.interp <= at:
            return one.interp
        making = one.native - one.again
        least = costs.BASELINE_OF_FORKS if self.forks else math.inf
        part = SHORT if one.estimate >= least else 1.0
        if one.estimate >= costs.BASELINE and self.forks:
            part = BASELINE
        run = one.again * (SLOWER if part < 1.0 else 1.0)
        if in_place:
            return at + (one.native if at == 0.0 else making * part + run)
        return min(one.interp + FORK, at + FORK + SHARED * making * part + LINK + run)


RULES = (
    Rule("in place, after 1.0 of the estimate", 1.0, 0.0, False, forecast=False),
    Rule("in place, after 0.5 of it, forecast", 0.5, 0.0, False),
    Rule("fork, at once", 0.05, 0.0, True),
    *(
        Rule(f"fork, {share:.2f}, at least {least * 1e3:2.0f} ms", share, least, True)
        for share in (0.15, 0.25)
        for least in (0.01, 0.02, 0.025, 0.035, 0.05)
    ),
    Rule("fork, 0.15, 35 ms, no forecast", 0.15, 0.035, True, forecast=False),
    Rule("fork, 0.15, 35 ms, exact compile time", 0.15, 0.035, True, exact=True),
)


def simulate(file: str, limit: float) -> None:
    records = [Record(*json.loads(line)) for line in Path(file).read_text().splitlines()]
    print(f"{'rule':40} above {limit}   {'mean':>5} {'90 %':>5} {'99 %':>5} {'most':>5}  the worst")
    for rule in RULES:
        ratios = sorted((rule.seconds(one) / min(one.interp, one.native), one.name) for one in records)
        above = sum(ratio > limit for ratio, _ in ratios)
        found = [ratio for ratio, _ in ratios]
        mean = math.exp(sum(map(math.log, found)) / len(found))
        most, nearly = found[len(found) * 9 // 10], found[len(found) * 99 // 100]
        print(
            f"{rule.name:40} {above:9} {mean:7.2f} {most:5.2f} {nearly:5.2f}"
            f" {found[-1]:5.2f}  {', '.join(name for _, name in reversed(ratios[-3:]))}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("record", "simulate"))
    parser.add_argument("file")
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", default=[str(ROOT / "tests" / d) for d in ("kernels", "data/cases")]
    )
    parser.add_argument("--limit", type=float, default=1.2)
    asked = parser.parse_args()
    if asked.what == "record":
        paths = [path for given in asked.paths for path in (find([given]) if os.path.exists(given) else [given])]
        record(asked.file, paths)
    else:
        simulate(asked.file, asked.limit)


if __name__ == "__main__":
    main()
