"""The compile service of this process: the requests, and their state.

A fork of this process compiles the code if possible; otherwise a server does, at most one.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import partial

from openptx.engines.tiers.forked_compile import ForkedCompile, MakeReply, may_fork
from openptx.engines.tiers.messages import Reply, Request
from openptx.engines.tiers.server_process import ServerProcess
from openptx.llvm.subprocess_compile import available

LOG = logging.getLogger("openptx")

ATTEMPTS = 2
"""The number of servers that a request is sent to. One that ended may have been killed because of another kernel."""

KEPT = 64 << 20
"""Bytes of code that are kept for modules that are loaded again, because there may be no cache on disk."""

INTERVAL = 0.02
"""Seconds between two checks of a waiting launch."""


class Job:
    """A kernel whose code is wanted and, once `reply` is set, the result.

    `name` is the key of the code, empty while unknown, because computing it needs LLVM's library. `request` returns the
    message to a server; `make` is the work of a fork, and holds the kernel's module until then.
    """

    __slots__ = ("attempts", "kernel", "make", "name", "niceness", "reply", "request", "served", "since")

    def __init__(
        self, kernel: str, name: str, request: Callable[[], Request], make: MakeReply | None = None, niceness: int = 0
    ) -> None:
        self.kernel, self.name, self.request, self.make, self.niceness = kernel, name, request, make, niceness
        self.reply: Reply | None = None
        self.attempts = 0
        self.served = False  # by a server, not by a fork
        self.since = time.monotonic()


class Service:
    def __init__(self) -> None:
        self._lock = threading.RLock()  # held for moments, and never by a finalizer
        self.jobs: list[Job] = []
        self._named: dict[str, Job] = {}
        self._codes: OrderedDict[str, bytes] = OrderedDict()
        self.server: ServerProcess | None = None
        self.forks: list[ForkedCompile] = []
        self.broken = not available()
        """No server can be started."""

    def request(self, job: Job) -> Job:
        """Requests the code, unless it was requested before."""
        known = self.find(job.name) if job.name else None
        if known is None:
            self.jobs.append(job)
            self._named[job.name] = job
            if not self._forked(job):
                self._serve(job)
        return known or job

    def progress(self) -> tuple[int, int]:
        """The number of requests that have been answered, and the number of all requests."""
        jobs = [*self.jobs]
        return sum(job.reply is not None for job in jobs), len(jobs)

    def find(self, name: str) -> Job | None:
        if "" in self._named:
            del self._named[""]
            for job in [*self.jobs]:
                job.name = job.name or job.request().name
                self._named.setdefault(job.name, job)
        return self._named.get(name)

    def may_fork(self) -> bool:
        """Whether a fork would compile code now: the number of concurrent forks is limited to that of a server's
        processes."""
        return len(self.forks) < max(1, (os.cpu_count() or 1) - 1) and may_fork()

    def _forked(self, job: Job) -> bool:
        """Whether a fork compiles the code."""
        make, job.make = job.make, None
        if make is None or not self.may_fork():
            return False
        with contextlib.suppress(OSError):  # the system cannot create a process or a pipe
            fork = ForkedCompile(make, partial(self._fork_ended, job), job.niceness)
            self.forks.append(fork)
            fork.watch()
            return True
        return False

    def _fork_ended(self, job: Job, fork: ForkedCompile, reply: Reply | None, reason: str) -> None:
        self.forks.remove(fork)
        if reply is None and fork.hung:
            LOG.warning("the process that compiles kernel `%s` %s; a server makes its code", job.kernel, reason)
            self._serve(job)
        else:
            ended = f"the process that compiles it {reason}"
            self._replied(job, reply or Reply(job.name, {}, "", ended, 0.0))

    def _serve(self, job: Job) -> None:
        request = job.request()
        with self._lock:
            job.served = True
            job.attempts += 1
            if self.server is None:
                self.server = ServerProcess(self._served, self._ended, self._busy)
            self.server.send(request)

    def code(self, name: str, check: Callable[[], None]) -> bytes | str | None:
        """The code under a name, or why there is none; None if it was never requested, or no server can be started.
        Waits while it is being compiled, and calls `check`, which may raise."""
        job = self.find(name)
        while job is not None and job.reply is None:
            check()
            time.sleep(INTERVAL)
        if job is not None and job.reply is not None and not self.broken and not job.reply.made:
            return job.reply.unsupported or job.reply.problem
        return self._codes.get(name)

    def _unserved(self) -> list[Job]:
        """The requests that the server has not answered yet."""
        return [job for job in [*self.jobs] if job.served and job.reply is None]

    def _busy(self) -> bool:
        return bool(self._unserved())

    def _served(self, reply: Reply) -> None:
        job = self.find(reply.name)
        if job is not None:
            self._replied(job, reply)

    def _replied(self, job: Job, reply: Reply) -> None:
        with self._lock:
            for name, code in reply.codes.items():
                self._codes[name] = code
            while sum(map(len, self._codes.values())) > KEPT and len(self._codes) > len(reply.codes):
                self._codes.popitem(last=False)
            job.reply = reply._replace(codes={})
        log_reply(job, reply)

    def _ended(self, server: ServerProcess, reason: str) -> None:
        """A server has ended. Its unanswered requests go to another one; requests that two have not answered are given
        up."""
        with self._lock:
            if self.server is not server:
                return
            self.server = None
            left = self._unserved()
            for job in left:
                if job.attempts < ATTEMPTS and not reason.startswith("could not"):
                    self._serve(job)
                else:
                    self.broken = True
                    job.reply = Reply(job.name, {}, "", f"the compile server {reason}", 0.0)
        if left:
            then = "kernels are compiled where they are launched" if self.broken else "another takes its work"
            LOG.warning("the compile server %s; %s", reason, then)

    def close(self) -> None:
        with self._lock:
            server, self.server = self.server, None
            for job in self.jobs:
                job.reply = job.reply or Reply(job.name, {}, "", "the compile server was closed", 0.0)
        for fork in [*self.forks]:
            fork.close()
        if server is not None:
            server.close()

    def forget(self) -> None:
        """Called in the child of a fork: the processes belong to the parent."""
        for fork in self.forks:
            fork.forget()
        if self.server is not None:
            self.server.forget()


def log_reply(job: Job, reply: Reply) -> None:
    """Logs the outcome of a request for code."""
    kernel = job.kernel
    if reply.problem:
        LOG.warning("no code for kernel `%s`, which stays on the reference engine: %s", kernel, reply.problem)
    elif reply.unsupported:
        LOG.info("kernel `%s` can't be compiled: %s", kernel, reply.unsupported)
    else:
        waited = time.monotonic() - job.since
        LOG.info(
            "code for kernel `%s` is ready %.2f s after it was requested, %.2f s of which made it",
            kernel,
            waited,
            reply.seconds,
        )


_service: list[Service] = []


def service() -> Service:
    """The service of this process."""
    if not _service:
        _service.append(Service())
    return _service[0]


def is_available(job: Job) -> bool:
    """Whether requested code is there, or must be compiled by the launch itself because its service has failed."""
    return job.reply is not None and (job.reply.made or service().broken)


def made_by_service(name: str, check: Callable[[], None]) -> bytes | str | None:
    """The code that the service has compiled; see `Service.code`."""
    return _service[0].code(name, check) if _service else None


def close() -> None:
    """Ends the server; the next request starts one."""
    for one in _service:
        one.close()
    _service.clear()


def _forked() -> None:
    for one in _service:
        one.forget()
    _service.clear()


atexit.register(close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
