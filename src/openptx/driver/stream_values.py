"""Words of memory that streams write and wait for, and attributes of streams."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from openptx.driver.arrays import read, write
from openptx.driver.calls import Failure, counted, in_context
from openptx.driver.contexts import Context
from openptx.driver.places import of_either
from openptx.driver.queues import Ready
from openptx.driver.results import Result
from openptx.driver.streams import stream_of, submit

ATTRIBUTE = 64
"""Bytes of a CUstreamAttrValue."""
FLUSH, BARRIER = 3, 6
"""Of CUstreamBatchMemOpType."""
OPERATION = struct.Struct("<i4xQQI20x")
"""CUstreamBatchMemOpParams: what is done, the address, the value and flags."""
MOST = 256
"""Operations in a call."""
KIND = 3
"""Of the flags of CUstreamWaitValue: how the word and the value are compared. The others are about flushes."""


def difference(word: int, value: int, bits: int) -> bool:
    """Whether the word is not before the value, where numbers of so many bits begin again at 0."""
    return (word - value) & (1 << bits) - 1 < 1 << bits - 1


COMPARISONS: tuple[Callable[[int, int, int], bool], ...] = (
    difference,
    lambda word, value, bits: word == value,
    lambda word, value, bits: word & value != 0,
    lambda word, value, bits: ~(word | value) & (1 << bits) - 1 != 0,
)
"""CU_STREAM_WAIT_VALUE_GEQ, EQ, AND, NOR."""


def store(address: int, value: int, kind: Any) -> None:
    kind.from_address(of_either(address, ctypes.sizeof(kind), "write")).value = value


def is_come(address: int, value: int, flags: int, kind: Any) -> bool:
    """Whether the word is as the value demands."""
    size = ctypes.sizeof(kind)
    word = kind.from_address(of_either(address, size, "read")).value
    return COMPARISONS[flags & KIND](word, value, 8 * size)


def until(address: int, value: int, flags: int, kind: Any) -> Iterator[Ready]:
    """In a graph: what a node waits for."""
    yield partial(is_come, address, value, flags, kind)


def wait(context: Context, handle: int, address: int, value: int, flags: int, kind: Any) -> None:
    """The stream goes on when the word is as it should be, which the host or another stream may bring about."""
    of_either(address, ctypes.sizeof(kind), "read")
    if address % ctypes.sizeof(kind):
        raise Failure(Result.INVALID_VALUE, f"a word of {ctypes.sizeof(kind)} bytes at 0x{address:x}")
    stream = stream_of(context, handle)
    if stream.capture is not None:
        submit(context, handle, "memory", until, address, value, flags, kind)
    else:
        stream.queue.run(nothing, ready=partial(is_come, address, value, flags, kind))


def nothing() -> None:
    """What a stream does that has waited."""


def write_word(context: Context, handle: int, address: int, value: int, flags: int, kind: Any) -> None:
    of_either(address, ctypes.sizeof(kind), "write")
    submit(context, handle, "memory", store, address, value, kind)


@in_context("cuStreamWriteValue32", "cuStreamWriteValue32_v2")
def write_32(context: Context, handle: int, address: int, value: int, flags: int) -> None:
    write_word(context, handle, address, value, flags, ctypes.c_uint32)


@in_context("cuStreamWriteValue64", "cuStreamWriteValue64_v2")
def write_64(context: Context, handle: int, address: int, value: int, flags: int) -> None:
    write_word(context, handle, address, value, flags, ctypes.c_uint64)


@in_context("cuStreamWaitValue32", "cuStreamWaitValue32_v2")
def wait_32(context: Context, handle: int, address: int, value: int, flags: int) -> None:
    wait(context, handle, address, value, flags, ctypes.c_uint32)


@in_context("cuStreamWaitValue64", "cuStreamWaitValue64_v2")
def wait_64(context: Context, handle: int, address: int, value: int, flags: int) -> None:
    wait(context, handle, address, value, flags, ctypes.c_uint64)


WORDS = {
    1: (wait, ctypes.c_uint32), 2: (write_word, ctypes.c_uint32),
    4: (wait, ctypes.c_uint64), 5: (write_word, ctypes.c_uint64),
}  # fmt: skip
"""By the CUstreamBatchMemOpType."""


@in_context("cuStreamSetAttribute")
def set_attribute(context: Context, handle: int, number: int, value: int) -> None:
    """They are remembered. All are about speed."""
    stream_of(context, handle).attributes[number] = read(value, ATTRIBUTE)


@in_context("cuStreamGetAttribute")
def get_attribute(context: Context, handle: int, number: int, out: int) -> None:
    write(out, stream_of(context, handle).attributes.get(number, bytes(ATTRIBUTE)))


@in_context("cuStreamCopyAttributes")
def copy_attributes(context: Context, target: int, source: int) -> None:
    stream_of(context, target).attributes = dict(stream_of(context, source).attributes)


@in_context("cuStreamBatchMemOp", "cuStreamBatchMemOp_v2")
def batch(context: Context, handle: int, count: int, operations: int, flags: int) -> None:
    """One after the other. Nothing is to be flushed, and all that was written before a barrier is there."""
    if flags:
        raise Failure(Result.INVALID_VALUE, f"flags {flags} of operations on memory")
    given = [
        OPERATION.unpack(read(operations + OPERATION.size * i, OPERATION.size))
        for i in counted(count, "operations", MOST)
    ]
    if unknown := {one[0] for one in given} - {*WORDS, FLUSH, BARRIER}:
        raise Failure(Result.INVALID_VALUE, f"operations {unknown} on memory")
    for operation, address, value, how in given:
        if operation in WORDS:
            act, kind = WORDS[operation]
            act(context, handle, address, value & (1 << 8 * ctypes.sizeof(kind)) - 1, how, kind)
