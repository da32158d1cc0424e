"""Launches that compiled code takes over at random moments: bits and faults are those of the interpreter.

    python tests/properties/many_takeovers.py {random,hostile} START STOP [--state FILE] [--every N]
    python tests/properties/many_takeovers.py cases PATH...

Prints what differs at once, and counts as it goes. With a state file a later run goes on where an earlier one ended.
"""

from __future__ import annotations

import argparse
import gc
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import numpy as np
from engines import Result, buffers, planned
from hostile_kernels import HostileKernel
from random_kernels import Kernel
from takeovers import Takeovers, forced
from test_hostile_kernels import outcome

from openptx.device.memory import device
from openptx.engines.native import settings
from openptx.engines.native.rtlib import support
from openptx.errors import Fault
from openptx.runtime.module import LoadedModule, load
from openptx.testing.discovery import find, run_test
from openptx.testing.result import PASSED, UNSUPPORTED

EVERY = 100
"""Of so many random kernels one is taken over at every question."""

POINTS = 2
"""Questions of the others, all of them chosen at random."""

seen: Counter[str] = Counter()
"""Take-overs, and why launches went on where they were."""


def noted(takeovers: Takeovers) -> None:
    seen["taken over"] += takeovers.restored
    seen.update(takeovers.kept)


def launched(module: LoadedModule, kernel: Kernel, engine: str) -> Result:
    given, out, sums = buffers(kernel)
    try:
        module["k"](kernel.grid, kernel.block, (given, out, sums, kernel.uniform), engine=engine, timeout=120)
    except Fault as fault:
        return Result(out, sums, (fault.name, fault.block, fault.thread, fault.address, fault.space))
    return Result(out, sums)


def kernel_problem(seed: int, every: int = EVERY) -> str:
    """Where a random kernel's results differ, in words; code of both tiers takes over, at questions of its own."""
    dice, kernel = random.Random(seed), Kernel(seed, planned(seed)[0])
    with settings.cache_at(None), forced(baseline=seed % 2 == 0) as takeovers:
        module = load(kernel.text())
        expected = launched(module, kernel, "auto")  # to its end on the reference engine
        count = takeovers.asked[0]
        whole = every and seed % every == 0
        some = range(1, count + 1) if whole else [1 + dice.randrange(count) for _ in range(POINTS)]
        for at in some:
            takeovers.again(lambda _, at=at: at)
            if found := expected.differs(launched(module, kernel, "auto")):
                return f"seed {seed}, taken over at question {at} of {count}: {found}"
        noted(takeovers)
    return ""


def hostile_problem(seed: int) -> str:
    """How a kernel that does wrong ends otherwise than on the reference engine, when code takes over."""
    dice, hostile = random.Random(seed), HostileKernel(seed)
    heap = device(64).device_heap()
    given, out = heap.state(), np.zeros(hostile.bytes, np.uint8)
    with forced(baseline=seed % 2 == 0) as takeovers:
        ends: list[tuple[object, ...]] = []
        for engine in ("interp", "auto", "auto"):
            gc.collect()  # as in test_hostile_kernels.py
            if len(ends) == 2:
                takeovers.again(lambda count: 1 + dice.randrange(count))
            ends.append(outcome(hostile, engine, out))
            heap.restore(given)
        noted(takeovers)
    for end in ends:
        if end[0] not in hostile.faults:
            return f"{end}\n{hostile}"
    return f"{ends}\n{hostile}" if hostile.alone and not ends[0] == ends[1] == ends[2] else ""


def case_problem(path: str, dice: random.Random) -> str:
    """What is wrong with a case or an annotated file, all of whose launches are taken over at random questions."""
    with settings.cache_at(None), forced(baseline=dice.random() < 0.5) as takeovers:
        result = run_test(path, "auto")
        if result.status == PASSED:
            takeovers.again(lambda count: 1 + dice.randrange(count))
            result = run_test(path, "auto")
        noted(takeovers)
    if result.status == UNSUPPORTED:
        return f"unsupported: {result.message.splitlines()[0]}"
    return "" if result.status == PASSED else f"{path}: {result.status} {result.message}"


def report(problems: Iterable[str], total: int, done: Callable[[int], None]) -> int:
    """Prints problems, and counts; `done` is told how many are over."""
    start, wrong, unsupported, count = time.monotonic(), 0, 0, 0
    for count, problem in enumerate(problems, 1):
        unsupported += problem.startswith("unsupported")
        if problem and not problem.startswith("unsupported"):
            wrong += 1
            print(problem, flush=True)
        if count % 50 == 0 or count == total:
            done(count)
            print(f"{count} of {total}, {wrong} differ, {unsupported} unsupported, {dict(seen)}, ", end="")
            print(f"{time.monotonic() - start:.0f} s, {time.process_time():.0f} s of the processor", flush=True)
    return 1 if wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("random", "hostile", "cases"))
    parser.add_argument("given", nargs="+", metavar="START STOP | PATH...")
    parser.add_argument("--state", type=Path, help="a file that remembers how far it has come")
    parser.add_argument(
        "--every", type=int, default=EVERY, metavar="N",
        help="one of N random kernels is taken over at every question, which takes as long as N others; 0: none",
    )  # fmt: skip
    asked = parser.parse_args()
    support.available = lambda: False  # LLVM runs in this process: starting another takes longer than a small kernel
    if asked.what == "cases":
        paths = find(asked.given)
        return report((case_problem(path, random.Random(path)) for path in paths), len(paths), lambda _: None)
    start, stop = map(int, asked.given)
    if asked.state is not None and asked.state.exists():
        start = int(asked.state.read_text())
    problem = partial(kernel_problem, every=asked.every) if asked.what == "random" else hostile_problem

    def done(count: int) -> None:
        if asked.state is not None:
            asked.state.write_text(f"{start + count}\n")

    return report(map(problem, range(start, stop)), stop - start, done)


if __name__ == "__main__":
    sys.exit(main())
