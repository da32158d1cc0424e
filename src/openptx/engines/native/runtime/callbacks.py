"""The callbacks of compiled code: Python functions whose addresses it finds in a worker's state."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Generator
from typing import Any

from openptx.engines.native import abi
from openptx.engines.native.runtime import upcalls
from openptx.engines.native.runtime.run import Run
from openptx.engines.native.runtime.workers import Worker

Callback = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)


def address_of(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


class CallingWorker(Worker):
    """A worker whose code can call Python."""

    def __init__(self, shared: int, local: int, frames: int, tensor: int = 0) -> None:
        super().__init__(shared, local, frames, tensor)
        self.run: Run | None = None
        calls = (
            self._answers(lambda run, worker: run.poll()),
            self._answers(upcalls.add_generic_version),
            self._answers(upcalls.answer),
        )
        for each in calls:
            next(each)
        self._callbacks = [Callback(each.send) for each in calls]  # keeps alive what the state refers to
        for field, callback in zip((abi.POLL, abi.NEED, abi.UPCALL), self._callbacks, strict=True):
            struct.pack_into("<q", self.memory, field, address_of(callback))

    def _answers(self, find: Callable[[Run, Worker], int]) -> Generator[int, int, None]:
        """A callback of the code, as a generator: yields the result of `find` at each call, or 1 if the launch is to
        stop.

        Signal handlers, such as that of Ctrl-C, run where Python code starts, loops iterate or functions are called,
        and may raise. In a generator that happens inside the `try`; in a function it would happen before it, and the
        exception would be lost on return to the code. The inner `except` calls nothing, and its loop is inside of the
        outer one.
        """
        answer = 0
        while True:
            try:
                while True:
                    try:
                        while True:
                            yield answer
                            answer = find(self.run, self) if self.run is not None else 1
                    except GeneratorExit:
                        raise
                    except BaseException as stop:
                        answer = 1
                        if self.run is not None:
                            self.run.interrupt = stop
            except GeneratorExit:
                raise
            except BaseException as stop:
                answer = 1
                if self.run is not None:
                    self.run.interrupt = stop
