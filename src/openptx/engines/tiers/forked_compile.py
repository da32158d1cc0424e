"""Code that a fork of this process compiles: it need not import or parse anything, so it starts at once.

A fork while other threads run may inherit locked locks that are never released. So the process does not fork if the
program has threads of its own. Our threads take locks that forks wait for (`openptx.forks`), and threads of libraries
such as BLAS hold none while idle. A process that stops making progress nevertheless is ended, and a server compiles the
code.
"""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from typing import NoReturn

from openptx.engines.tiers.messages import Reply, Unpacker, packed, write
from openptx.llvm.subprocess_compile import available, cause, end_with_reader
from openptx.locks import cancellable

SILENCE = 10.0
"""Seconds without processor time after which a process counts as hung."""

LARGEST = 1 << 30
"""The maximum memory in bytes of a process that forks: 1.5 ms for 120 MB, most of it to copy page tables."""

STATM = "/proc/self/statm"
PIECE = 1 << 20
OURS = "openptx-"

MakeReply = Callable[[], Reply]


def may_fork() -> bool:
    """Whether a fork of this process can compile code."""
    return (
        sys.platform == "linux"
        and available()
        and all(t is threading.current_thread() or t.name.startswith(OURS) for t in threading.enumerate())
        and resident() < LARGEST
    )


def resident() -> int:
    """Bytes of memory that this process uses; too many for a fork if there is no /proc."""
    try:
        with open(STATM) as sizes:
            return int(sizes.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return LARGEST


class ForkedCompile:
    """`ended` gets the reply, or None and the reason. Raises OSError if the system cannot create a process."""

    def __init__(
        self, make: MakeReply, ended: Callable[[ForkedCompile, Reply | None, str], None], niceness: int = 0
    ) -> None:
        self._ended = ended
        self._closed = self.hung = False
        self._lock = threading.Lock()  # the number of a reaped process may be reused
        self._pipe, writable = os.pipe()
        try:
            self._process: int | None = fork(make, writable, niceness)
        except OSError:
            os.close(self._pipe)
            raise
        finally:
            os.close(writable)

    def watch(self) -> None:
        """Reads the process's reply on a thread."""
        threading.Thread(target=self._read, name=f"{OURS}tiers-fork", daemon=True).start()

    def close(self) -> None:
        """Ends the process immediately."""
        self._closed = True
        with self._lock:
            if self._process is not None:
                os.kill(self._process, signal.SIGKILL)

    def forget(self) -> None:
        """Called in the child of another fork, which is not the process's parent."""
        os.close(self._pipe)

    def _read(self) -> None:
        assert self._process is not None
        replies, unpacker = list[Reply](), Unpacker()
        waits, used = select.poll(), -1
        waits.register(self._pipe, select.POLLIN)
        while not self.hung:
            if not waits.poll(SILENCE * 1000):
                before, used = used, processor_ticks(self._process)
                self.hung = used == before
            elif piece := os.read(self._pipe, PIECE):
                replies += unpacker.feed(piece)
            else:
                break
        os.close(self._pipe)
        status = self._wait()
        reason = f"made no progress for {SILENCE:.0f} s" if self.hung else f"ended {cause(status)}"
        if not self._closed:
            self._ended(self, replies[0] if replies else None, reason)

    def _wait(self) -> int:
        with self._lock:
            process, self._process = self._process, None
            assert process is not None
            if self.hung:
                os.kill(process, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):  # the program has reaped all of its children
                return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        return 0


def processor_ticks(process: int) -> int:
    """Processor time that a process has used; -1 if it no longer exists."""
    try:
        with open(f"/proc/{process}/stat") as fields:
            user, system = fields.read().rpartition(")")[2].split()[11:13]
        return int(user) + int(system)
    except OSError:
        return -1


def fork(make: MakeReply, pipe: int, niceness: int) -> int:
    """The number of a process that produces a reply and writes it to a pipe."""
    parent, mask = os.getpid(), signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of forks while threads run, see above
            process = os.fork()
        if not process:
            work(make, pipe, niceness)
        return process
    finally:
        if os.getpid() != parent:
            os._exit(1)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def work(make: MakeReply, pipe: int, niceness: int) -> NoReturn:
    """The body of the process: it is detached from its parent's terminal, files and signals, and ends with its
    parent."""
    status = 1
    try:
        os.setsid()
        os.nice(niceness)
        stop_collection_and_tracing()
        reset_signals()
        close_files(pipe)
        threading.Thread(target=end_with_reader, args=(pipe,), daemon=True).start()
        with cancellable(
            lambda: None
        ):  # the launch that forked would be abandoned or stopped, and that is the parent's
            write(pipe, packed(make()))
        status = 0
    finally:
        os._exit(status)


def stop_collection_and_tracing() -> None:
    """Stops the collector, and the program's tracer and profiler."""
    gc.freeze()  # existing objects belong to the parent, and collections would copy their pages
    gc.disable()  # they take 3 % of the time, and this process ends soon
    sys.settrace(None)
    sys.setprofile(None)


def reset_signals() -> None:
    """Removes the program's handlers, and unblocks the signals that were blocked during the fork."""
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def close_files(pipe: int) -> None:
    """Closes every file but the pipe, and redirects the standard ones to /dev/null."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nothing, standard)
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2 and int(name) != pipe:
            with contextlib.suppress(OSError):
                os.close(int(name))
    sys.stdout = sys.stderr = None  # they may have files of their own
