"""The launches that run now, of all threads: two at the same time may share arrays."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

_running: set[object] = set()
_crowded: set[object] = set()
"""Those that have not been alone all the time."""


@contextmanager
def running(launch: object) -> Generator[None]:
    """A launch, known by any object that is its own, runs meanwhile."""
    _running.add(launch)
    if len(_running) > 1:
        _crowded.update(_running)
    try:
        yield
    finally:
        _running.discard(launch)
        _crowded.discard(launch)


def alone(launch: object) -> bool:
    """Whether no other launch has run since this one began."""
    return launch not in _crowded
