"""`--timeout` and Ctrl-C work while files are read, checked, formatted and loaded."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from openptx.cli.time_limit import limited
from openptx.errors import Fault

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no such signals")

LATE = 5.0
"""Seconds, as in tests/unit/native/test_native_stops.py."""
HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A kernel that takes many seconds to check: no two of its statements are alike."""
    path = tmp_path_factory.mktemp("large") / "large.ptx"
    body = "".join(
        f"add.u32 %r{i % 997}, %r{i % 991}, {i}; L{i}: @%p bra L{i * 7 % 300_000};\n" for i in range(300_000)
    )
    path.write_text(f"{HEAD}.visible .entry k() {{ .reg .b32 %r<1000>; .reg .pred %p;\n{body}ret; }}\n")
    return path


@pytest.mark.parametrize("seconds", [0.05, 0.5, 1.2])
def test_the_time_limit_holds_while_a_file_is_checked(openptx, large, seconds):
    handler, start = signal.getsignal(signal.SIGALRM), time.process_time()  # of the clock, a busy computer is late
    done = openptx("run", large, "--grid", 1, "--block", 1, "--timeout", seconds)
    assert time.process_time() - start < seconds + LATE
    assert done.status == 1
    assert done.err.startswith(f"fault[PTX9005]: it took longer than {seconds:g} seconds\n")
    assert "the file was being read and checked" in done.err
    assert signal.getsignal(signal.SIGALRM) is handler


def test_a_signal_that_comes_again_at_once_leaves_nothing_behind(monkeypatch):
    """As on a busy computer, where the exception is still on its way when the signal is repeated."""
    set_timer, handler = signal.setitimer, signal.getsignal(signal.SIGALRM)
    monkeypatch.setattr(signal, "setitimer", lambda which, first, again=0.0: set_timer(which, first, min(again, 1e-4)))

    def endless() -> None:
        while True:
            bytearray(100)

    for _ in range(100):
        with pytest.raises(Fault, match=r"longer than 0\.001 seconds"):
            limited(0.001, endless)
        assert signal.getsignal(signal.SIGALRM) is handler
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs on this system")
def test_the_time_limit_holds_while_nobody_writes(openptx, tmp_path):
    os.mkfifo(tmp_path / "wait.ptx")
    assert openptx("run", tmp_path / "wait.ptx", "--grid", 1, "--block", 1, "--timeout", 0.3).status == 1


def test_the_limit_counts_from_the_beginning(openptx, tmp_path, monkeypatch):
    from openptx.cli.commands import run

    (tmp_path / "k.ptx").write_text(f"{HEAD}.visible .entry k() {{ L: bra L; }}")
    loaded = run.load
    monkeypatch.setattr(run, "load", lambda path: (time.sleep(0.6), loaded(path))[1])
    for engine in ("native", "interp", "auto"):
        start, used = time.monotonic(), time.process_time()
        done = openptx("run", tmp_path / "k.ptx", "--grid", 1, "--block", 1, "--timeout", 1.2, "--engine", engine)
        assert time.monotonic() - start > 1.2
        assert time.process_time() - used < 1.0  # the kernel's part is 0.6 s, not 1.2
        assert (done.status, "longer than 1.2 seconds" in done.err) == (1, True)


@pytest.mark.parametrize("timeout", ["nan", "0", "-1", "inf", "1e300", "1e-9"])
def test_times_that_are_none(openptx, tmp_path, timeout):
    (tmp_path / "k.ptx").write_text(f"{HEAD}.visible .entry k() {{ ret; }}")
    done = openptx("run", tmp_path / "k.ptx", "--grid", 1, "--block", 1, "--timeout", timeout)
    assert done.status == {"inf": 0, "1e300": 0, "1e-9": 1}.get(timeout, 2)


BEGIN = "import sys; from openptx.cli import main; print('begun', flush=True); sys.exit(main())"


@pytest.mark.parametrize(
    "command", [["check"], ["check", "--fix"], ["fmt", "--check"],
                ["run", "--grid", "1", "--block", "1"]], ids=" ".join,
)  # fmt: skip
def test_ctrl_c_ends_a_command_at_once(large, command):
    for after in (0.3, 1.0):
        with subprocess.Popen(
            [sys.executable, "-c", BEGIN, *command, str(large)], stderr=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True,
        ) as child:  # fmt: skip
            assert child.stdout is not None
            assert child.stdout.readline() == "begun\n"  # not while Python starts, however long that takes
            time.sleep(after)
            child.send_signal(signal.SIGINT)
            watch = threading.Timer(60, child.kill)
            watch.start()
            _, errors = child.communicate()
            watch.cancel()
        assert errors.replace("\r", "").strip().splitlines()[-1] == "error: interrupted"
        # Python ends by the signal itself where that came while text was executed, as dataclasses do on import.
        assert child.returncode in (130, -signal.SIGINT)
        assert "Traceback" not in errors
