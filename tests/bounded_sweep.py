"""`pytest -m sweep --sweep-minutes M`: as many of the long tests as M minutes allow, in an order that a seed chooses.

Each test function has its turn, one set of parameters after the other. A test that takes more than a twentieth of the
time is stopped and counts as skipped.
"""

from __future__ import annotations

import random
import signal
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence

import pytest

PART = 20
"""Of the time, what one test may take."""


def turns(names: Sequence[str], seed: int) -> list[int]:
    """The order of tests with these names: one of each function, then a second one, and so on."""
    dice = random.Random(seed)
    rounds = defaultdict[int, dict[str, list[int]]](dict)
    taken = defaultdict[str, int](int)
    for i in sorted(range(len(names)), key=lambda _: dice.random()):
        function = names[i].partition("[")[0]
        rounds[taken[function]].setdefault(function.partition("::")[0], []).append(i)
        taken[function] += 1
    return [i for some in rounds.values() for file in some.values() for i in file]


class BoundedSweep:
    """The plugin; with xdist, one in each worker and one that counts."""

    def __init__(self, minutes: float, seed: int) -> None:
        self.minutes, self.seed = minutes, seed
        self.end = time.monotonic() + 60 * minutes
        self.names: Sequence[str] = ()
        self.ran: set[str] = set()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        self.names = [item.nodeid for item in items]
        items[:] = [items[i] for i in turns(self.names, self.seed)]

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        self.names = ids

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self) -> bool | None:
        """Leaves out what there is no time for."""
        return True if time.monotonic() >= self.end else None

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self) -> Iterator[None]:
        before = signal.signal(signal.SIGALRM, self._stop)
        signal.setitimer(signal.ITIMER_REAL, max(min(60 * self.minutes / PART, self.end - time.monotonic()), 0.01), 5)
        yield
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)

    def _stop(self, *_: object) -> None:
        pytest.skip(f"stopped after {60 * self.minutes / PART:g} seconds, or when time was over")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "setup":
            self.ran.add(report.nodeid)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        def files(names: Iterator[str]) -> set[str]:
            return {name.partition("::")[0] for name in names}

        said = f"seed {self.seed}: {len(self.ran)} of {len(self.names)} tests in {self.minutes:g} minutes"
        missed = sorted(files(iter(self.names)) - files(iter(self.ran)))
        named = ", ".join(missed) if len(missed) < 10 else f"{len(missed)} files"
        terminalreporter.line(f"{said}; none of {named}" if missed else said)
