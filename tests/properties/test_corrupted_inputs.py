"""Files, arguments and caches damaged at random cause a message: no crash, no traceback, no hang.

OPENPTX_FUZZ_SECONDS says for how long (10 minutes in the sweep), OPENPTX_FUZZ_SEED where numbers begin.
"""

from __future__ import annotations

import collections
import json
import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from corrupted_inputs import KINDS, kind_of

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="FIFOs, links and owners are those of POSIX")

HANGS = 60.0
"""Seconds; an input takes 0.02, and a kernel that has no end 2."""

LEAST = 12
"""Inputs, also on a slow computer."""


class Fuzzer:
    """A process that executes inputs, and what is told of them."""

    def __init__(self, folder: Path, first: int) -> None:
        environment = {**os.environ, "OPENPTX_CACHE": str(folder / "store"), "HOME": str(folder)}
        command = [sys.executable, str(Path(__file__).with_name("corrupted_inputs.py")), str(folder), str(first)]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
        )
        self.lines = queue.Queue[Any]()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(json.loads(line))
        self.lines.put(None)

    def next(self) -> Any:
        """What it says next; None when it has ended, or says nothing for very long."""
        try:
            return self.lines.get(timeout=HANGS)
        except queue.Empty:
            return None

    def end(self) -> str:
        """How the process ended, or that it hung."""
        time.sleep(0.2)
        status = self.process.poll()
        self.process.kill()
        _, errors = self.process.communicate()
        return "hung" if status is None else f"ended with {status}: {errors[-2000:]}"


def fuzz(folder: Path, seconds: float, first: int) -> tuple[collections.Counter[str], list[str]]:
    """How many inputs of each kind ended, and what was found."""
    end, done, found = time.monotonic() + seconds, collections.Counter[str](), list[str]()
    number = first
    while time.monotonic() < end or done.total() < LEAST:
        fuzzer = Fuzzer(folder, number)
        while time.monotonic() < end or done.total() < LEAST:
            begun = fuzzer.next()
            ended = fuzzer.next() if begun is not None else None
            if ended is None:
                how = fuzzer.end()
                found.append(f"{begun}: {how}")
                number = begun[0] + 1 if begun else number + 1
                break
            number = begun[0] + 1
            done[kind_of(begun[0])] += 1
            if ended[2] is not None:
                found.append(f"{begun}: {ended}")
        fuzzer.process.kill()
        fuzzer.process.wait()
    return done, found


def require_nothing_found(folder: Path, seconds: float, first: int) -> None:
    done, found = fuzz(folder, seconds, first)
    print(dict(done), len(found))
    assert not found, f"{len(found)} of {done.total()}:\n" + "\n\n".join(found[:20])
    assert set(done) == set(KINDS)


def test_damaged_inputs_end_in_a_message(tmp_path: Path) -> None:
    require_nothing_found(tmp_path, 3, 0)


@pytest.mark.sweep
def test_ten_minutes_of_damaged_inputs(tmp_path: Path) -> None:
    seconds, first = os.environ.get("OPENPTX_FUZZ_SECONDS", "600"), os.environ.get("OPENPTX_FUZZ_SEED", "1000")
    require_nothing_found(tmp_path, float(seconds), int(first))
