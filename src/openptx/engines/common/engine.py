"""The engines, as launches know them: by name, through one protocol. An engine is imported when it is first chosen."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, cast

from openptx.errors import ArgumentError

if TYPE_CHECKING:
    from types import ModuleType

    from openptx.errors import Triple
    from openptx.program import Function, Program
    from openptx.runtime.image import Image
    from openptx.runtime.memory import Map


class Engine(Protocol):
    def __call__(
        self, program: Program, function: Function, grid: Triple, block: Triple, *, memory: Map, image: Image,
        shared: int = 0, cluster: Triple | None = None, timeout: float | None = None,
        max_instructions: int | None = None, blocks: tuple[int, int] | None = None, **options: Any,
    ) -> None:  # fmt: skip
        """Runs a kernel to its end, or those of its `blocks` alone. `memory` holds its parameters; `shared` is the size
        of dynamic shared memory in bytes, `timeout` in seconds. Engines have further options. Raises Fault."""


@cache
def engine_of(name: str) -> Engine:
    """The engine of a name; ArgumentError where there is none."""
    if name == "interp":
        from openptx.engines.interp import launch

        return cast("Engine", launch)  # it has the protocol's options and its own, not any
    if name in ("auto", "native"):
        return native_engine().auto if name == "auto" else native_engine().launch
    raise ArgumentError(f"no engine `{name}`: choose auto, interp or native")


def why_interp(program: Program, function: Function, image: Image, block: Triple) -> str | None:
    """What in a kernel, launched with such blocks, only the interpreter can run; None where there is no such thing."""
    return native_engine().gap(program, function, image, block)


def native_engine() -> ModuleType:
    from openptx.engines import native

    return native
