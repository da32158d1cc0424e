"""Calls that are forbidden while streams are captured, by the captures' modes and the calling thread's.

The manual names only cudaMalloc as unsafe (cuThreadExchangeStreamCaptureMode). The others are modelled: calls that an
H200 refused (driver 580), calls that programs report as refused or guard by the relaxed mode (loads of modules: NVIDIA
Warp; attributes of pools: libcu++; events: PyTorch), and those that HIP refuses.
"""

from __future__ import annotations

import ctypes
import re
import threading
from collections.abc import Callable
from typing import Any

from openptx.driver.calls import Failure, get, initialized, invalid, put_int
from openptx.driver.devices.contexts import Context
from openptx.driver.results import Result
from openptx.driver.streams.objects import UNDERWAY, Capture, Stream

GLOBAL, THREAD_LOCAL, RELAXED = range(3)
"""Values of CUstreamCaptureMode."""
UNSAFE = re.compile(
    r"cu(MemAlloc|MemHost(Alloc|Register|Unregister)|MemFree|(Mipmapped)?Array(3D)?(Create|Destroy)|Memcpy"
    r"|ModuleLoad|ModuleUnload|MemPool([SG]etAttribute|TrimTo))"
)
LEGACY = re.compile(r"cuMem(cpy|setD)")
"""Calls that work in the legacy default stream."""
_modes: dict[int, int] = {}  # by thread number, for threads whose mode is not GLOBAL


def checked(symbol: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of an entry point, refused if it is unsafe."""
    unsafe, legacy = UNSAFE.match(symbol) is not None, LEGACY.match(symbol) is not None
    if "Async" in symbol or not (unsafe or legacy):
        return function

    def safe(*arguments: Any) -> Any:
        if UNDERWAY:
            if unsafe:
                require_safe()
            if legacy:
                require_no_blocking_capture(arguments[0])
        return function(*arguments)

    return safe


def require_safe() -> None:
    """Fails for an unsafe call, by the manual's rules, and invalidates the captures that forbid it."""
    thread = threading.get_ident()
    mode = _modes.get(thread, GLOBAL)
    if mode == RELAXED:
        return
    refuse(
        [
            capture
            for capture in UNDERWAY
            if (capture.thread == thread and capture.mode != RELAXED)
            or (capture.thread != thread and mode == capture.mode == GLOBAL)
        ],
        Result.STREAM_CAPTURE_UNSUPPORTED,
        "an unsafe call while a stream is captured: begin the capture, or set the thread's mode, as relaxed",
    )


def require_no_capture_in(context: Context) -> None:
    """Fails if a stream of a context, all of whose streams are to be waited for, is being captured."""
    found = [capture for capture in UNDERWAY if capture.origin.context is context]
    refuse(found, Result.STREAM_CAPTURE_UNSUPPORTED, "synchronization of a context of which a stream is captured")


def require_no_blocking_capture(context: Context) -> None:
    """Fails for a use of the legacy default stream, which would depend on blocking streams under capture."""
    found = blocking(context)
    refuse(found, Result.STREAM_CAPTURE_IMPLICIT, "the legacy default stream would depend on a stream that is captured")


def require_usable(stream: Stream) -> None:
    """Fails if a stream is the legacy default one, which may not be used now."""
    if UNDERWAY and stream.queue.legacy:
        require_no_blocking_capture(stream.context)


def blocking(context: Context) -> list[Capture]:
    """Captures of streams that the legacy default stream of a context waits for."""
    return [capture for capture in UNDERWAY if any(s.queue.blocking and s.context is context for s in capture.after)]


def refuse(captures: list[Capture], result: Result, why: str) -> None:
    """Fails, and invalidates the captures, if there are any."""
    for capture in captures:
        capture.valid = False
    if captures:
        raise Failure(result, why)


@initialized("cuThreadExchangeStreamCaptureMode")
def exchange_mode(mode: int) -> None:
    thread = threading.get_ident()
    wanted = get(mode, ctypes.c_int)
    if not GLOBAL <= wanted <= RELAXED:
        raise invalid(f"mode {wanted} of a thread's captures")
    put_int(mode, _modes.get(thread, GLOBAL))
    if wanted == GLOBAL:
        _modes.pop(thread, None)
    else:
        _modes[thread] = wanted
