"""Forks while other threads launch or import, or during a launch: no lock stays held."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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
    openptx.load(SOURCE % i)["k"](4, 32, (x,), engine=engine, timeout=300)
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
        faulthandler.dump_traceback_later(400, exit=True)
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


IMPORTED = """
import os, time

start = time.monotonic()
pid = os.fork()
if pid == 0:
    os._exit(0)
print(os.waitpid(pid, 0)[1], time.monotonic() - start < 50)
"""


def test_a_module_that_is_being_imported_forks(tmp_path: Path) -> None:
    """A fork waits for imports on other threads, not for its own: it waited for 60 s."""
    (tmp_path / "openptx_forks.py").write_text(IMPORTED)  # by its name one of the modules that are waited for
    program = f"import sys, openptx.forks; sys.path.append({str(tmp_path)!r}); import openptx_forks"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "0 True\n"), done.stderr


IN_THE_GAP = """
import faulthandler, os, sys, threading, time

begun = threading.Event()

def begin_an_import():  # the first that is registered is the last that is called, right before the fork
    threading.Thread(target=__import__, args=("SLOW_MODULE",), daemon=True).start()
    begun.wait()

os.register_at_fork(before=begin_an_import)
import openptx.forks

pid = os.fork()
if pid == 0:
    faulthandler.dump_traceback_later(100, exit=True)
    sys.slow = 0
    import SLOW_MODULE
    os._exit(SLOW_MODULE.answer)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
os._exit(0)
"""


@pytest.mark.parametrize("name", ["openptx_slow", "subprocess"])
def test_an_import_that_begins_right_before_the_fork(name: str, tmp_path: Path) -> None:
    """The child waited forever for a thread that it does not have; now it starts the import again. The second is a
    module of the standard library that our threads import."""
    slow = "import sys, time\nsys.modules['__main__'].begun.set()\ntime.sleep(getattr(sys, 'slow', 30))\nanswer = 42\n"
    (tmp_path / f"{name}.py").write_text(slow)
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n" + IN_THE_GAP.replace("SLOW_MODULE", name)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=200)
    assert (done.returncode, done.stdout) == (0, "42\n"), done.stderr


IN_A_LAUNCH = """
import os, signal, threading
import numpy as np, openptx

def module(body):
    return openptx.load('.version 8.0\\n.target sm_80\\n.address_size 64\\n.visible .entry k(.param .u64 x) {'
        '.reg .b64 a, n; .reg .pred p; ld.param.u64 a, [x];' + body + ' ret; }')["k"]

long = module('ld.global.u64 n, [a+8]; L: add.u64 n, n, 1; st.volatile.global.u32 [a], n;'
    'setp.ne.u64 p, n, 0; @p bra L;')
short = module('st.global.u32 [a], 7;')
x = np.array([0, 2**64 - 1], np.uint64)

class Interrupted(Exception): pass

def launch():
    try:
        long(3, 32, (x,), engine="native", workers=3, timeout=200)
    except openptx.Unsupported as error:
        return "Unsupported" if "forked meanwhile" in str(error) else str(error)
    except Interrupted:
        return "interrupted"

launch()  # it is compiled, and ends after one turn
x[1] = 0
parent, children = os.getpid(), []

def wait():
    children.append(os.waitpid(children[0], 0)[1])
    os.kill(parent, signal.SIGUSR1)

def fork(*_):
    children.append(os.fork())
    if os.getpid() == parent:
        threading.Thread(target=wait).start()
    else:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(150)

def interrupt(*_):
    raise Interrupted

signal.signal(signal.SIGALRM, fork)
signal.signal(signal.SIGUSR1, interrupt)
signal.setitimer(signal.ITIMER_REAL, 0.3)
how = launch()
x[:] = 0
short(3, 1, (x,), engine="native", workers=3)
assert x[0] == 7
if os.getpid() != parent:
    print(how, flush=True)
    os._exit(0)
print(children[1], how)
"""


def test_a_handler_forks_in_the_midst_of_a_launch() -> None:
    """The parent's launch continues. The child's cannot, without the other threads; it waited for them forever."""
    done = subprocess.run([sys.executable, "-c", IN_A_LAUNCH], capture_output=True, text=True, timeout=400)
    assert (done.returncode, done.stdout) == (0, "Unsupported\n0 interrupted\n"), done.stderr


SLOW = """
import logging, time

import __main__

__main__.begun.set()
time.sleep(0.5)
logging.getLogger("slow")
"""
FORKS_MEANWHILE = """
import os, threading, time
import openptx.logging

begun = threading.Event()
threading.Thread(target=__import__, args=["openptx_slow"], daemon=True).start()
begun.wait()
start = time.monotonic()
pid = os.fork()
if pid == 0:
    os._exit(0)
print(os.waitpid(pid, 0)[1], time.monotonic() - start < 50)
"""


def test_a_module_that_is_being_imported_asks_for_a_logger(tmp_path: Path) -> None:
    """The fork waited for the import, the import for the lock of `logging`, which the fork already held: 60 s."""
    (tmp_path / "openptx_slow.py").write_text(SLOW)
    program = f"import sys; sys.path.append({str(tmp_path)!r})\n{FORKS_MEANWHILE}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "0 True\n"), done.stderr
