"""Validates the extents and options of a launch."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from numbers import Integral, Real
from typing import Any, TypeGuard, cast

from openptx.device.shared_layout import shared_layout
from openptx.errors import ArgumentError, Triple
from openptx.isa.address_windows import CTA_SHIFT
from openptx.program import Function, Program

DYNAMIC_SHARED = 227 << 10
THREADS = 1024


def require_options(shared: object, workers: object, timeout: object, max_instructions: object, since: object) -> None:
    """Raises ArgumentError for the first option that is out of range or of a wrong type."""
    if not is_count(shared) or not 0 <= shared <= DYNAMIC_SHARED:
        raise ArgumentError(f"dynamic shared memory is 0 to {DYNAMIC_SHARED} bytes, not {shared!r}")
    for name, count in (("workers", workers), ("max_instructions", max_instructions)):
        if count is not None and (not is_count(count) or count < 1):
            raise ArgumentError(f"`{name}` is a whole number from 1, not {count!r}")
    if timeout is not None and not (isinstance(timeout, Real) and float(timeout) > 0):
        raise ArgumentError(f"`timeout` is a number of seconds above 0, not {timeout!r}")
    if since is not None and not (isinstance(since, Real) and math.isfinite(since)):
        raise ArgumentError(f"`since` is a time of `time.monotonic()`, not {since!r}")


def is_count(value: object) -> TypeGuard[int]:
    """Whether a number is an integer: Python's and NumPy's integers are, booleans are not."""
    return type(value) is int or (isinstance(value, Integral) and value is not True and value is not False)


def is_range(value: Any, stop: int) -> bool:
    """Whether two numbers form a nonempty range: the first, and one past the last."""
    if not isinstance(value, list | tuple):
        return False
    given = cast("list[object] | tuple[object, ...]", value)
    ends = [end for end in given if is_count(end)]
    return len(ends) == len(given) == 2 and 0 <= ends[0] < ends[1] <= stop


def sequence_of(args: Any) -> tuple[object, ...]:
    """The arguments of `kernel(grid, block, args)`. For a single array or number, an ArgumentError asks for a tuple."""
    if type(args) is tuple:
        return cast("tuple[object, ...]", args)
    if isinstance(args, list | tuple | Iterator):
        return tuple(cast("Iterable[object]", args))
    raise ArgumentError(f"the arguments are a tuple, `(x, y)` or `(x,)`, not {type(args).__name__}")


Extent = int | Sequence[int]

LARGEST = {"grid": (2**31 - 1, 65535, 65535), "block": (1024, 1024, 64)}


def extent(what: str, given: Any) -> Triple:
    """One to three positive integers as x, y, z."""
    if type(given) is int:
        x, y, z = given, 1, 1
    else:
        parts: tuple[Any, ...] = tuple(given) if is_ordered(given) else (given,)
        if not 1 <= len(parts) <= 3 or not all(map(is_count, parts)):
            raise ArgumentError(f"the {what} is one to three integers, not {given!r}")
        x, y, z = map(int, (*parts, 1, 1)[:3])
    most_x, most_y, most_z = LARGEST.get(what, (16, 16, 16))
    if not (1 <= x <= most_x and 1 <= y <= most_y and 1 <= z <= most_z):
        for axis, size, most in ("x", x, most_x), ("y", y, most_y), ("z", z, most_z):
            if not 1 <= size <= most:
                raise ArgumentError(f"the {what}'s {axis} is 1 to {most}, not {size}")
    return x, y, z


def is_ordered(given: Any) -> TypeGuard[Iterable[Any]]:
    """Whether it is a sequence of items: an array with axes is, text, bytes, sets and dictionaries are not."""
    if isinstance(given, Mapping | Set | str | bytes | bytearray):
        return False
    return hasattr(given, "__iter__") and getattr(given, "ndim", 1) > 0


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
