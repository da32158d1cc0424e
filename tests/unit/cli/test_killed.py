"""A command that is killed leaves no process running."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from running_processes import alive, needs_proc, parents, stat

pytestmark = needs_proc

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
CHECK = """
import sys
from openptx.cli import main, workers
workers.processes = lambda paths: 3
sys.exit(main(sys.argv[1:]))
"""
COMPILE = """
import sys
from openptx.llvm.subprocess_compile import compile_in_subprocess
steps = "".join(f"  %x{i + 1} = mul i32 %x{i}, %x{i // 2}\\n" for i in range(60000))
compile_in_subprocess("define i32 @f(i32 %x0) {\\n" + steps + "  ret i32 %x60000\\n}\\n")
"""


def children(parent: int) -> set[int]:
    """The processes that a process has started, and that have not ended."""
    return {child for child, of in parents().items() if of == parent}


def seconds(process: int) -> float:
    """Of the processor that it has used."""
    return int(stat(process)[11]) / os.sysconf("SC_CLK_TCK")


def remaining(command: list[str], count: int, work: float, number: signal.Signals) -> set[int]:
    """Which of its `count` children still run five seconds after a command was killed.

    It is killed when each of them has had the processor for `work` seconds.
    """
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as parent:
        started, end = set[int](), time.monotonic() + 60
        while len(started) < count or any(seconds(each) < work for each in started):
            assert parent.poll() is None, "the work was too little"
            assert time.monotonic() < end
            started = children(parent.pid)
            time.sleep(0.02)
        parent.send_signal(number)
    end = time.monotonic() + 5
    while any(map(alive, started)) and time.monotonic() < end:
        time.sleep(0.02)
    left = {process for process in started if alive(process)}
    for process in left:
        os.kill(process, signal.SIGKILL)
    return left


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_check_of_many_files(number: signal.Signals, tmp_path: Path) -> None:
    adds = "".join(f"add.u32 %r{i % 99}, %r{i % 97}, %r{i % 89};\n" for i in range(1000))
    for i in range(6):
        functions = "".join(f".func f{k}() {{ .reg .u32 %r<99>; .reg .u32 x{k}; {adds} ret; }}\n" for k in range(400))
        (tmp_path / f"{i}.ptx").write_text(HEAD + functions)
    assert remaining([sys.executable, "-c", CHECK, "check", str(tmp_path)], 3, 0.2, number) == set()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_the_compiler(number: signal.Signals) -> None:
    assert remaining([sys.executable, "-c", COMPILE], 1, 1, number) == set()
