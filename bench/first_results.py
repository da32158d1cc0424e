"""The first launch of `auto` compared with the faster engine, for all of tests/kernels and tests/data/cases.

    python bench/first_results.py [--rounds N] [--most N] [--limit RATIO] [PATH ...]

Each launch is made by a process of its own, forked from one that has launched a small kernel on each engine, with an
empty code cache. Before it, that process launches a small kernel on the reference engine: otherwise up to half of the
shortest launches would be copies of pages that it shares with its parent, which programs do not have. Python's garbage
is collected before as well, because only chance decides in which launches the collector traverses what loading made,
for 2 to 5 ms. The engines take turns, and the ratio is the median of the rounds': processors change their speed, by
half on shared machines, and a round takes less time than that. A kernel above the limit gets further rounds. What
counts is processor time of the process that launches, and of processes that it waits for (a fork or a server that makes
code meanwhile is not in it), and time on the clock. Prints the kernels that were or are above the limit, and how the
ratios are spread. Loading the module is not counted, comparing the results is not either.
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
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from statistics import median

from tiers import ENGINES, SMALL, launcher, processor_seconds

import openptx
from openptx.engines.native import settings
from openptx.engines.tiers import service
from openptx.testing.case import argument, read_case
from openptx.testing.discovery import find

ROOT = Path(__file__).parents[1]
BARRIER = SMALL.replace("ret;", "bar.sync 0; ret;")
LOOP = SMALL.replace(
    "ret;", ".reg .u32 r; .reg .pred p; mov.u32 r, 9; A: sub.u32 r, r, 1; setp.ne.u32 p, r, 0; @p bra A; ret;"
)
Times = tuple[float, float]
"""Seconds of the processor and on the clock."""


def launch_of(path: str) -> Callable[[str], None]:
    """What launches a case on an engine. How it ends is for the tests to judge."""
    if not os.path.isdir(path):
        return launcher(path)
    case = read_case(path)
    kernel = openptx.load(Path(path) / "kernel.ptx")[case.kernel]
    given = [argument(case, each) for each in case.params]

    endless = case.fault is not None and "timeout" in case.fault["names"]
    shared, cluster, limit = case.shared, case.cluster, 1 if endless else 300

    def run(engine: str) -> None:
        with suppress(openptx.Fault, openptx.Unsupported):
            kernel(case.grid, case.block, given, shared_mem=shared, cluster=cluster, engine=engine, timeout=limit)

    return run


def forked(path: str, engine: str, folder: str) -> Times:
    """A first launch, in a child of this process."""
    readable, writable = os.pipe()
    child = os.fork()
    if not child:
        try:
            with settings.cache_at(folder):
                run = launch_of(path)
                os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
                openptx.load(LOOP)["k"](1, 32, engine="auto" if engine == "auto" else "interp")
                gc.collect()
                processor, clock = processor_seconds(engine), time.perf_counter()
                run(engine)
                times = processor_seconds(engine) - processor, time.perf_counter() - clock
            os.write(writable, json.dumps(times).encode())
            service.close()
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(writable)
    with os.fdopen(readable, "rb") as stream:
        text = stream.read()
    os.waitpid(child, 0)
    if not text:
        raise SystemExit(f"{path}: the launch on {engine} failed, see above")
    processor, clock = json.loads(text)
    return processor, clock


Round = dict[str, Times]
"""The times of each engine."""


def run_round(path: str, made: str) -> Round:
    """One launch by each engine."""
    found: Round = {}
    for engine in ENGINES:
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(made, folder, dirs_exist_ok=True)
            found[engine] = forked(path, engine, folder)
    return found


def ratio(rounds: list[Round], i: int) -> float:
    """`auto` compared with the faster engine, by the processor (0) or on the clock (1)."""
    return median(each["auto"][i] / min(each["interp"][i], each["native"][i]) for each in rounds)


def rounds_of(path: str, made: str, least: int, most: int, limit: float) -> list[Round]:
    """At least so many rounds, and more while the ratio is above the limit."""
    rounds: list[Round] = []
    while len(rounds) < least or (ratio(rounds, 0) > limit and len(rounds) < most):
        rounds.append(run_round(path, made))
    return rounds


def spread(ratios: Sequence[float]) -> str:
    ordered = sorted(ratios)
    mean = math.exp(sum(map(math.log, ordered)) / len(ordered))
    parts = ", ".join(
        f"{p} % at most {ordered[min(len(ordered) - 1, len(ordered) * p // 100)]:.2f}" for p in (50, 90, 99)
    )
    return f"geometric mean {mean:.2f}, {parts}, the highest {ordered[-1]:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", default=[str(ROOT / "tests" / d) for d in ("kernels", "data/cases")]
    )
    parser.add_argument("--rounds", type=int, default=3, help="for each kernel")
    parser.add_argument("--most", type=int, default=12, help="rounds for a kernel above the limit")
    parser.add_argument("--limit", type=float, default=1.2)
    asked = parser.parse_args()
    paths = [path for given in asked.paths for path in (find([given]) if os.path.exists(given) else [given])]
    processor: list[float] = []
    clock: list[float] = []
    above = 0
    with tempfile.TemporaryDirectory() as made:
        with settings.cache_at(made):
            for text in (SMALL, BARRIER):
                for engine in ENGINES[:2]:
                    openptx.load(text)["k"](1, 32, engine=engine)
        print(
            f"{'kernel':30} {'interp ms':>10} {'native ms':>10} {'auto ms':>10} {'processor':>10} {'clock':>6} rounds"
        )
        for path in paths:
            rounds = rounds_of(path, made, asked.rounds, asked.most, asked.limit)
            ratios = [ratio(rounds, i) for i in (0, 1)]
            processor.append(ratios[0])
            clock.append(ratios[1])
            above += ratios[0] > asked.limit
            if len(rounds) > asked.rounds or ratios[0] > asked.limit:
                row = " ".join(f"{median(each[engine][0] for each in rounds) * 1e3:10.2f}" for engine in ENGINES)
                print(f"{Path(path).name:30} {row} {ratios[0]:10.2f} {ratios[1]:6.2f} {len(rounds):6}", flush=True)
    print(f"{len(paths)} kernels, {above} above {asked.limit}, auto / best")
    print(f"by the processor: {spread(processor)}\non the clock: {spread(clock)}")


if __name__ == "__main__":
    main()
