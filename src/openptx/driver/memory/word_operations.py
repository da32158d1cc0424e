"""Operations on words of memory by streams and graph nodes: waits and stores, several by one call."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from openptx.driver.calls import Failure, counted, invalid, read, require_flags
from openptx.driver.graphs.allocations import owned_by_graph
from openptx.driver.memory.places import of_either
from openptx.driver.results import Result
from openptx.driver.streams.queues import Ready

WAIT_32, WRITE_32, FLUSH, WAIT_64, WRITE_64, BARRIER, REDUCTION = 1, 2, 3, 4, 5, 6, 8
"""CUstreamBatchMemOpType."""
FIELDS = struct.Struct("<i4xQQI20x")
"""CUstreamBatchMemOpParams: the operation, the address, the value and flags."""
MOST = 256
"""The maximum number of operations in a call."""
COMPARISON, FLUSH_FIRST = 3, 1 << 30
"""Flags of CUstreamWaitValue: how the word and the value are compared, and a flush."""
NO_BARRIER = 1
"""Of CUstreamWriteValue_flags: earlier writes may become visible after the word. They never do here."""


def at_least(word: int, value: int, bits: int) -> bool:
    """Whether the word is at least the value, with wrap-around at this many bits."""
    return (word - value) & (1 << bits) - 1 < 1 << bits - 1


COMPARISONS: tuple[Callable[[int, int, int], bool], ...] = (
    at_least,
    lambda word, value, bits: word == value,
    lambda word, value, bits: word & value != 0,
    lambda word, value, bits: ~(word | value) & (1 << bits) - 1 != 0,
)
"""CU_STREAM_WAIT_VALUE_GEQ, EQ, AND, NOR."""


class Operation(NamedTuple):
    """One operation. Flushes and barriers have no word: all earlier writes are visible."""

    what: int
    address: int = 0
    value: int = 0
    flags: int = 0

    @property
    def kind(self) -> Any:
        """The type of the word."""
        return ctypes.c_uint32 if self.what in (WAIT_32, WRITE_32) else ctypes.c_uint64

    @property
    def waits(self) -> bool:
        return self.what in (WAIT_32, WAIT_64)

    def require_possible(self) -> Operation:
        """Fails for an invalid address, a misaligned word, and operations that CUDA does not have."""
        if self.what in (FLUSH, BARRIER):
            return self
        if self.what not in (WAIT_32, WRITE_32, WAIT_64, WRITE_64):
            result = Result.NOT_SUPPORTED if self.what == REDUCTION else Result.INVALID_VALUE
            raise Failure(result, f"operation {self.what} on memory")
        if self.flags & ~(COMPARISON | FLUSH_FIRST if self.waits else NO_BARRIER):
            raise invalid(f"flags {self.flags} of an operation on memory")
        size = ctypes.sizeof(self.kind)
        if owned_by_graph(self.address) is None:  # which will be accessible when the operation runs
            of_either(self.address, size, "read" if self.waits else "write")
        if self.address % size:
            raise invalid(f"a word of {size} bytes at 0x{self.address:x}")
        return self._replace(value=self.kind(self.value).value)

    def is_satisfied(self) -> bool:
        """Whether the word satisfies the condition of a wait."""
        size = ctypes.sizeof(self.kind)
        word = self.kind.from_address(of_either(self.address, size, "read")).value
        return COMPARISONS[self.flags & COMPARISON](word, self.value, 8 * size)

    def store(self) -> None:
        self.kind.from_address(of_either(self.address, ctypes.sizeof(self.kind), "write")).value = self.value


class Batch(NamedTuple):
    """Operations one after another, and the structures that described them."""

    operations: tuple[Operation, ...]
    description: bytes

    @staticmethod
    def of(*operations: Operation) -> Batch:
        return Batch(operations, b"".join(FIELDS.pack(*operation) for operation in operations))

    def run(self) -> Iterator[Ready]:
        """Yields the conditions that a stream or a node waits for."""
        for operation in self.operations:
            if operation.waits:
                yield operation.is_satisfied
            elif operation.what in (WRITE_32, WRITE_64):
                operation.store()

    def types(self) -> list[int]:
        return [operation.what for operation in self.operations]


def read_batch(count: int, pointer: int, flags: int) -> Batch:
    """The content of an array of CUstreamBatchMemOpParams. Fails for invalid operations."""
    require_flags(flags, 0, "operations on memory")
    counted(count, "operations", MOST)
    description = read(pointer, FIELDS.size * count) if count else b""
    operations = (Operation(*fields) for fields in FIELDS.iter_unpack(description))
    return Batch(tuple(operation.require_possible() for operation in operations), description)


def batch_of(run: Any) -> Batch:
    """The batch whose method `run` is the work of a node."""
    return run.__self__


def same_types(run: Any, other: Any) -> bool:
    """Whether two nodes have as many operations, of the same types, which must not change in executable graphs."""
    return batch_of(run).types() == batch_of(other).types()
