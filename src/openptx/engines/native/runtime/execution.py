"""Runs the code of a launch on its workers' threads, and ends them whatever happens: signals, forks, Python's exit."""

from __future__ import annotations

import atexit
import os
import sys
import time
from collections.abc import Callable
from functools import partial

from openptx.device.image import Image
from openptx.device.memory_view import MemoryView
from openptx.engines.common.engine import Running
from openptx.engines.native import abi
from openptx.engines.native.deopt.resume_interp import resume_interp
from openptx.engines.native.runtime import threads
from openptx.engines.native.runtime.fault_decoding import failure
from openptx.engines.native.runtime.plan import Plan
from openptx.engines.native.runtime.plans import Plans
from openptx.engines.native.runtime.run import Observer, Run
from openptx.engines.native.runtime.workers import Worker
from openptx.errors import Unsupported
from openptx.float_environment import standard_floats

STOPPED_AT_EXIT = 1.0
"""Seconds that Python's exit waits for launches on other threads, which are asked to stop."""

FORKED = (
    "the rest of a launch in a child process that was forked meanwhile: the launch's other threads are in the parent"
)


class Execution:
    """The threads of one launch."""

    __slots__ = ("made", "run", "tasks", "team")

    def __init__(
        self, made: Plans, plan: Plan, memory: MemoryView, image: Image, timeout: float | None,
        deadline: float | None, observer: Observer | None,
    ) -> None:  # fmt: skip
        self.made, self.team = made, [made.worker(plan) for _ in range(plan.workers)]
        self.run = Run(plan, self.team, memory, image, timeout, deadline, observer)
        self.tasks: list[threads.Task] = []  # of other threads

    def go(self, meanwhile: Callable[[], bool]) -> bool:
        """Runs the launch; returns whether the reference engine ran parts of it. If the launch shows that the kernel
        needs other code, that is compiled in the background if `meanwhile()`, or else by the next launch."""
        run, plan, team = self.run, self.run.plan, self.team
        launch = team[0].begin(plan)
        for worker in team:
            worker.run = run
            worker.prepare(plan, run.memory, launch)
            if run.observer is not None:
                worker.watch(run.observer.attach(worker, run, launch + abi.STOP))
        _running.add(self)
        try:
            with Running(self):
                codes = self.execute()
            if run.interrupt is not None:
                raise run.interrupt
            exits = 0
            for worker in team:
                exits += worker.side_exits()
            if exits * 16 > plan.ctas * plan.warps:
                self.made.disable_speculation(plan, run.image, meanwhile())
            for code, worker in zip(codes, team, strict=True):
                if code not in (0, abi.HANDED):
                    raise failure(run, worker)
            if abi.HANDED in codes:
                with Running(self), standard_floats():
                    (resume_interp if run.observer is None else run.observer.resume)(run, codes)
            return abi.HANDED in codes
        except BaseException as stop:
            if not all(task.over for task in self.tasks):  # a handler has raised as `wait` was called or looped
                run.interrupt = stop
                self.wait()
            raise
        finally:
            _running.discard(self)  # a child of a fork has none
            if run.line is not None:
                run.line.erase()
            if run.called_system:
                sys.stdout.flush()
            if not self.tasks or all(task.over for task in self.tasks):  # otherwise a thread may still use them
                for worker in team:
                    worker.run = worker.cta = None
                self.made.idle.setdefault((plan.code, plan.sizes), []).extend(team)

    def execute(self) -> list[int]:
        """Runs the code, on one thread per worker, and returns their results. No thread runs afterwards.

        The first worker is for this thread, unless the code needs a large stack. Signal handlers (Ctrl-C) may raise
        anywhere in this function; a task that was created before its thread is started cannot be lost.
        """
        run, code, first = self.run, self.run.plan.code, self.team[0]
        deep = run.plan.deep
        if not deep and len(self.team) == 1:
            return [code.run(first.state.address)]
        others = self.team if deep else self.team[1:]
        run.tell()  # while this is surely the thread that launches
        self.tasks = [threads.Task(partial(self.work, worker)) for worker in others]
        codes: list[int] = []
        try:
            for task in self.tasks:
                threads.start(task, deep=deep)
            if not deep:
                codes.append(code.run(first.state.address))
        except BaseException as stop:
            run.interrupt = stop
        self.wait()
        for task in self.tasks:
            if task.error is not None and run.interrupt is None:
                run.interrupt = task.error
        return [*codes, *(task.result for task in self.tasks)]

    def work(self, worker: Worker) -> int:
        """Runs CTAs on a worker; the target function of further threads."""
        return self.run.plan.code.run(worker.state.address)

    def stop(self, reason: BaseException) -> None:
        """Makes the launch end with an exception: all threads leave the code within some hundredths of a second."""
        self.run.interrupt = reason
        self.team[0].stop()

    def wait(self) -> None:
        """Waits until none of the tasks runs, despite any interruptions."""
        for task in self.tasks:
            while not task.over:
                try:
                    if self.run.interrupt is not None:
                        self.stop(self.run.interrupt)
                    if self.run.interrupt is None or not task.cancel():
                        task.wait()
                except BaseException as stop:  # Ctrl-C during the wait
                    self.run.interrupt = stop

    def forked(self) -> None:
        """Called in the child of a fork: the worker threads do not exist, so the launch must end if the forking thread
        runs it."""
        if not all(task.over for task in self.tasks):
            self.stop(Unsupported(FORKED, help="fork between launches, or end such a child with `os._exit`"))
            for task in self.tasks:
                task.lose()


_running: set[Execution] = set()


def stop_all() -> None:
    """Python exits: launches on daemon threads must not continue while it frees their memory."""
    end = time.monotonic() + STOPPED_AT_EXIT
    for execution in [*_running]:
        execution.stop(SystemExit())
    while _running and time.monotonic() < end:
        time.sleep(0.002)


atexit.register(stop_all)


def _forked() -> None:
    """A child has one thread, which may have forked in a signal handler, in the middle of a launch."""
    for execution in _running:
        execution.forked()
    _running.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
