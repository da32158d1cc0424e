"""Python's cyclic garbage collector waits while text becomes a program, and a program LLVM's text: hardly any object
made there is garbage before the end."""

from __future__ import annotations

import gc


class uncollected:
    """A context without collections. Afterwards the collector is on again if it was on before."""

    __slots__ = ("_collects",)

    def __enter__(self) -> None:
        self._collects = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._collects:
            gc.enable()
