"""Validates the extents of a launch, and options that are given for all later launches."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import lru_cache
from typing import Any, TypeGuard, cast

from openptx.call_graph import reachable_functions
from openptx.device.shared_layout import shared_layout
from openptx.errors import ArgumentError, Triple, require_choice
from openptx.isa.address_windows import CTA_SHIFT
from openptx.isa.instructions.addressing import mapa
from openptx.launch_options import is_count, require_options, shown
from openptx.program import Function, Program, Special
from openptx.runtime.tools import require_tools

THREADS = 1024


def is_range(value: Any, stop: int) -> bool:
    """Whether two numbers form a nonempty range: the first, and one past the last."""
    if not isinstance(value, list | tuple):
        return False
    items = cast("list[object] | tuple[object, ...]", value)
    ends = [end for end in items if is_count(end)]
    return len(ends) == len(items) == 2 and 0 <= ends[0] < ends[1] <= stop


Extent = int | Sequence[int]

_INTEGERS = {int}
LARGEST = {"grid": (2**31 - 1, 65535, 65535), "block": (1024, 1024, 64)}


def extent(what: str, value: Any) -> Triple:
    """One to three positive integers as x, y, z. Raises ArgumentError for others, and beyond CUDA's limits."""
    if type(value) is int:
        x, y, z = value, 1, 1
    elif value.__class__ is tuple and len(value) <= 3 and {*map(type, value)} == _INTEGERS:
        x, y, z = (*value, 1, 1)[:3]
    else:
        parts: tuple[Any, ...] = tuple(value) if is_ordered(value) else (value,)
        if not 1 <= len(parts) <= 3 or not all(map(is_count, parts)):
            raise ArgumentError(f"the {what} is one to three integers, not {shown(value)}")
        x, y, z = map(int, (*parts, 1, 1)[:3])
    most_x, most_y, most_z = LARGEST.get(what, (16, 16, 16))
    if not (1 <= x <= most_x and 1 <= y <= most_y and 1 <= z <= most_z):
        for axis, size, most in ("x", x, most_x), ("y", y, most_y), ("z", z, most_z):
            if not 1 <= size <= most:
                raise ArgumentError(f"the {what}'s {axis} is 1 to {most}, not {shown(size)}")
    return x, y, z


def is_ordered(value: Any) -> TypeGuard[Iterable[Any]]:
    """Whether a value is a sequence of items: an array with axes is one; text, bytes, sets and dictionaries are not."""
    if isinstance(value, Mapping | Set | str | bytes | bytearray):
        return False
    return hasattr(value, "__iter__") and getattr(value, "ndim", 1) > 0


def check_shape(program: Program, function: Function, block: Triple, shared: int) -> None:
    """Raises ArgumentError for extents of a block that no GPU can launch or that the kernel's directives forbid."""
    threads = block[0] * block[1] * block[2]
    if threads > THREADS:
        raise ArgumentError(f"a block has at most {THREADS} threads, not {threads}")
    directives = function.directives
    required = directives.get("reqntid")
    if required is not None and (*required, 1, 1)[:3] != block:
        raise ArgumentError(f"kernel `{function.name}` requires blocks of {(*required, 1, 1)[:3]} (`.reqntid`)")
    most = directives.get("maxntid")
    if most is not None and threads > math.prod(most):
        raise ArgumentError(f"kernel `{function.name}` allows {math.prod(most)} threads a block (`.maxntid`)")
    if (total := shared_layout(program, function.name).size(shared)) > 1 << CTA_SHIFT:
        raise ArgumentError(f"a block has at most {1 << CTA_SHIFT} bytes of shared memory, not {total}")


def cluster_shape(function: Function, grid: Triple, requested: Extent | None) -> Triple | None:
    """The cluster's shape in blocks: as requested, or as the kernel requires; None without clusters.

    Raises ArgumentError if the kernel requires another shape or the grid is not divisible by it.
    """
    required = function.directives.get("reqnctapercluster")
    if required:
        shape = extent("cluster", required)
        if requested is not None and extent("cluster", requested) != shape:
            raise ArgumentError(f"kernel `{function.name}` requires clusters of {shape} (`.reqnctapercluster`)")
    elif requested is None:
        return None
    else:
        shape = extent("cluster", requested)
    if any(g % c for g, c in zip(grid, shape, strict=True)):
        raise ArgumentError(f"a grid of {grid} cannot be divided into clusters of {shape}")
    if shape[0] * shape[1] * shape[2] > 16:
        raise ArgumentError(f"a cluster has at most 16 blocks, not {shape[0] * shape[1] * shape[2]}")
    return shape


def visible_cluster(program: Program, function: Function, shape: Triple) -> Triple | None:
    """The cluster's shape; None, as without clusters, if it is one block and the kernel cannot tell: such launches run
    as machine code."""
    if shape != (1, 1, 1) or any(map(tells_clusters, reachable_functions(program, function.name))):
        return shape
    return None


@lru_cache(maxsize=256)
def tells_clusters(function: Function) -> bool:
    """Whether a function asks whether the launch gave a size of clusters, or computes addresses in other blocks, which
    are faults of their own then."""
    return any(
        op.form.instruction is mapa
        or any(isinstance(o, Special) and o.name == "is_explicit_cluster" for o in op.operands)
        for op in function.code
    )


def require_for_all(engine: str, workers: int | None, timeout: float | None, sanitize: str | None) -> None:
    """Raises ArgumentError for options that every later launch would refuse."""
    require_choice("engine", engine, ("auto", "interp", "native"))
    require_options(0, workers, timeout, None, None)
    if sanitize is not None:
        require_tools(sanitize)
