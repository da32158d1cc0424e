"""The command line: help, usage, failures, exit statuses. Never a traceback."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import openptx as package
from openptx.cli import failures
from openptx.cli.commands import COMMANDS
from openptx.errors import ArgumentError, Bug, Fault, InputError, Unsupported

SOURCE = Path(__file__).parents[3] / "src"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONUNBUFFERED": "1"}


def test_no_command_is_a_usage_error(openptx):
    done = openptx()
    assert done.status == 2
    assert done.out == ""
    assert done.err.startswith("usage: openptx")


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_lists_every_command(openptx, option):
    done = openptx(option)
    assert done.status == 0
    assert all(f"  {name} " in done.out for name in COMMANDS)


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_explains_itself(openptx, name):
    done = openptx(name, "--help")
    assert done.status == 0
    assert done.out.startswith(f"usage: openptx {name}")
    assert len(done.out.splitlines()) > 5


@pytest.mark.parametrize("argv", [[], *([name] for name in COMMANDS)], ids=" ".join)
def test_help_fits_a_terminal_of_80_columns(openptx, argv):
    lines = openptx(*argv, "--help").out.splitlines()
    assert [line for line in lines if len(line) > 80] == []


def test_help_is_as_wide_as_the_terminal(openptx, monkeypatch):
    monkeypatch.setattr("os.get_terminal_size", lambda _: os.terminal_size((74, 24)))
    monkeypatch.setattr("sys.stdout.fileno", lambda: 1, raising=False)
    lines = openptx("check", "--help").out.splitlines()
    assert 66 < max(map(len, lines)) <= 74


def test_version(openptx):
    assert openptx("--version").out == f"openptx {package.__version__}\n"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["chek"], "no command `chek`; did you mean `openptx check`?"),
        (["frobnicate"], "no command `frobnicate`; `openptx --help` lists the commands"),
        (["--target", "x"], "`--target` is not an option of `openptx`"),
        (["check"], "the following arguments are required: FILE"),
        (["check", "x", "--output-format", "xml"], "invalid choice: 'xml'"),
        (["check", "x", "--bogus"], "unrecognized arguments: --bogus"),
    ],
)
def test_usage_errors(openptx, argv, message):
    done = openptx(*argv)
    assert done.status == 2
    assert done.out == ""
    assert message in done.err


@pytest.mark.parametrize(
    ("error", "status", "text"),
    [
        (OSError(errno.EACCES, "Permission denied", "k.ptx"), 2, "error: k.ptx: Permission denied\n"),
        (InputError("k.ptx: not text"), 2, "error: k.ptx: not text\n"),
        (ArgumentError("a block has at most 1024 threads"), 2, "error: a block has at most 1024 threads\n"),
        (MemoryError(), 2, "error: not enough memory\n"),
        (
            ModuleNotFoundError("No module named 'numpy.linalg'", name="numpy.linalg"),
            2,
            "error: this needs the package numpy, which is not installed: pip install numpy\n",
        ),
        (
            ModuleNotFoundError("No module named '_ctypes'", name="_ctypes"),
            2,
            f"error: Python's own module _ctypes is not installed with this Python, {sys.executable}\n",
        ),
        (KeyboardInterrupt(), 130, "error: interrupted\n"),
        (Fault("timeout", "stopped after 2 s"), 1, "fault[PTX9005]: stopped after 2 s\n"),
        (Unsupported("wgmma"), 1, "unsupported: OpenPTX cannot do this yet: `wgmma`\n"),
    ],
)
def test_failures_are_a_line_and_a_status(capsys, error, status, text):
    def command(argv):
        raise error

    assert failures.run_and_report(command, []) == status
    assert capsys.readouterr() == ("", text)


@pytest.mark.parametrize(
    "error",
    [
        KeyError("x"),
        Bug("no row 7"),
        RecursionError("too deep"),
        ModuleNotFoundError("", name="openptx.chekc"),
    ],
)
def test_our_own_mistakes_say_how_to_report_them(capsys, error):
    def command(argv):
        raise error

    assert failures.run_and_report(command, []) == 2
    text = capsys.readouterr().err
    assert f"this is a mistake in OpenPTX {package.__version__}" in text
    assert "please report it" in text
    assert "Traceback" not in text


def test_a_reader_that_goes_away_ends_the_command_quietly():
    command = [sys.executable, "-m", "openptx", "isa"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 141


def test_ctrl_c_ends_the_command_with_a_line():
    with subprocess.Popen(
        [sys.executable, "-m", "openptx", "check", "-"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT,
    ) as process:  # fmt: skip
        time.sleep(1.0)  # it waits for stdin
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"", b"error: interrupted\n")
