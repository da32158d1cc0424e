"""`openptx exec --sanitize`: a defect ends the launch with an error; other launches run as without it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from openptx.driver.build import compiler

pytestmark = pytest.mark.skipif(
    compiler() is None or sys.platform != "linux", reason="there is no C compiler, or no Linux"
)
PROGRAM = Path(__file__).parent / "programs" / "sanitized_program.py"
LAUNCH_FAILED = "719"


def run(expected: str, kind: str, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "openptx", "exec", *options, "--", sys.executable, str(PROGRAM), expected, kind]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, **environment})
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def test_a_correct_program_says_nothing() -> None:
    assert not run("0", "right", "--sanitize").stderr


def test_a_race_is_an_error_of_its_launch() -> None:
    done = run(LAUNCH_FAILED, "racy", "--sanitize")
    assert done.stderr.count("error[PTX8001]") == 1  # the context is of no use afterwards
    assert "a `bar.warp.sync` between lines" in done.stderr
    assert "error[PTX8001]" in done.stdout  # in the error's string
    assert not run("0", "racy").stderr  # not checked without the option


def test_a_warning_is_told_once_and_the_program_goes_on() -> None:
    assert run("0", "equal", "--sanitize").stderr.count("warning[PTX8501]") == 1


def test_memory_that_a_later_launch_frees_is_no_finding() -> None:
    assert run("0", "freed", "--sanitize").stderr == "taken\n"


@pytest.mark.parametrize("end", ["kept", "destroyed"])
def test_memory_that_nobody_has_freed_is_told_at_the_end(end: str) -> None:
    before, _, after = run("0", end, "--sanitize").stderr.partition("taken\n")
    assert not before
    assert after.count("warning[PTX8506]: memory of the device's heap that is not freed when the program ends") == 1
    assert after.endswith("destroyed\n") == (end == "destroyed")


def test_shared_memory_that_nobody_wrote_is_an_error() -> None:
    done = run(LAUNCH_FAILED, "undefined", "--sanitize")
    assert "error[PTX8003]: a value that was never written is stored in global memory" in done.stderr


def test_device_memory_is_undefined_until_it_is_written() -> None:
    done = run(LAUNCH_FAILED, "unset", "--sanitize")
    assert "error[PTX8003]: a value that was never written is stored in global memory" in done.stderr


def test_the_environment_names_single_tools() -> None:
    for options in ((), ("--sanitize",)):
        assert not run("0", "undefined", *options, OPENPTX_SANITIZE="race,sync").stderr
