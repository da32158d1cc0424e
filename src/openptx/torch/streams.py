"""The streams of `torch.cuda` and `torch.accelerator` while the CPU stands in for a GPU, and which one is current."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from itertools import count
from typing import Any

from openptx.triton.capture import current_capture, refuse_in_capture
from openptx.triton.driver import Event

_IDS = count()


class Stream:
    """A stream: work runs when it is submitted, in any stream."""

    cuda_stream = device_index = 0

    def __init__(self, device: object = None, priority: int = 0, **options: Any) -> None:
        self.priority, self.stream_id = priority, next(_IDS)

    @staticmethod
    def priority_range() -> tuple[int, int]:
        """Lowest and highest, as the library's `cuCtxGetStreamPriorityRange` gives them."""
        return 0, -5

    @property
    def device(self) -> Any:
        return import_module("torch").device("cuda", 0)

    def synchronize(self) -> None:
        """Launches have ended when they return."""
        refuse_in_capture("Stream.synchronize")

    def wait_event(self, event: object) -> None:
        """All submitted work has ended."""

    def wait_stream(self, stream: object) -> None:
        """Does nothing: launches have ended when they return."""

    def query(self) -> bool:
        refuse_in_capture("Stream.query")
        return True

    def is_capturing(self) -> bool:
        return current_capture() is not None

    def record_event(self, event: Event | None = None) -> Event:
        event = event or Event()
        event.record(self)
        return event

    def __enter__(self) -> Stream:
        _CURRENT.streams.append(self)
        return self

    def __exit__(self, *exception: object) -> None:
        _CURRENT.streams.pop()


DEFAULT = Stream()


class _Current(threading.local):
    def __init__(self) -> None:
        self.streams = [DEFAULT]
        """The current one, after those that are current again where a `with` ends."""


_CURRENT = _Current()


def current_stream(device: object = None) -> Stream:
    return _CURRENT.streams[-1]


def default_stream(device: object = None) -> Stream:
    return DEFAULT


def set_stream(stream: Stream | None) -> None:
    """As in torch, None changes nothing."""
    if stream is not None:
        _CURRENT.streams[-1] = stream


@contextmanager
def use_stream(stream: Stream | None) -> Generator[None]:
    """`torch.cuda.stream`."""
    with stream or current_stream():
        yield


def record_stream(tensor: object, stream: object) -> None:
    """`Tensor.record_stream`: work on the tensor has ended when its memory is free again."""
