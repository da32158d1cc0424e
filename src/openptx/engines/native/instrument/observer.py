"""The observer of a launch's machine code, as the launch knows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from openptx.engines.native.runtime.launch import Run
    from openptx.engines.native.runtime.workers import Worker


class Observer(Protocol):
    """`tools` select the hooks that code is made with."""

    tools: tuple[str, ...]

    def attach(self, worker: Worker, run: Run, stop: int) -> int:
        """A worker is about to run: the address of what its code reports to the observer. `stop`: the launch's flag."""
        ...

    def flush(self, worker: Worker) -> None:
        """A worker's code has filled its log, which is to be emptied."""
        ...

    def resume(self, run: Run, codes: list[int], team: list[Worker]) -> None:
        """Threads wait for others: the reference engine is to go on, or UnsupportedByJit to be raised."""
        ...
