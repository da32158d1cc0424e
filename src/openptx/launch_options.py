"""Validates the options that launches and the tools that observe launches have in common."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from numbers import Integral, Real
from typing import Any, TypeGuard, cast

from openptx.errors import ArgumentError

DYNAMIC_SHARED = 227 << 10

SHARED = "write `shared_mem=`, in bytes"
OTHER_NAMES = {
    "shared": SHARED, "smem": SHARED, "shared_memory": SHARED, "sharedmem": SHARED, "sharedMemBytes": SHARED,
    "stream": "a launch runs to its end, there are no streams; leave it out",
    "threads": "write `workers=` for threads of this computer, `block=` for those of a block",
    "num_warps": "write `block=`, in threads",
}  # fmt: skip
"""Launch options of other libraries, and the corresponding ones here."""


def shown(value: object) -> str:
    """A wrong value in a message: its `repr`, if that is short."""
    try:
        text = repr(value)
    except ValueError:  # it has an integer of more than 4,300 digits
        return "an integer of thousands of digits" if isinstance(value, int) else type(value).__name__
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


LONGEST = 100


def require_options(shared: object, workers: object, timeout: object, max_instructions: object, since: object) -> None:
    """Raises ArgumentError for the first option that is out of range or of a wrong type. Usual ones cost no call."""
    if shared or type(shared) is not int:
        require_shared(shared)
    for name, count in (("workers", workers), ("max_instructions", max_instructions)):
        if count is not None and (type(count) is not int or count < 1):
            require_count(name, count)
    if timeout is not None:
        require_timeout(timeout)
    if since is not None and not (isinstance(since, Real) and math.isfinite(since)):
        raise ArgumentError(f"`since` is a time of `time.monotonic()`, not {shown(since)}")


def require_shared(shared: object) -> None:
    """Raises ArgumentError unless it is a possible number of bytes of dynamic shared memory."""
    if not is_count(shared) or not 0 <= shared <= DYNAMIC_SHARED:
        raise ArgumentError(f"dynamic shared memory is 0 to {DYNAMIC_SHARED} bytes, not {shown(shared)}")


def require_timeout(timeout: object) -> None:
    """Raises ArgumentError unless it is a positive number; infinity is one."""
    try:
        right = isinstance(timeout, Real) and float(timeout) > 0
    except OverflowError:
        right = False
    if not right:
        raise ArgumentError(f"`timeout` is a number of seconds above 0, not {shown(timeout)}")


def require_count(name: str, value: object, least: int = 1) -> None:
    """Raises ArgumentError unless the option is an integer, and not below `least`."""
    if not is_count(value) or value < least:
        raise ArgumentError(f"`{name}` is a whole number from {least}, not {shown(value)}")


def is_count(value: object) -> TypeGuard[int]:
    """Whether a number is an integer: Python's and NumPy's integers are, booleans are not."""
    return type(value) is int or (isinstance(value, Integral) and value is not True and value is not False)


def sequence_of(args: Any) -> tuple[object, ...]:
    """The arguments of `kernel(grid, block, args)`. For a single array or number, an ArgumentError asks for a tuple."""
    if args.__class__ is tuple:
        return args
    if isinstance(args, list | tuple | Iterator):
        return tuple(cast("Iterable[object]", args))
    raise ArgumentError(f"the arguments are a tuple, `(x, y)` or `(x,)`, not {type(args).__name__}")
