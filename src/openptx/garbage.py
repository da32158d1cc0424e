"""Python's search for garbage waits while text becomes a program: it would find hardly any, and takes half the time."""

from __future__ import annotations

import gc


class uncollected:
    """No search for cycles of objects until the end; then it goes on, if it was on before."""

    __slots__ = ("_collects",)

    def __enter__(self) -> None:
        self._collects = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._collects:
            gc.enable()
