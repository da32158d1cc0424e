"""The options of a watched launch, checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from openptx.errors import ArgumentError
from openptx.launch_options import is_count
from openptx.sanitize.findings import KINDS

if TYPE_CHECKING:
    from openptx.runtime.options import Extent

ENGINES = ("auto", "native", "interp")


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a watched launch. `outputs` are the arguments, counted from 0, that must be defined at the end."""

    tools: frozenset[str] = frozenset(KINDS)
    shared_mem: int = 0
    cluster: Extent | None = None
    outputs: tuple[int, ...] = ()
    schedules: int = 1
    seed: int = 0
    timeout: float | None = None
    max_instructions: int | None = None
    strict: bool = False
    engine: str = "auto"
    ends: bool = False  # the program ends with the launch, so no other launch frees what it leaves in the device's heap


def tools_of(wanted: str | Sequence[str]) -> frozenset[str]:
    """The tools in "all", in one name, in several with commas, or in a sequence. Raises ArgumentError for others."""
    values: Any = wanted.split(",") if isinstance(wanted, str) else wanted
    names: list[Any] = [values] if not hasattr(values, "__iter__") or getattr(values, "ndim", 1) == 0 else [*values]
    if wrong := [name for name in names if str(name) not in KINDS] if names != ["all"] else []:
        raise ArgumentError(f"no tool `{wrong[0]}`: choose all, or of {', '.join(KINDS)}")
    return frozenset(KINDS if names == ["all"] else names)


def outputs_of(wanted: Any, args: list[object]) -> tuple[int, ...]:
    """`outputs` as a tuple. Raises ArgumentError for anything but numbers of arguments that are arrays."""
    if not hasattr(wanted, "__iter__") or getattr(wanted, "ndim", 1) == 0:
        raise ArgumentError(f"`outputs` is a list of argument numbers: write `outputs=[{wanted!r}]`")
    for i in (numbers := tuple(wanted)):
        if not is_count(i) or not 0 <= i < len(args) or not isinstance(args[i], np.ndarray):
            raise ArgumentError(f"`outputs` names argument {i!r}, counted from 0, which is not an array")
    return numbers
