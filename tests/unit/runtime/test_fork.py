"""Processes that fork while other threads launch: the child finds no lock held."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")

PROGRAM = """
import faulthandler, os, sys, threading, time
import numpy as np, openptx

SOURCE = '''.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x) {
.reg .b32 %%r<4>; .reg .b64 %%rd<4>;
ld.param.u64 %%rd1, [x]; mov.u32 %%r1, %%tid.x; mad.lo.u32 %%r2, %%r1, %d, 7;
mul.wide.u32 %%rd2, %%r1, 4; add.s64 %%rd1, %%rd1, %%rd2; st.global.u32 [%%rd1], %%r2; ret;
}
'''

def launch(i, engine):
    x = np.zeros(32, np.uint32)
    openptx.load(SOURCE % i)["k"](4, 32, (x,), engine=engine, timeout=5)
    assert x[5] == 5 * i + 7

def load(first):
    for i in range(first, first + 100000):
        launch(i, ("native", "interp", "auto")[i % 3])
        if i % 5 == 0:
            openptx.convert(np.arange(4096, dtype=np.float32), "e4m3")

def child(i):
    for engine in ("native", "interp", "auto"):
        launch(i, engine)
    openptx.convert(np.arange(70000, dtype=np.float32), "e5m2")

for k in range(4):
    threading.Thread(target=load, args=(100000 * k,), daemon=True).start()
bad = 0
for i in range(int(sys.argv[1])):
    time.sleep(i % 7 * 0.003)  # the first while the package is being imported
    pid = os.fork()
    if pid == 0:
        faulthandler.dump_traceback_later(30, exit=True)
        child(900000 + i)
        os._exit(0)
    bad += os.waitpid(pid, 0)[1] != 0
print(bad)
os._exit(0)
"""


def fork(children: int) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(children)], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "0\n"), done.stderr


def test_children_of_a_busy_process_launch() -> None:
    fork(12)


@pytest.mark.sweep
def test_many_children_of_a_busy_process_launch() -> None:
    fork(200)
