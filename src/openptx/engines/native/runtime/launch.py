"""Runs a grid on compiled code: workers and their memory, time limits, signals, faults."""

from __future__ import annotations

import atexit
import logging
import os
import struct
import sys
import time
from collections.abc import Callable
from functools import partial

from openptx.device.image import Image
from openptx.device.memory_view import MemoryView
from openptx.engines.common import fault_text
from openptx.engines.common.engine import PreparedLaunch, Running
from openptx.engines.native import abi, settings
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.deopt.resume_interp import resume_interp
from openptx.engines.native.runtime import threads
from openptx.engines.native.runtime.compiled_kernel import slow
from openptx.engines.native.runtime.fault_decoding import failure
from openptx.engines.native.runtime.plan import LaunchConfig, Plan, plans
from openptx.engines.native.runtime.workers import Worker
from openptx.errors import Fault, Unsupported
from openptx.float_environment import standard_floats
from openptx.locks import cancellable
from openptx.progress import Elsewhere, Line, line_of

LOG = logging.getLogger("openptx")

STOPPED_AT_EXIT = 1.0
"""Seconds that Python's exit waits for launches on other threads, which are asked to stop."""


def launch(
    prepared: PreparedLaunch, *, workers: int | None = None, meanwhile: Callable[[], bool] = bool,
    baseline: bool = False,
) -> bool:  # fmt: skip
    """Runs a kernel. Returns whether the reference engine ran parts of it. Raises UnsupportedByJit, before anything has
    run, if only that can run it.

    If this launch shows that the kernel needs other code, that is compiled in the background if `meanwhile()`, or else
    by the next launch. `baseline`: baseline code is acceptable.
    """
    if prepared.interpreted:
        raise UnsupportedByJit("clusters, or counted instructions")
    program, function, image, block = prepared.program, prepared.function, prepared.image, prepared.block
    timeout, since = prepared.timeout, prepared.since
    made = plans(image)
    deadline = (time.monotonic() if since is None else since) + timeout if timeout is not None else None

    def check() -> None:
        if deadline is not None and time.monotonic() > deadline:
            said, notes = fault_text.not_started(timeout), (fault_text.COMPILING,)
            raise Fault("timeout", said, kernel=function.name, file=program.file, notes=notes)

    config = LaunchConfig(prepared.grid, block, prepared.shared, prepared.blocks)
    plan = made.find(program, function, image, config, workers or 1, check, baseline)
    team = plan.team if workers is None else None
    if team is not None and team.workers > 1:
        plan = made.find(program, function, image, config, team.workers, check, baseline)
    run = Run(plan, prepared.memory, image, timeout, deadline, meanwhile)
    start = time.perf_counter()
    handed = run.go()
    seconds = time.perf_counter() - start
    if LOG.isEnabledFor(logging.DEBUG):
        kind = "baseline" if plan.options.baseline else "optimised"
        said = "kernel `%s`, %d blocks of %s: %.6f s as %s code, %d workers"
        LOG.debug(said, function.name, plan.ctas, block, seconds, kind, plan.workers)
    if team is not None:
        team.learn(seconds)
    if plan.code.metadata.strides or plan.options.rounds:
        made.ran_in_order(plan, image, seconds, meanwhile)
    if plan.options.baseline:
        made.baseline_ran(plan, image, seconds)
    return handed


FORKED = (
    "the rest of a launch in a child process that was forked meanwhile: the launch's other threads are in the parent"
)


class Run:
    """One launch. It holds everything that its threads use, so that none can run on freed memory."""

    __slots__ = (
        "called_system",
        "deadline",
        "image",
        "interrupt",
        "line",
        "meanwhile",
        "memory",
        "plan",
        "tasks",
        "team",
        "timeout",
        "watch",
    )

    def __init__(
        self, plan: Plan, memory: MemoryView, image: Image, timeout: float | None, deadline: float | None,
        meanwhile: Callable[[], bool] = bool,
    ) -> None:  # fmt: skip
        self.plan, self.memory, self.image, self.timeout = plan, memory, image, timeout
        self.meanwhile = meanwhile
        self.deadline = deadline  # in time.monotonic's time
        self.line: Line | Elsewhere | None = None  # once there may be something to report
        self.interrupt: BaseException | None = None
        self.called_system = False  # perhaps for output
        self.watch = settings.watch()
        self.team: list[Worker] = []
        self.tasks: list[threads.Task] = []  # of other threads

    def go(self) -> bool:
        """Whether the reference engine ran parts of the launch."""
        plan = self.plan
        team = self.team = [self.worker() for _ in range(plan.workers)]
        launch = team[0].begin(plan)
        for worker in team:
            worker.prepare(self, launch)
        _running.add(self)
        try:
            with Running(self):
                codes = self.execute()
            if self.interrupt is not None:
                raise self.interrupt
            exits = 0
            for worker in team:
                exits += worker.side_exits()
            if exits * 16 > plan.ctas * plan.warps:
                plans(self.image).disable_speculation(plan, self.image, self.meanwhile())
            for code, worker in zip(codes, team, strict=True):
                if code not in (0, abi.HANDED):
                    raise failure(self, worker)
            if abi.HANDED in codes:
                with Running(self), standard_floats():
                    (resume_interp if self.watch is None else self.watch.resume)(self, codes, team)
            return abi.HANDED in codes
        except BaseException as stop:
            if not all(task.over for task in self.tasks):  # a handler has raised as `wait` was called or looped
                self.interrupt = stop
                self.wait()
            raise
        finally:
            _running.discard(self)  # a child of a fork has none
            if self.line is not None:
                self.line.erase()
            if self.called_system:
                sys.stdout.flush()
            if not self.tasks or all(task.over for task in self.tasks):  # otherwise a thread may still use them
                for worker in team:
                    worker.run = worker.cta = None
                plan.code.idle.setdefault(plan.sizes, []).extend(team)

    def worker(self) -> Worker:
        """A worker that an earlier launch has left, or a new one."""
        sizes = self.plan.sizes
        idle = self.plan.code.idle.get(sizes)
        try:
            return idle.pop() if idle else Worker(*sizes)
        except IndexError:  # another thread was faster
            return Worker(*sizes)

    def execute(self) -> list[int]:
        """Runs the code, on one thread per worker, and returns their results. No thread runs afterwards.

        The first worker is for this thread, unless the code needs a large stack. Signal handlers (Ctrl-C) may raise
        anywhere in this function; a task that was created before its thread is started cannot be lost.
        """
        code, first = self.plan.code, self.team[0]
        deep = code.metadata.has_large_frames
        if not deep and len(self.team) == 1:
            return [code.run(first.state.address)]
        others = self.team if deep else self.team[1:]
        self.tell()  # while this is surely the thread that launches
        self.tasks = [threads.Task(partial(self.work, worker)) for worker in others]
        codes: list[int] = []
        try:
            for task in self.tasks:
                threads.start(task, deep=deep)
            if not deep:
                codes.append(code.run(first.state.address))
        except BaseException as stop:
            self.interrupt = stop
        self.wait()
        for task in self.tasks:
            if task.error is not None and self.interrupt is None:
                self.interrupt = task.error
        return [*codes, *(task.result for task in self.tasks)]

    def work(self, worker: Worker) -> int:
        """Runs CTAs on a worker; the target function of further threads."""
        return self.plan.code.run(worker.state.address)

    def stop(self, reason: BaseException) -> None:
        """Makes the launch end with an exception: all threads leave the code within some hundredths of a second."""
        self.interrupt = reason
        self.team[0].stop()

    def wait(self) -> None:
        """Waits until none of the tasks runs, despite any interruptions."""
        for task in self.tasks:
            while not task.over:
                try:
                    if self.interrupt is not None:
                        self.stop(self.interrupt)
                    if self.interrupt is None or not task.cancel():
                        task.wait()
                except BaseException as stop:  # Ctrl-C during the wait
                    self.interrupt = stop

    def forked(self) -> None:
        """Called in the child of a fork: the worker threads do not exist, so the launch must end if the forking thread
        runs it."""
        if not all(task.over for task in self.tasks):
            self.stop(Unsupported(FORKED, help="fork between launches, or end such a child with `os._exit`"))
            for task in self.tasks:
                task.lose()

    def poll(self) -> int:
        """Called by the code now and then: whether to stop."""
        self.tell()
        return int(self.late() or self.interrupt is not None)

    def tell(self) -> None:
        """Updates the progress line on the terminal, if there is one."""
        if self.line is None:
            self.line = line_of(self.describe)
        if self.line is not None:
            self.line.update()

    def describe(self) -> str:
        """The launch's progress, as text."""
        function, ctas = self.plan.function, self.plan.ctas
        begun = min(self.team[0].begun(), ctas) if self.team else 0
        return f"kernel `{function.name}`: {begun:,} of {ctas:,} blocks"

    def check(self) -> None:
        """Ends work for the launch, if it is to stop."""
        if self.interrupt is not None:
            raise self.interrupt
        if self.late():
            raise Fault(
                "timeout",
                fault_text.timed_out(self.timeout),
                kernel=self.plan.function.name,
                file=self.plan.program.file,
            )

    def late(self) -> bool:
        """Whether the time limit has passed."""
        return self.deadline is not None and time.monotonic() > self.deadline

    def need(self, worker: Worker) -> int:
        """Called by the code at its first side exit: compiles the generic version."""
        plan = self.plan
        try:
            with cancellable(self.check):
                address = slow(plan.program, plan.function, self.image, plan.options, plan.code)
        except UnsupportedByJit as reason:
            if self.watch is not None:  # which restores memory
                raise
            raise Unsupported(
                f"{reason}, after a part of the kernel has run", help='launch it with `engine="interp"`'
            ) from None
        struct.pack_into("<q", worker.memory, abi.GENERIC, address)
        return 0


_running: set[Run] = set()


def stop_all() -> None:
    """Python exits: launches on daemon threads must not continue while it frees their memory."""
    end = time.monotonic() + STOPPED_AT_EXIT
    for run in [*_running]:
        run.stop(SystemExit())
    while _running and time.monotonic() < end:
        time.sleep(0.002)


atexit.register(stop_all)


def _forked() -> None:
    """A child has one thread, which may have forked in a signal handler, in the middle of a launch."""
    for run in _running:
        run.forked()
    _running.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
