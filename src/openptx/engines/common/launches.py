"""The launches running now, on all threads: two at the same time may share arrays."""

from __future__ import annotations

_running: set[object] = set()
_crowded: set[object] = set()
"""Launches that have overlapped with another."""


class Running:
    """While this is entered, a launch is running, identified by an object of its own."""

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
