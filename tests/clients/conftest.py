"""Tests of programs that use a GPU. `make clients` installs them; without it these tests are skipped.

`make clients` runs the suites of other projects too. OPENPTX_CLIENTS_SUMMARY names the file that gets their counts, and
OPENPTX_CLIENTS_BOUND is the number of seconds that a test function with all of its parameters may take: what it has
not reached by then is counted as skipped.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from tally import Suite, table

import openptx

os.environ.setdefault("TRITON_CACHE_DIR", os.path.join(tempfile.gettempdir(), "openptx-tests-triton"))
os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")  # or Triton 3.9 warns that its default will change

BOUND = float(os.environ.get("OPENPTX_CLIENTS_BOUND") or "inf")
SUMMARY = os.environ.get("OPENPTX_CLIENTS_SUMMARY", "")
SUITES: dict[str, Suite] = {}
SPENT: dict[str, float] = {}
"""Seconds by the name of a test function."""


def function_of(item: Any) -> str:
    return item.nodeid.partition("[")[0]


@pytest.fixture
def cuda_is_the_cpu(request: pytest.FixtureRequest) -> Iterator[None]:
    """torch's `cuda` is the CPU, with Triton's kernels for the module's TARGET."""
    torch: Any = pytest.importorskip("torch", reason="torch is not installed: make clients")
    if torch.cuda.is_available():
        pytest.skip("torch has a GPU")
    openptx.torch.activate(getattr(request.module, "TARGET", "sm_80"))
    yield
    openptx.torch.deactivate()


@pytest.fixture
def tally() -> Iterator[Callable[[str], Suite]]:
    """The suite of a name, to count the tests of another project in: a test with this fixture is not counted itself."""
    start, named = time.monotonic(), list[Suite]()

    def suite(name: str) -> Suite:
        named.append(SUITES.setdefault(name, Suite()))
        return named[-1]

    yield suite
    if named:
        named[0].seconds += time.monotonic() - start


@pytest.fixture
def bound(request: pytest.FixtureRequest) -> Callable[[float], float]:
    """The seconds that a process may take: as many as are given, or as are left of the test function's bound."""
    start = time.monotonic()
    spent = SPENT.get(function_of(request.node), 0.0)
    return lambda limit: max(1.0, min(limit, BOUND - spent - (time.monotonic() - start)))


@pytest.fixture
def say(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Prints a line of progress past pytest's capture, where `make clients` runs."""
    capture: Any = request.config.pluginmanager.getplugin("capturemanager")

    def line(words: str) -> None:
        if SUMMARY:
            with capture.global_and_fixture_disabled():
                print(f"\n  {time.strftime('%H:%M:%S')} {words}", end="", flush=True)

    return line


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: Any) -> Generator[None, Any, Any]:
    start = time.monotonic()
    try:
        return (yield)
    finally:
        seconds = time.monotonic() - start
        SPENT[function_of(item)] = SPENT.get(function_of(item), 0.0) + seconds
        if "tally" not in item.fixturenames:
            SUITES.setdefault(item.path.stem, Suite()).seconds += seconds
        write()


def pytest_runtest_setup(item: Any) -> None:
    if SPENT.get(function_of(item), 0.0) > BOUND:
        pytest.skip(f"not reached in {BOUND:.0f} s")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Generator[None, Any, Any]:
    report = yield
    if report.when != "call" and report.passed:
        return report
    suite = SUITES.setdefault(item.path.stem, Suite())
    if "tally" not in item.fixturenames or report.skipped:
        why = report.longrepr[2].removeprefix("Skipped: ") if report.skipped and report.longrepr else ""
        suite.count(item.name, report.outcome, why or str(getattr(call.excinfo, "value", "")))
    elif report.failed and not any(one.failed for one in SUITES.values()):
        suite.count(item.name, report.outcome, str(getattr(call.excinfo, "value", "")))
    return report


def pytest_collectreport(report: Any) -> None:
    """Files that are skipped as a whole count too."""
    if report.skipped and report.longrepr:
        name = Path(report.nodeid).stem
        SUITES.setdefault(name, Suite()).count(name, "skipped", report.longrepr[2].removeprefix("Skipped: "))


def write() -> None:
    if SUMMARY:
        Path(SUMMARY).write_text("\n".join(lines()) + "\n", "utf-8")


def lines() -> list[str]:
    return table({name: suite for name, suite in SUITES.items() if any(suite.numbers)})


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if SUMMARY:
        write()
        terminalreporter.section("clients")
        for line in lines():
            terminalreporter.write_line(line)
