"""Words of memory that streams write and wait for, and attributes of streams."""

from __future__ import annotations

from openptx.driver.calls import in_context, read, write
from openptx.driver.devices.contexts import Context
from openptx.driver.memory.word_operations import WAIT_32, WAIT_64, WRITE_32, WRITE_64, Batch, Operation, read_batch
from openptx.driver.streams.stream import Stream, submit

ATTRIBUTE = 64
"""Bytes of a CUstreamAttrValue."""


def do(context: Context, handle: int, batch: Batch) -> None:
    """Submits operations. The stream continues when words that the host or other streams write satisfy the
    conditions."""
    submit(context, handle, "memory", batch.run)


def do_one(context: Context, handle: int, what: int, address: int, value: int, flags: int) -> None:
    do(context, handle, Batch.of(Operation(what, address, value, flags).require_possible()))


@in_context("cuStreamWriteValue32", "cuStreamWriteValue32_v2")
def write_32(context: Context, handle: int, address: int, value: int, flags: int) -> None:
    do_one(context, handle, WRITE_32, address, value, flags)


@in_context("cuStreamWriteValue64", "cuStreamWriteValue64_v2")
def write_64(context: Context, handle: int, address: int, value: int, flags: int) -> None:
    do_one(context, handle, WRITE_64, address, value, flags)


@in_context("cuStreamWaitValue32", "cuStreamWaitValue32_v2")
def wait_32(context: Context, handle: int, address: int, value: int, flags: int) -> None:
    do_one(context, handle, WAIT_32, address, value, flags)


@in_context("cuStreamWaitValue64", "cuStreamWaitValue64_v2")
def wait_64(context: Context, handle: int, address: int, value: int, flags: int) -> None:
    do_one(context, handle, WAIT_64, address, value, flags)


@in_context("cuStreamSetAttribute")
def set_attribute(context: Context, stream: Stream, number: int, value: int) -> None:
    """Attributes are only stored: all concern speed."""
    stream.attributes[number] = read(value, ATTRIBUTE)


@in_context("cuStreamGetAttribute")
def get_attribute(context: Context, stream: Stream, number: int, out: int) -> None:
    write(out, stream.attributes.get(number, bytes(ATTRIBUTE)))


@in_context("cuStreamCopyAttributes")
def copy_attributes(context: Context, target: Stream, source: Stream) -> None:
    target.attributes = dict(source.attributes)


@in_context("cuStreamBatchMemOp", "cuStreamBatchMemOp_v2")
def batch(context: Context, handle: int, count: int, operations: int, flags: int) -> None:
    do(context, handle, read_batch(count, operations, flags))
