"""Words of memory that streams write and wait for, and attributes of streams."""

from __future__ import annotations

import struct

from openptx.driver.calls import in_context, invalid, read, write
from openptx.driver.devices.contexts import Context
from openptx.driver.memory.word_operations import WAIT_32, WAIT_64, WRITE_32, WRITE_64, Batch, Operation, read_batch
from openptx.driver.streams.objects import Stream
from openptx.driver.streams.stream import submit

ATTRIBUTE = 64
"""Bytes of a CUstreamAttrValue."""


def do(context: Context, handle: int, batch: Batch) -> None:
    """Submits operations. The stream continues when words that the host or other streams write satisfy the
    conditions."""
    submit(context, handle, "memory", batch.run)


def declare(symbol: str, what: int) -> None:
    """Declares the entry points of an operation on one word."""

    def do_one(context: Context, handle: int, address: int, value: int, flags: int) -> None:
        do(context, handle, Batch.of(Operation(what, address, value, flags).require_possible()))

    in_context(symbol, f"{symbol}_v2")(do_one)


declare("cuStreamWriteValue32", WRITE_32)
declare("cuStreamWriteValue64", WRITE_64)
declare("cuStreamWaitValue32", WAIT_32)
declare("cuStreamWaitValue64", WAIT_64)


PRIORITY = 8
INITIAL = {1: b"", 3: b"\1", PRIORITY: b"", 9: b"\0\1", 10: b"", 16: b""}
"""The initial values of CUstreamAttrID, up to their last byte that is not zero: the automatic CU_SYNC_POLICY_AUTO is 1,
and memory synchronization domains are mapped to themselves."""


def require_attribute(number: int) -> None:
    if number not in INITIAL:
        raise invalid(f"streams have no attribute {number}")


@in_context("cuStreamSetAttribute")
def set_attribute(context: Context, stream: Stream, number: int, value: int) -> None:
    """Attributes are only stored: all concern speed."""
    require_attribute(number)
    stream.attributes[number] = read(value, ATTRIBUTE)


@in_context("cuStreamGetAttribute")
def get_attribute(context: Context, stream: Stream, number: int, out: int) -> None:
    require_attribute(number)
    initial = struct.pack("<i", stream.priority) if number == PRIORITY else INITIAL[number]
    write(out, stream.attributes.get(number, initial.ljust(ATTRIBUTE, b"\0")))


@in_context("cuStreamCopyAttributes")
def copy_attributes(context: Context, target: Stream, source: Stream) -> None:
    target.attributes = dict(source.attributes)


@in_context("cuStreamBatchMemOp", "cuStreamBatchMemOp_v2")
def batch(context: Context, handle: int, count: int, operations: int, flags: int) -> None:
    do(context, handle, read_batch(count, operations, flags))
