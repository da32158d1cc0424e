"""Runs the tests of another project by pytest in a separate process, with a time limit."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from tally import NOT_REACHED

HERE = Path(__file__).parent
STEP = 60
"""Seconds between lines of progress."""


def run_pytest(
    options: list[str],
    *,
    folder: Path,
    limit: float,
    say: Callable[[str], None],
    start: list[str] | None = None,
    environment: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> tuple[dict[str, tuple[str, str]], str]:
    """Outcomes of pytest's tests by name, and what it printed; `start` is a command that starts it, folder gets files.

    Where it does not end in `limit` seconds it is killed, and tests that have not run yet are "not reached".
    """
    outcomes, log = folder / "outcomes.json", folder / "pytest.log"
    outcomes.unlink(missing_ok=True)
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "sampled_tests", "--outcomes", str(outcomes)]
    command = [*(start or []), *tests, "-p", "no:cacheprovider", *options]
    given = {**os.environ, **(environment or {})}
    given["PYTHONPATH"] = os.pathsep.join(filter(None, (str(HERE), given.get("PYTHONPATH", ""))))
    with log.open("w") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, env=given, cwd=cwd)
        begun = time.monotonic()
        try:
            while time.monotonic() - begun < limit:
                try:
                    process.wait(min(STEP, limit))
                    break
                except subprocess.TimeoutExpired:
                    say(f"{progress(outcomes)}, {time.monotonic() - begun:.0f} s")
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()
    if process.returncode == -signal.SIGKILL and not outcomes.exists():
        pytest.skip(f"{NOT_REACHED} in {limit:.0f} s")
    printed = log.read_text("utf-8", "replace")
    return read(outcomes) if outcomes.exists() else {}, printed


def read(outcomes: Path) -> dict[str, tuple[str, str]]:
    try:
        found = json.loads(outcomes.read_text("utf-8"))
    except ValueError:  # it is being written
        return {}
    return {name.partition("::")[2] or name: (outcome, why) for name, (outcome, why) in found.items()}


def progress(outcomes: Path) -> str:
    count = Counter(outcome for outcome, _ in read(outcomes).values()) if outcomes.exists() else Counter[str]()
    return ", ".join(f"{number} {outcome}" for outcome, number in sorted(count.items())) or "no test has run yet"
