"""Copies between the host, device memory and arrays: all of them are done when the call returns, or captured."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from openptx.driver.calls import Failure, counted, get, in_context, put_size
from openptx.driver.devices.contexts import Context
from openptx.driver.memory.ownership import owned_at
from openptx.driver.memory.places import of_device, of_either, of_host
from openptx.driver.results import Result
from openptx.driver.streams.objects import stream_of
from openptx.driver.streams.queues import Queue, settle
from openptx.driver.streams.stream import submit

Place = Callable[[int, int, str], int]


def move(target: int, to: Place, source: int, of: Place, size: int) -> None:
    """Copies bytes; the ranges may overlap."""
    written, read = to(target, size, "write"), of(source, size, "read")
    if size:
        ctypes.memmove(written, read, size)


def asynchronous(context: Context, stream: int, target: int, to: Place, source: int, of: Place, size: int) -> None:
    """A copy from or to pageable memory waits for the stream, like CUDA's: the host may use the memory afterwards."""
    if Queue.stalled and (owned_at(target) is None or owned_at(source) is None):
        settle([stream_of(context, stream).queue], "a copy of pageable memory")
    submit(context, stream, "copy", move, target, to, source, of, size)


def declare(symbol: str, symbol_of_async: str, to: Place, of: Place) -> None:
    """Declares the entry points for copies in one direction."""

    def copy(context: Context, target: int, source: int, size: int) -> None:
        move(target, to, source, of, size)

    def copy_async(context: Context, target: int, source: int, size: int, stream: int) -> None:
        asynchronous(context, stream, target, to, source, of, size)

    in_context(symbol)(copy)
    in_context(symbol_of_async)(copy_async)


declare("cuMemcpy", "cuMemcpyAsync", of_either, of_either)
declare("cuMemcpyHtoD_v2", "cuMemcpyHtoDAsync_v2", of_device, of_host)
declare("cuMemcpyDtoH_v2", "cuMemcpyDtoHAsync_v2", of_host, of_device)
declare("cuMemcpyDtoD_v2", "cuMemcpyDtoDAsync_v2", of_device, of_device)


@in_context("cuMemcpyPeer")
def to_peer(context: Context, target: int, to: int, source: int, of: int, size: int) -> None:
    require_contexts(to, of)
    move(target, of_device, source, of_device, size)


@in_context("cuMemcpyPeerAsync")
def to_peer_async(context: Context, target: int, to: int, source: int, of: int, size: int, stream: int) -> None:
    require_contexts(to, of)
    asynchronous(context, stream, target, of_device, source, of_device, size)


@in_context("cuMemcpyBatchAsync", "cuMemcpyBatchAsync_v2")
def batch(
    context: Context, targets: int, sources: int, sizes: int, count: int, attributes: int, indices: int, kinds: int,
    *wrong_and_stream: int,
) -> None:  # fmt: skip
    """Copies one after another. Attributes concern the order, which is strict here, and locations. The second version
    does not report which copy is wrong."""
    wrong, stream = (0, *wrong_and_stream)[-2:]
    for i in counted(count, "copies"):
        put_size(wrong, i)
        target, source, size = (get(array + 8 * i) for array in (targets, sources, sizes))
        asynchronous(context, stream, target, of_either, source, of_either, size)
    put_size(wrong, (1 << 64) - 1)  # none


def require_contexts(*handles: int) -> None:
    if not all(handles):
        raise Failure(Result.INVALID_CONTEXT, "a context of a copy between peers is null")
