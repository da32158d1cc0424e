"""Functions whose module is imported on the first call: code that explains errors costs nothing without errors.

Type checkers read the import itself, so a name is given twice:

    if TYPE_CHECKING:
        from openptx.check.explain.report import diagnostic
    else:
        diagnostic = late("openptx.check.explain.report", "diagnostic")

A module is worth this if it takes a tenth of a millisecond to import and few files need it.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from typing import Any


class late:
    """A function, or a class that is only called. Later calls cost 0.1 us more than without this."""

    __slots__ = ("_function", "_module", "_name")

    def __init__(self, module: str, name: str) -> None:
        self._module, self._name = module, name
        self._function: Any = None

    def __call__(self, *args: object, **options: object) -> Any:
        if self._function is None:
            self._function = getattr(import_module(self._module), self._name)
        return self._function(*args, **options)
