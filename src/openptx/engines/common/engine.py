"""The engines, as launches know them: by name, through one protocol. An engine is imported when it is first chosen."""

from __future__ import annotations

import time
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from openptx.engines.common import fault_text
from openptx.errors import Fault, is_choice, require_choice
from openptx.logging import from_environment

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from openptx.device.image import Image
    from openptx.engines.common.prepared import PreparedLaunch
    from openptx.errors import Triple
from openptx.program import Function, Program


class Engine(Protocol):
    def __call__(self, launch: PreparedLaunch, /, **options: Any) -> object:
        """Runs a launch to its end. `options` are the engine's own. Raises Fault."""


_OF_ENGINES = "openptx.engines."
_INTERP = tuple(
    _OF_ENGINES + name for name in ("interp.memory", "interp.decode", "interp.machine", "interp.batch", "interp.launch")
)
_NATIVE = (
    *_INTERP,
    "llvmlite.binding",
    *(
        _OF_ENGINES + "native." + name
        for name in (
            "cache.key", "cache.metadata", "analysis.context", "analysis.abstract_machine", "analysis.fixpoint",
            "emit.arith.float_ops", "emit.memory.bounds_check", "emit.memory.atomics", "emit.llvm_machine",
            "deopt.side_exits", "emit.barriers", "emit.function", "rtlib.support", "pipeline", "runtime.plan",
            "runtime.launch", "entry",
        )
    ),
)  # fmt: skip
PARTS = {"interp": _INTERP, "auto": (*_INTERP, _OF_ENGINES + "auto.launch"), "native": _NATIVE}
"""The steps in which an engine is imported: without compiled Python files an import takes a second, on a busy computer
several, and counts towards a launch's limit. Each part needs those before it; the last is the engine's entry."""


def engine_in_time(name: str, program: Program, function: Function, timeout: float | None, since: float) -> Engine:
    """The engine of a name, for a launch that began at `since`; Fault if its import exceeds the launch's time limit,
    ArgumentError if the engine does not exist."""
    if is_choice(name, _imported):
        return _imported[name]

    def check() -> None:
        if timeout is not None and time.monotonic() > since + timeout:
            said, notes = fault_text.timed_out(timeout), (fault_text.IMPORTING,)
            raise Fault("timeout", said, kernel=function.name, file=program.file, notes=notes)

    return import_engine(name, check)


def import_engine(name: str, check: Callable[[], None]) -> Engine:
    """The engine of a name; ArgumentError if it does not exist. An exception that `check` raises before a part ends the
    import."""
    require_choice("engine", name, ("auto", "interp", "native"))
    if name not in _imported:
        for part in PARTS[name]:
            check()
            import_module(part)
        _imported[name] = entry(name).launch
    return _imported[name]


_imported: dict[str, Engine] = {}
from_environment()  # before the first launch


def why_interp(program: Program, function: Function, image: Image, block: Triple) -> str | None:
    """What in a kernel, launched with these blocks, only the interpreter can run; None if nothing."""
    return entry("native").gap(program, function, image, block)


def entry(name: str) -> ModuleType:
    """The module of an engine that has its `launch`."""
    return import_module(PARTS[name][-1])
