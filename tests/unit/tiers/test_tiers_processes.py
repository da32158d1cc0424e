"""A process that ends while its server, or a fork, compiles leaves nothing running; a forked child has its own. A full
disk, and a cache that two processes share, change no result."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from running_processes import alive, needs_proc, parents

pytestmark = needs_proc

START = """
import os, sys, time
os.environ["OPENPTX_TIERS"] = "1"
import numpy as np
import openptx
from openptx.engines.auto import costs, tier_state
from openptx.engines.tiers import server_process, service
costs.AT_ONCE = costs.AT_ONCE_ALONE = costs.ASKED = costs.SHARE = costs.FORK = 0.0
costs.IMPORTS = 0.0
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
    while not all(job.reply for job in service.service().jobs):
        time.sleep(0.01)
"""
SERVED = """
service.may_fork = bool
"""
SLOW_FORK = """
from openptx.engines.native.runtime import background_code
background_code.codes_of = lambda *_: time.sleep(60)
launch()
print("launched", flush=True)
"""
SLOW = (
    SERVED
    + """
server_process.SERVER = (
    "import time; from openptx.compile_server import server; server.reply_to = lambda _: time.sleep(60); server.main()"
)
launch()
print("launched", flush=True)
"""
)
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
    assert not mine.jobs
    launch()
    ready()
    launch()
    assert tier_state.states[kernel.module.image]["k"].compiled_blocks == {(32, 1, 1)}
"""
CACHED = """
from openptx.engines.native.runtime.plans import plans
launch()
ready()
launch()
assert plans(kernel.module.image).made
x = np.zeros(32, np.uint32)
openptx.load(TEXT.replace(" k(", " other("))["other"](1, 32, (x,), engine="native")
assert (x == 5).all()
problems = [job.reply.problem for job in service.service().jobs if job.reply.problem]
print("made", problems, flush=True)
"""
"""Code that the server has made, and code that is made here."""


def below(process: int) -> set[int]:
    """The processes that a process has started, and theirs."""
    parent_of = parents()
    found, ahead = set[int](), {process}
    while ahead:
        ahead = {child for child, parent in parent_of.items() if parent in ahead}
        found |= ahead
    return found


@pytest.mark.parametrize(("program", "processes"), [(SLOW, 2), (SLOW_FORK, 1)])
@pytest.mark.parametrize("how", ["ends", signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left(how: str | signal.Signals, program: str, processes: int, tmp_path: Path) -> None:
    wait = "" if how == "ends" else "time.sleep(60)"
    environment = {**os.environ, "OPENPTX_CACHE": str(tmp_path)}
    command = [sys.executable, "-c", START + program + "sys.stdin.readline()\n" + wait]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdin is not None
        assert parent.stdout.readline() == b"launched\n"
        end = time.monotonic() + 60
        while len(started := below(parent.pid)) < processes:  # the server, and what it has forked
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
@pytest.mark.parametrize("served", [SERVED, ""])
def test_a_forked_child_starts_its_own_server(served: str, tmp_path: Path) -> None:
    warnings = "ignore::DeprecationWarning"  # Python 3.12 and later warn of a program's fork while threads run
    environment = {**os.environ, "OPENPTX_CACHE": str(tmp_path), "PYTHONWARNINGS": warnings}
    done = subprocess.run(
        [sys.executable, "-c", START + served + FORKS],
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
        check=False,
    )
    assert done.stderr == ""
    assert done.returncode == 0


def test_ctrl_c_ends_a_launch_and_not_the_server(tmp_path: Path) -> None:
    program = (
        START.replace("%r2, 5", "%r2, 50000000")
        + """
import signal, threading
service.may_fork = bool
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


def run(program: str, folder: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "OPENPTX_CACHE": str(folder)}
    return subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_a_full_disk_changes_nothing(tmp_path: Path) -> None:
    """No file may be longer than 100 bytes, for the server too: writing fails in the midst of an object."""
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
    (tmp_path / "probe").write_text("")
    with run(limit + START + CACHED, tmp_path) as process:
        said = process.communicate(timeout=120)
    assert said == ("made []\n", "")
    assert files(tmp_path) == ["probe"]


def test_two_processes_share_a_cache(tmp_path: Path) -> None:
    """Begun at once, they make the same code, and a third one finds it."""
    both = [run(START + CACHED, tmp_path) for _ in range(2)]
    for process in both:
        with process:
            assert process.communicate(timeout=120) == ("made []\n", "")
    kept = files(tmp_path)
    assert all(name.endswith(".object") for name in kept)
    found = "import openptx.logging\nopenptx.logging.show('info')\n"
    with run(START + found + CACHED, tmp_path) as process:
        out, log = process.communicate(timeout=120)
    assert out == "made []\n"
    assert log.count("its code was in the cache") == 2
    assert "made" not in log
    assert files(tmp_path) == kept


def test_a_cache_that_is_deleted_meanwhile_is_made_again(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    delete = "launch(); ready(); import shutil; shutil.rmtree(os.environ['OPENPTX_CACHE'])\n"
    with run(START + delete + CACHED, folder) as process:
        assert process.communicate(timeout=120) == ("made []\n", "")
    assert files(folder)
