"""The entry points of libcuda.so.1, called through ctypes in a separate process; skipped without a C compiler."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from openptx.driver import calls
from openptx.driver.build import compiler
from openptx.driver.environment import shared_python

pytestmark = pytest.mark.skipif(
    compiler() is None or sys.platform != "linux", reason="there is no C compiler, or no Linux"
)
PROGRAM = Path(__file__).with_name("driver_program.py")


def test_a_program_runs_and_its_context_stays_broken_after_a_fault() -> None:
    command = [sys.executable, "-m", "openptx", "exec", "--device", "sm_80", "--", sys.executable, str(PROGRAM)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "PTX9001" in done.stderr
    assert re.search("cuMemcpyDtoH_v2: read of 400 bytes at 0x[0-9a-f]+, which is memory of the host", done.stderr)
    assert done.stdout.splitlines()[-1] == "released 0 0 0 0 waited 0 0 0 trimmed 0 0 named 0 OpenPTX sm_80 others 4"


@pytest.mark.skipif(shared_python() is None, reason="this Python has no shared library")
@pytest.mark.parametrize("step", [1000, 10000])
def test_one_thread_starts_python_while_the_others_wait(step: int, tmp_path: Path) -> None:
    program = tmp_path / "program"
    source = PROGRAM.with_name("staggered_threads.c")
    subprocess.run([compiler() or "cc", str(source), "-o", str(program), "-ldl", "-lpthread"], check=True)
    command = [sys.executable, "-m", "openptx", "exec", "--", str(program), str(step)]
    # Without this Python on the path the program's own lacks NumPy at first, and the start takes a second attempt.
    elsewhere = {**os.environ, "PATH": os.defpath}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=elsewhere)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("handler", "status", "printed"), [("default", -signal.SIGINT, ""), ("own", 0, "signal 2\n")])
def test_interrupts_stay_the_program_s(handler: str, status: int, printed: str, tmp_path: Path) -> None:
    program, source = tmp_path / "program", PROGRAM.with_name("kept_signals.c")
    subprocess.run([compiler() or "cc", str(source), "-o", str(program), "-ldl"], check=True)
    command = [sys.executable, "-m", "openptx", "exec", "--", str(program), handler]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (status, printed), done.stderr


def test_a_folder_of_the_same_name_is_not_taken_for_openptx(tmp_path: Path) -> None:
    (tmp_path / "openptx").mkdir()
    program = "import ctypes; print(ctypes.CDLL('libcuda.so.1').cuInit(0))"
    command = [
        sys.executable,
        "-m",
        "openptx",
        "exec",
        "--",
        str(Path(sys.base_prefix, "bin", "python3")),
        "-S",
        "-c",
        program,
    ]
    variables = {**os.environ, "PYTHONPATH": ""}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=tmp_path, env=variables)
    assert (done.stdout, done.stderr) == ("0\n", "")


def test_a_missing_compiler_is_named(tmp_path: Path) -> None:
    missing = {**os.environ, "CC": "no-such-cc", "OPENPTX_CACHE": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "openptx", "exec", "--", "true"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=missing)
    assert done.returncode == 2
    assert "no command `no-such-cc`, which the environment variable CC names" in done.stderr


def test_the_exit_status_is_the_commands() -> None:
    command = [sys.executable, "-m", "openptx", "exec", "--", "sh", "-c", "exit 7"]
    assert subprocess.run(command, timeout=120).returncode == 7


def test_the_repeated_signal_waits_for_the_end_of_the_callback(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the computer is: ctypes prints and drops what a signal handler raises within the callback."""
    start = calls.start_new_thread

    def slowly(*given: Any) -> None:
        start(*given)
        time.sleep(0.2)

    monkeypatch.setattr(calls, "SOON", 0.001)
    monkeypatch.setattr(calls, "start_new_thread", slowly)

    def call() -> None:
        calls.dropped()
        time.sleep(30)

    with pytest.raises(KeyboardInterrupt):
        call()
