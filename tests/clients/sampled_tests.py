"""A pytest plugin: runs a random sample of the collected tests and writes their outcomes as JSON.

pytest -p sampled_tests --sample 500 --sample-seed 1 --outcomes outcomes.json
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from tally import NOT_REACHED


class Outcomes:
    """By the test's name: "passed", "failed", "skipped" or NOT_REACHED, and why."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.found: dict[str, tuple[str, str]] = {}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        size = self.config.getoption("--sample")
        if size and size < len(items):
            chosen = set(random.Random(self.config.getoption("--sample-seed")).sample(range(len(items)), size))
            items[:] = [item for i, item in enumerate(items) if i in chosen]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.found = {item.nodeid: (NOT_REACHED, NOT_REACHED) for item in session.items}
        self.write()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if self.found.get(report.nodeid, ("", ""))[0] == "failed":  # a part of it, or its call
            return
        if report.when == "call" or report.outcome != "passed":
            self.found[report.nodeid] = (report.outcome, why(report))
            self.write()

    def write(self) -> None:
        path = self.config.getoption("--outcomes")
        if path:
            Path(path).write_text(json.dumps(self.found, indent=1))


def why(report: pytest.TestReport) -> str:
    if report.outcome == "passed":
        return ""
    if isinstance(report.longrepr, tuple):  # of a skipped test: file, line, words
        return str(report.longrepr[2]).removeprefix("Skipped: ")
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is None:
        return str(report.longrepr)
    return " ".join(f"{crash.path}:{crash.lineno}: {crash.message}".split())  # its own text is the first line alone


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("sample")
    group.addoption("--sample", type=int, default=0)
    group.addoption("--sample-seed", type=int, default=0)
    group.addoption("--outcomes", default="")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Outcomes(config))
