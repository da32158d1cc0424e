"""The floating-point environment that our arithmetic requires of a thread: to nearest even, with subnormal numbers.

A thread may have another one: `torch.set_flush_denormal(True)` sets it, and so does loading a library that was linked
with -ffast-math. Python's and NumPy's results would then have other bits. Compiled kernels set the environment
themselves.
"""

from __future__ import annotations

import struct
import sys
from functools import cache, wraps

from openptx.errors import Unsupported

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import ParamSpec, TypeVar

    P = ParamSpec("P")
    R = TypeVar("R")

(SMALLEST,) = struct.unpack("<d", b"\1\0\0\0\0\0\0\0")
"""2^-1074, from its bits: Python reads the literal 5e-324 as zero while the processor flushes subnormal numbers."""
SMALLEST_NORMAL, BELOW_ULP = sys.float_info.min, 2.0**-60
ENVIRONMENT_BYTES = 256
"""At least the size of C's fenv_t: 32 bytes in glibc on x86-64, 16 on macOS, 8 on aarch64."""
NOT_STANDARD = (
    "arithmetic in a thread whose processor flushes subnormal numbers or does not round to nearest, and whose "
    "floating-point environment cannot be set here"
)


def is_standard() -> bool:
    """Whether this thread's arithmetic rounds to nearest even, and reads and produces subnormal numbers."""
    return (
        SMALLEST * 2.0 > 0.0 and SMALLEST_NORMAL * 0.5 > 0.0 and 1.0 + BELOW_ULP == 1.0 and 1.0 - BELOW_ULP == 1.0
    )  # fmt: skip


class standard_floats:
    """Arithmetic of this thread in the standard environment; the caller's is restored at the end.

    Raises Unsupported if that is impossible.
    """

    __slots__ = ("_callers",)

    def __enter__(self) -> None:
        self._callers: object = None
        if is_standard():
            return
        get, set, standard = _environment()
        self._callers = get()
        set(standard)
        if not is_standard():
            set(self._callers)
            raise Unsupported(NOT_STANDARD)

    def __exit__(self, *_: object) -> None:
        if self._callers is not None:
            _environment()[1](self._callers)


@cache
def _environment() -> tuple[Callable[[], object], Callable[[object], object], object]:
    """C's functions that get and set environments, and the standard one. Looking them up takes as long as a launch."""
    import ctypes

    room = ctypes.c_char * ENVIRONMENT_BYTES

    def get() -> object:
        found = room()
        fegetenv(found)
        return found

    try:
        library = ctypes.PyDLL(None)
        fegetenv = library.fegetenv
        standard = ctypes.addressof(ctypes.c_char.in_dll(library, "_FE_DFL_ENV")) if sys.platform == "darwin" else -1
        return get, library.fesetenv, ctypes.c_void_p(standard)
    except (OSError, TypeError, AttributeError, ValueError):
        raise Unsupported(NOT_STANDARD) from None


def in_standard_floats(function: Callable[P, R]) -> Callable[P, R]:
    """A decorator: the function runs in the standard environment. It costs a call 0.2 us if that is set already."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if is_standard():
            return function(*args, **kwargs)
        with standard_floats():
            return function(*args, **kwargs)

    return call
