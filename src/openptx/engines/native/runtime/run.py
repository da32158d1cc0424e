"""A launch in progress, as its workers' code and whoever answers that see it; and what may observe it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Protocol

from openptx.device.image import Image
from openptx.device.memory_view import MemoryView
from openptx.engines.common import fault_text
from openptx.engines.native.runtime.plan import Plan
from openptx.engines.native.runtime.workers import Worker
from openptx.errors import Fault
from openptx.progress import Elsewhere, Line, line_of


class Observer(Protocol):
    """`tools` select the hooks that code is made with."""

    tools: tuple[str, ...]

    def attach(self, worker: Worker, run: Run, stop: int) -> int:
        """A worker is about to run: returns the address of the observer's data for its code. `stop`: the launch's
        flag."""
        ...

    def flush(self, worker: Worker) -> None:
        """A worker's code has filled its log, which must be emptied."""
        ...

    def resume(self, run: Run, codes: list[int]) -> None:
        """Threads wait for others: the reference engine is to continue, or UnsupportedByJit to be raised."""
        ...


class Run:
    """One launch. It holds everything that its threads use, so that none can run on freed memory."""

    __slots__ = (
        "called_system", "deadline", "image", "interrupt", "line", "memory", "observer", "plan", "team", "timeout",
    )  # fmt: skip

    def __init__(
        self, plan: Plan, team: Sequence[Worker], memory: MemoryView, image: Image, timeout: float | None,
        deadline: float | None, observer: Observer | None,
    ) -> None:  # fmt: skip
        self.plan, self.team, self.memory, self.image, self.timeout = plan, team, memory, image, timeout
        self.deadline = deadline  # in time.monotonic's time
        self.observer = observer
        self.line: Line | Elsewhere | None = None  # once there may be something to report
        self.interrupt: BaseException | None = None
        self.called_system = False  # perhaps for output

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
        begun = min(self.team[0].begun(), ctas)
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
