"""A process that ends while its server compiles leaves nothing running; a forked child has its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROC = Path("/proc")
pytestmark = pytest.mark.skipif(not PROC.is_dir(), reason="children are looked up in /proc")

START = """
import os, sys, time
os.environ["OPENPTX_TIERS"] = "1"
import numpy as np
import openptx
from openptx.engines.native import tiering
from openptx.engines.tiers import server_process, service
tiering.AT_ONCE = tiering.AT_ONCE_ALONE = tiering.ASKED = 0.0
TEXT = '''.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x) { .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<2>;
ld.param.u64 %rd1, [x]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2; mov.u32 %r2, 0;
A: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 5; @%p1 bra A; st.global.u32 [%rd1], %r2; ret; }
'''
kernel = openptx.load(TEXT)["k"]
def launch():
    x = np.zeros(32, np.uint32)
    kernel(1, 32, (x,))
    assert (x == 5).all()
def ready():
    while not all(job.reply for job in service.service()._jobs.values()):
        time.sleep(0.01)
"""
SLOW = """
server_process.SERVER = (
    "import time; from openptx.compile_server import server; server.reply_to = lambda _: time.sleep(60); server.main()"
)
launch()
print("launched", flush=True)
"""
FORKS = """
import threading
launch()
if child := os.fork():
    assert os.waitpid(child, 0)[1] == 0
    ready()
    launch()
    print("parent", os.getpid() == parent if (parent := os.getpid()) else 0)
else:
    mine = service.service()
    assert not mine._jobs
    launch()
    ready()
    launch()
    assert tiering._states[kernel.module.image]["k"].blocks == {(32, 1, 1)}
"""


def below(process: int) -> set[int]:
    """The processes that a process has started, and theirs."""
    parents: dict[int, int] = {}
    for folder in PROC.iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it has just ended
                continue
            if fields[0] != "Z":
                parents[int(folder.name)] = int(fields[1])
    found, ahead = set[int](), {process}
    while ahead:
        ahead = {child for child, parent in parents.items() if parent in ahead}
        found |= ahead
    return found


def alive(process: int) -> bool:
    try:
        return (PROC / str(process) / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("how", ["ends", signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left(how: str | signal.Signals, tmp_path: Path) -> None:
    wait = "" if how == "ends" else "time.sleep(60)"
    environment = {**os.environ, "OPENPTX_CACHE": str(tmp_path)}
    command = [sys.executable, "-c", START + SLOW + "sys.stdin.readline()\n" + wait]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdin is not None
        assert parent.stdout.readline() == b"launched\n"
        end = time.monotonic() + 60
        while len(started := below(parent.pid)) < 2:  # the server, and what it has forked
            assert time.monotonic() < end
            time.sleep(0.02)
        begun = time.monotonic()
        if isinstance(how, signal.Signals):
            parent.send_signal(how)
        else:
            parent.stdin.write(b"\n")
            parent.stdin.flush()
        parent.wait(30)
    assert time.monotonic() - begun < 20  # what is compiled takes a minute
    end = time.monotonic() + 10
    while any(map(alive, started)) and time.monotonic() < end:
        time.sleep(0.02)
    left = {process for process in started if alive(process)}
    for process in left:
        os.kill(process, signal.SIGKILL)
    assert left == set()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_starts_its_own_server(tmp_path: Path) -> None:
    environment = {**os.environ, "OPENPTX_CACHE": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", START + FORKS], capture_output=True, text=True, env=environment, timeout=120, check=False
    )
    assert done.stderr == ""
    assert done.returncode == 0


def test_ctrl_c_ends_a_launch_and_not_the_server(tmp_path: Path) -> None:
    program = (
        START.replace("%r2, 5", "%r2, 50000000")
        + """
import signal, threading
server_process.SERVER = (
    "import time; from openptx.compile_server import server; server.reply_to = lambda _: time.sleep(60); server.main()"
)
threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    launch()
except KeyboardInterrupt:
    print("interrupted")
"""
    )
    environment = {**os.environ, "OPENPTX_CACHE": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment, timeout=60, check=False
    )
    assert (done.stdout, done.stderr) == ("interrupted\n", "")
