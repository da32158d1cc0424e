"""Words of memory that streams write and wait for, and attributes of streams."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from openptx.driver.arrays import read, write
from openptx.driver.calls import Failure, in_context
from openptx.driver.contexts import Context
from openptx.driver.places import of_either
from openptx.driver.results import Result
from openptx.driver.streams import stream_of, submit

ATTRIBUTE = 64
"""Bytes of a CUstreamAttrValue."""
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


def require(address: int, value: int, flags: int, kind: Any) -> None:
    """Goes on where the word is as it should be. It could wait for another thread of the host only."""
    size = ctypes.sizeof(kind)
    word = kind.from_address(of_either(address, size, "read")).value
    if not COMPARISONS[flags & KIND](word, value, 8 * size):
        why = f"a stream that waits for the word at 0x{address:x}, which is {word} and not as {value} demands"
        raise Failure(Result.NOT_SUPPORTED, why)


@in_context("cuStreamWriteValue32", "cuStreamWriteValue32_v2")
def write_32(context: Context, handle: int, address: int, value: int, flags: int) -> None:
    submit(context, handle, "memory", store, address, value, ctypes.c_uint32)


@in_context("cuStreamWriteValue64", "cuStreamWriteValue64_v2")
def write_64(context: Context, handle: int, address: int, value: int, flags: int) -> None:
    submit(context, handle, "memory", store, address, value, ctypes.c_uint64)


@in_context("cuStreamWaitValue32", "cuStreamWaitValue32_v2")
def wait_32(context: Context, handle: int, address: int, value: int, flags: int) -> None:
    submit(context, handle, "memory", require, address, value, flags, ctypes.c_uint32)


@in_context("cuStreamWaitValue64", "cuStreamWaitValue64_v2")
def wait_64(context: Context, handle: int, address: int, value: int, flags: int) -> None:
    submit(context, handle, "memory", require, address, value, flags, ctypes.c_uint64)


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
