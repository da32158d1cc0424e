"""Triton: python/test/unit/language/test_core.py, executed on the CPU by `openptx.torch`.

Needs torch, and the installed Triton to be of the checkout's version: `make .venv/.ready-clients`. The whole file takes
hours; CONFORMANCE_PYTEST has further options for pytest, such as `-k test_dot`.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from conformance.outcome import Outcome

TESTS = Path("python", "test", "unit", "language", "test_core.py")
OPTIONS = ("-q", "--no-header", "-p", "openptx.torch.plugin", "-p", "no:cacheprovider")
STATUS = {"failure": "disagreed", "error": "not run", "skipped": "skipped"}


def run(checkout: Path) -> Iterator[Outcome]:
    asked = shlex.split(os.environ.get("CONFORMANCE_PYTEST", ""))
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder, "found.xml")
        command = [
            sys.executable,
            "-m",
            "pytest",
            *OPTIONS,
            f"--confcutdir={checkout}",
            f"--junitxml={found}",
            str(TESTS),
            *asked,
        ]
        done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)
        if not found.exists():
            yield Outcome("all", "not run", (done.stderr or done.stdout).strip().split("\n")[-1])
            return
        yield from read(found.read_text("utf-8"))


def read(text: str) -> Iterator[Outcome]:
    """What pytest's report in XML says of each case."""
    for case in ElementTree.fromstring(text).iter("testcase"):
        name, outcome = case.get("name", ""), next((child for child in case if child.tag in STATUS), None)
        if outcome is None:
            yield Outcome(name, "agreed")
        else:
            yield Outcome(name, STATUS[outcome.tag], outcome.get("message", "").split("\n")[0][:200])
