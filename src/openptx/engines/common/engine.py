"""The engines, as launches know them: by name, through one protocol. An engine is imported when it is first chosen."""

from __future__ import annotations

import time
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from openptx.errors import is_choice, require_choice
from openptx.logging import from_environment

if TYPE_CHECKING:
    from types import ModuleType

    from openptx.device.image import Image
    from openptx.engines.common.prepared import PreparedLaunch
    from openptx.errors import Triple
from openptx.program import Function, Program


class Engine(Protocol):
    def __call__(self, launch: PreparedLaunch, /, **options: Any) -> object:
        """Runs a launch to its end. `options` are the engine's own. Raises Fault."""


_MODULES = {
    "auto": ("openptx.engines.auto.launch",),
    "interp": ("openptx.engines.interp.launch",),
    "native": (
        "openptx.engines.native.runtime.launch",
        "openptx.engines.native.entry",
    ),  # `auto` imports the first late
}
"""What a launch on each engine needs; the last has its `launch`."""


def import_engine(name: str) -> tuple[Engine, float]:
    """The engine of a name, and the seconds that its import took now: 0.1, several on a busy computer that compiles all
    of Python's files. They do not count towards a launch's time limit. ArgumentError if the engine does not exist."""
    if is_choice(name, _imported):
        return _imported[name], 0.0
    require_choice("engine", name, tuple(_MODULES))
    start = time.monotonic()
    for module in _MODULES[name]:
        import_module(module)
    _imported[name] = entry(name).launch
    return _imported[name], time.monotonic() - start


_imported: dict[str, Engine] = {}
from_environment()  # before the first launch


def why_interp(program: Program, function: Function, image: Image, block: Triple) -> str | None:
    """What in a kernel, launched with these blocks, only the interpreter can run; None if nothing."""
    return entry("native").gap(program, function, image, block)


def entry(name: str) -> ModuleType:
    """The module of an engine that has its `launch`."""
    return import_module(_MODULES[name][-1])
