"""How a Python function becomes an entry point: its requirements, how it fails, how it writes results.

    @in_context("cuMemAlloc_v2")
    def allocate(context: Context, out: int, size: int) -> None: ...

Arguments are numbers: pointers and handles too. If a parameter is annotated with a class of objects, the function gets
the object of the handle, and the call fails if there is none. A function that returns None has succeeded.
"""

from __future__ import annotations

import ctypes
import logging
import signal
import threading
import time
from _thread import start_new_thread
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from openptx.driver.results import Result

LOG = logging.getLogger("openptx")
Function = Callable[..., Any]
F = TypeVar("F", bound=Function)
PAGE = 4096
"""Lower addresses are invalid: a null pointer, or an element of an array at one."""
MOST = 1 << 20
"""The maximum number of elements in an array of the caller."""


RETURNED = 0x4F580000
"""Added to the results of callbacks, and removed by the library, which recognizes by it that a callback has run."""
SOON = 0.01
"""Seconds within which an interrupted call returns."""


class Failure(Exception):
    """An entry point returns `result`. `why` is logged, unless programs do this routinely.

    Docstrings of this package say "fails" for what raises it.
    """

    def __init__(self, result: Result, why: str = "", *, usual: bool = False) -> None:
        super().__init__(result, why)
        self.result, self.why, self.usual = result, why, usual


def invalid(why: str, *, usual: bool = False) -> Failure:
    """The failure for arguments that CUDA does not allow."""
    return Failure(Result.INVALID_VALUE, why, usual=usual)


def unsupported(why: str) -> Failure:
    """The failure for what CUDA allows and this driver does not have."""
    return Failure(Result.NOT_SUPPORTED, why)


class Call(NamedTuple):
    """`needs` is "nothing", "driver" (cuInit was called) or "context" (one is current, and healthy)."""

    function: Function
    needs: str


CALLS: dict[str, Call] = {}
"""The implemented entry points, by symbol."""


def register(needs: str, symbols: tuple[str, ...]) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        CALLS.update((symbol, Call(function, needs)) for symbol in symbols)
        return function

    return decorate


def anytime(*symbols: str) -> Callable[[F], F]:
    """Declares an entry point that also works before `cuInit`."""
    return register("nothing", symbols)


def initialized(*symbols: str) -> Callable[[F], F]:
    """Declares an entry point that needs no context."""
    return register("driver", symbols)


def in_context(*symbols: str) -> Callable[[F], F]:
    """Declares an entry point of a context, which is its first argument. After a fault it returns the fault's error."""
    return register("context", symbols)


def put(pointer: int, value: float, kind: Any = ctypes.c_uint64) -> None:
    """Writes a result to the caller's address. Fails if that is null."""
    if pointer < PAGE:
        raise invalid("a pointer to a result is null")
    kind.from_address(pointer).value = value


def put_int(pointer: int, value: int) -> None:
    """Writes an `int` result."""
    put(pointer, value, ctypes.c_int32)


def put_size(pointer: int, value: int) -> None:
    """Writes a size, unless the caller passed a null pointer to omit it."""
    if pointer:
        ctypes.c_uint64.from_address(pointer).value = value


def get(pointer: int, kind: Any = ctypes.c_uint64) -> int:
    """Reads a number at the caller's address. Fails if that is null."""
    if pointer < PAGE:
        raise invalid("a pointer to a value is null")
    return kind.from_address(pointer).value


def read(pointer: int, size: int) -> bytes:
    """Reads a structure at the caller's address. Fails if that is null."""
    if not pointer:
        raise invalid("a pointer to a description is null")
    return ctypes.string_at(pointer, size)


def write(pointer: int, data: bytes) -> None:
    """Writes a structure to the caller's address. Fails if that is null."""
    if not pointer:
        raise invalid("a pointer to a result is null")
    ctypes.memmove(pointer, data, len(data))


def counted(count: int, what: str, most: int = MOST) -> range:
    """The indices of an array of the caller. Fails for an impossible number of elements, before anything is read."""
    if not 0 <= count <= most:
        raise invalid(f"{count} {what}; there are at most {most}")
    return range(count)


def require_flags(flags: int, known: int, what: str) -> None:
    """Fails for flags other than the known ones."""
    if flags & ~known:
        raise invalid(f"flags {flags} of {what}")


def text(pointer: int, what: str) -> str:
    """A zero-terminated name from the caller. Fails for a null pointer."""
    if not pointer:
        raise invalid(f"{what} is null")
    return ctypes.string_at(pointer).decode("utf-8", "replace")


def interrupt(symbol: str) -> None:
    """Handles Ctrl-C, or a signal handler's exception, in a callback. ctypes would print and drop it: the signal is
    repeated, and the program gets a KeyboardInterrupt when the call has returned."""
    LOG.warning("%s: interrupted", symbol)
    start_new_thread(signal_again, ())


def signal_again() -> None:
    """Sends the signal of Ctrl-C, which ends a wait of the main thread, if Python handles it."""
    time.sleep(SOON)
    while _handling:
        time.sleep(SOON)
    thread = threading.main_thread().ident
    if thread is not None and callable(signal.getsignal(signal.SIGINT)):
        signal.pthread_kill(thread, signal.SIGINT)


_handling = False
"""Whether the main thread is in `dropped`, which would lose the repeated signal."""


@ctypes.CFUNCTYPE(None)
def dropped() -> None:
    """Called by the library when a callback was entered and has not run. In the main thread the reason is an exception
    of a signal handler; if the stack is exhausted, this function fails, too."""
    global _handling
    if threading.get_ident() == threading.main_thread().ident:
        _handling = True
        try:
            interrupt("a call")
        finally:
            _handling = False  # no signal handler runs from here to the end of the callback
