"""What a launch knows of the observer of its machine code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from openptx.engines.native.runtime.launch import Run
    from openptx.engines.native.runtime.workers import Worker


class Observer(Protocol):
    """`tools` select the hooks that code is made with."""

    tools: tuple[str, ...]

    def attach(self, worker: Worker, run: Run, stop: int) -> int:
        """A worker is about to run: the address of what its code tells the observer. `stop`: the launch's flag."""
        ...

    def flush(self, worker: Worker) -> None:
        """A worker's code asks to be relieved of what it has told."""
        ...

    def resume(self, run: Run, codes: list[int], team: list[Worker]) -> None:
        """Threads wait for others: the reference engine is to go on, or UnsupportedByJit to be raised."""
        ...
