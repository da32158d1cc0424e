"""The compile service of this process: what has been asked for, and what has become of it. One server at most."""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from openptx.engines.tiers.messages import Reply, Request
from openptx.engines.tiers.server_process import ServerProcess
from openptx.llvm.subprocess_compile import available

LOG = logging.getLogger("openptx")

ATTEMPTS = 2
"""Servers that a request is sent to. One that ended may have been killed for another kernel's sake."""

KEPT = 64 << 20
"""Bytes of code that are kept for modules that are loaded again: there may be no cache on disk."""

INTERVAL = 0.02
"""Seconds between two looks of who waits for code."""


class Job:
    """A request and, when `reply` is there, its result."""

    __slots__ = ("attempts", "reply", "request", "since")

    def __init__(self, request: Request) -> None:
        self.request = request
        self.reply: Reply | None = None
        self.attempts = 1
        self.since = time.monotonic()


class Service:
    def __init__(self) -> None:
        self._lock = threading.Lock()  # held for moments, and by no finalizer
        self.jobs: OrderedDict[str, Job] = OrderedDict()
        self._codes: OrderedDict[str, bytes] = OrderedDict()
        self.server: ServerProcess | None = None
        self.broken = not available()
        """No server can be had."""

    def request(self, request: Request) -> Job:
        """Has the code made, unless that was asked for before."""
        with self._lock:
            job = self.jobs.get(request.name)
            if job is None:
                job = self.jobs[request.name] = Job(request)
                self._send(job)
            return job

    @property
    def running(self) -> bool:
        """Whether the compile server is running."""
        return self.server is not None

    def done(self) -> tuple[int, int]:
        """The number of requests that have been answered, and the number of all requests."""
        jobs = [*self.jobs.values()]
        return sum(job.reply is not None for job in jobs), len(jobs)

    def find(self, name: str) -> Job | None:
        return self.jobs.get(name)

    def _send(self, job: Job) -> None:
        if self.server is None:
            self.server = ServerProcess(self._replied, self._ended, self._busy)
        self.server.send(job.request)

    def code(self, name: str, check: Callable[[], None]) -> bytes | str | None:
        """What was made under a name, or why there is no code; None where nobody has asked for it, or no server can be
        had. Waits while it is being made, and calls `check`, which may raise."""
        job = self.jobs.get(name)
        while job is not None and job.reply is None:
            check()
            time.sleep(INTERVAL)
        if job is not None and job.reply is not None and not self.broken and not job.reply.made:
            return job.reply.unsupported or job.reply.problem
        return self._codes.get(name)

    def _busy(self) -> bool:
        return any(job.reply is None for job in [*self.jobs.values()])

    def _replied(self, reply: Reply) -> None:
        with self._lock:
            for name, code in reply.codes.items():
                self._codes[name] = code
            while sum(map(len, self._codes.values())) > KEPT and len(self._codes) > len(reply.codes):
                self._codes.popitem(last=False)
            if (job := self.jobs.get(reply.name)) is not None:
                job.reply = reply._replace(codes={})
        if job is not None:
            tell(job, reply)

    def _ended(self, server: ServerProcess, reason: str) -> None:
        """A server is no more. What it had not done another does; what two have not done nobody does."""
        with self._lock:
            if self.server is not server:
                return
            self.server = None
            left = [job for job in self.jobs.values() if job.reply is None]
            for job in left:
                if job.attempts < ATTEMPTS and not reason.startswith("could not"):
                    job.attempts += 1
                    self._send(job)
                else:
                    self.broken = True
                    job.reply = Reply(job.request.name, {}, "", f"the compile server {reason}", 0.0)
        if left:
            then = "kernels are compiled where they are launched" if self.broken else "another takes its work"
            LOG.warning("the compile server %s; %s", reason, then)

    def close(self) -> None:
        with self._lock:
            server, self.server = self.server, None
            for job in self.jobs.values():
                job.reply = job.reply or Reply(job.request.name, {}, "", "the compile server was closed", 0.0)
        if server is not None:
            server.close()

    def forget(self) -> None:
        """Called in the child of a fork: the server belongs to the parent."""
        if self.server is not None:
            self.server.forget()


def tell(job: Job, reply: Reply) -> None:
    kernel = job.request.kernel
    if reply.problem:
        LOG.warning("no code for kernel `%s`, which stays on the reference engine: %s", kernel, reply.problem)
    elif reply.unsupported:
        LOG.info("kernel `%s` can't be compiled: %s", kernel, reply.unsupported)
    else:
        waited = time.monotonic() - job.since
        LOG.info(
            "code for kernel `%s` was made in %.2f s, %.2f s after it was asked for", kernel, reply.seconds, waited
        )


_service: list[Service] = []


def service() -> Service:
    """The service of this process."""
    if not _service:
        _service.append(Service())
    return _service[0]


def made_by_service(name: str, check: Callable[[], None]) -> bytes | str | None:
    """The code that the service has made; see `Service.code`."""
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
