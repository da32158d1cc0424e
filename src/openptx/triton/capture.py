"""Captures of CUDA graphs: the steps that the program takes in this thread are kept, to be taken again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import NoReturn


class Capture:
    """The launches and operators of a graph, in order, as functions that execute them."""

    def __init__(self) -> None:
        self.steps: list[Callable[[], object]] = []
        self.memory: list[object] = []
        """The tensors that were made meanwhile: launches have only their addresses."""
        self.failure: Exception | None = None
        """The first error, which makes the capture invalid."""

    def fail(self, error: Exception) -> NoReturn:
        """Raises an error that makes the capture invalid."""
        self.failure = self.failure or error
        raise error

    def refuse(self, what: str) -> NoReturn:
        """Raises CUDA's error for what the program may not do while it captures."""
        self.fail(RuntimeError(f"CUDA error: operation not permitted when stream is capturing: {what}"))


class _Current(threading.local):
    capture: Capture | None = None


_CURRENT = _Current()


def current_capture() -> Capture | None:
    """The capture that is under way in this thread."""
    return _CURRENT.capture


def set_capture(capture: Capture | None) -> None:
    """Begins a capture in this thread, or ends it."""
    _CURRENT.capture = capture


@contextmanager
def suspended() -> Generator[None]:
    """Without the capture of this thread: within an operator that is itself a step."""
    capture, _CURRENT.capture = _CURRENT.capture, None
    try:
        yield
    finally:
        _CURRENT.capture = capture


def take(step: Callable[[], object]) -> None:
    """Executes a step, which the capture of this thread keeps."""
    step()
    if _CURRENT.capture is not None:
        _CURRENT.capture.steps.append(step)


def refuse_in_capture(what: str) -> None:
    """Raises CUDA's error if this thread captures a graph. What waits for the device calls this."""
    if _CURRENT.capture is not None:
        _CURRENT.capture.refuse(what)
