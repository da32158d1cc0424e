"""The launches that run now, of all threads: two at the same time may share arrays."""

from __future__ import annotations

_running: set[object] = set()
_crowded: set[object] = set()
"""Those that have not been alone all the time."""


class Running:
    """A launch, known by any object that is its own, runs meanwhile."""

    __slots__ = ("launch",)

    def __init__(self, launch: object) -> None:
        self.launch = launch

    def __enter__(self) -> None:
        _running.add(self.launch)
        if len(_running) > 1:
            _crowded.update(_running)

    def __exit__(self, *raised: object) -> None:
        _running.discard(self.launch)
        _crowded.discard(self.launch)


def alone(launch: object) -> bool:
    """Whether no other launch has run since this one began."""
    return launch not in _crowded
