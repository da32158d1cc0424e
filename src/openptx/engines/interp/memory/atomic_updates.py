"""Updates of words that several lanes address: each lane sees the word as the lanes before it left it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from openptx.array_types import Array
from openptx.engines.interp.geometry import lazy
from openptx.isa.semantics import atomic_ops, mbarrier
from openptx.numerics.reductions import all_set, largest, where_set

if TYPE_CHECKING:
    from openptx.isa.machine import Update

WordUpdate = Callable[[int, list[list[int]]], tuple[list[int], int]]
"""The old value that each lane of one word sees, and the final one, from the word and the columns of operands."""


@dataclass(frozen=True, slots=True)
class Scan:
    """An associative operation, on words as signed or unsigned integers; without a function the last operand."""

    function: np.ufunc | None
    signed: bool = False

    def combined(self, a: Array, b: Array) -> Array:
        if self.function is None:
            return b
        if self.signed:
            return self.function(a.view(f"i{a.itemsize}"), b.view(f"i{b.itemsize}")).view(a.dtype)
        return self.function(a, b)

    def accumulated(self, a: Array) -> Array:
        """Each element combined with all before it."""
        if self.function is None:
            return a
        numbers = a.view(f"i{a.itemsize}") if self.signed else a
        return self.function.accumulate(numbers, dtype=numbers.dtype).view(a.dtype)


SCANS: dict[object, Scan] = {
    atomic_ops.add: Scan(np.add),
    atomic_ops.exchange: Scan(None),
    atomic_ops.bit_and: Scan(np.bitwise_and),
    atomic_ops.bit_or: Scan(np.bitwise_or),
    atomic_ops.bit_xor: Scan(np.bitwise_xor),
    atomic_ops.min_signed: Scan(np.minimum, True),
    atomic_ops.max_signed: Scan(np.maximum, True),
    atomic_ops.min_unsigned: Scan(np.minimum),
    atomic_ops.max_unsigned: Scan(np.maximum),
}
"""Operations that can be combined before memory is read: a scan over the lanes of each word gives every old value."""


def _count_up(old: int, b: int) -> int:
    return 0 if old >= b else old + 1


def _count_down(old: int, b: int) -> int:
    return b if old == 0 or old > b else old - 1


def _mbarrier(old: int, arrivals: int, dropped: int, tx: int) -> int:
    """`mbarrier.change`, whose forty array operations cost as much for one lane as for thirty."""
    v1 = old >> mbarrier.LAYOUT & 1
    counts = mbarrier.COUNT_V1 if v1 else mbarrier.COUNT
    bytes_left = (old >> mbarrier.BYTES) + tx & mbarrier.TX
    expected = (old >> mbarrier.EXPECTED) - dropped & counts
    pending = old - arrivals & counts
    kept = old & (1 << mbarrier.PHASE | 1 << mbarrier.LAYOUT)
    flags = old & _FLAGS if v1 else 0
    if not pending and not bytes_left:
        pending = expected
        kept ^= 1 << mbarrier.PHASE
        if v1:
            reported = flags >> mbarrier.REPORT & 1
            flags = flags & 1 << mbarrier.CONDITIONAL ^ (reported ^ 1) << mbarrier.CONDITIONAL
            flags |= reported << mbarrier.REPORTED
    return kept | bytes_left << mbarrier.BYTES | expected << mbarrier.EXPECTED | pending | flags


def _mbarrier_report(old: int, arrivals: int, dropped: int, tx: int) -> int:
    """`mbarrier.report_on`."""
    return _mbarrier(old | 1 << mbarrier.REPORT if old >> mbarrier.LAYOUT & 1 else old, arrivals, dropped, tx)


_FLAGS = 1 << mbarrier.CONDITIONAL | 1 << mbarrier.REPORT | 1 << mbarrier.REPORTED

STEPS: dict[object, Callable[..., int]] = {
    atomic_ops.increment: _count_up,
    atomic_ops.decrement: _count_down,
    mbarrier.change: _mbarrier,
    mbarrier.report_on: _mbarrier_report,
}
"""Operations on Python integers, for many lanes on few words."""

LONG = 16  # the number of lanes on one word from which a loop over lanes beats one over rounds
SWAPS = 4  # the number of changes of a word after which lanes are followed one by one
WIDE = 32  # the number of words from which a round of `mbarrier.change` on arrays beats a loop over words

_FIRST = np.zeros(1, np.intp)


class Queue:
    """The lanes of an atomic, sorted by the word that they address; `starts` and `ends` are each word's first and last
    lane."""

    def __init__(self, index: NDArray[np.int64], one_word: bool = False) -> None:
        """`one_word`: all lanes are known to address the same one."""
        self.order: NDArray[np.intp] | None = None
        """None if all lanes address one word, as those that wait for a lock."""
        if one_word or (index[0] == index[-1] and all_set(index == index[0])):
            self.index, self.longest, self.starts = index, index.size, _FIRST
            self.ends = _FIRST + (index.size - 1)
            return
        self.order = index.argsort(kind="stable")
        self.index = index[self.order]
        begins = np.ones(index.size, np.bool_)
        np.not_equal(self.index[1:], self.index[:-1], out=begins[1:])
        self.starts = where_set(begins)
        self.ends = np.empty_like(self.starts)
        self.ends[:-1], self.ends[-1] = self.starts[1:] - 1, index.size - 1
        self.longest = largest(self.ends - self.starts) + 1

    @lazy
    def group(self) -> NDArray[np.intp]:
        """The position of each lane's word among the words."""
        return np.arange(self.starts.size).repeat(self.ends - self.starts + 1)

    @lazy
    def rank(self) -> NDArray[np.intp]:
        """Each lane's position in its word's queue."""
        return np.arange(self.index.size) - self.starts[self.group]

    def unsorted(self, results: list[Array]) -> list[Array]:
        """Results in queue order, as lanes are numbered."""
        if self.order is None:
            return results
        found = [np.empty_like(v) for v in results]
        for whole, v in zip(found, results, strict=True):
            whole[self.order] = v
        return found


def updated(queue: Queue, words: Array, update: Update, values: list[Array]) -> Array | None:
    """Updates words, and returns the old value that each lane sees, in queue order; None, and no word has changed, if
    the operation is to be done in rounds. `values`: the operands in queue order."""
    operation = SCANS.get(update)
    if operation is not None and (queue.order is None or queue.longest > 1):
        targets = queue.index[queue.starts]
        combine = chain if queue.order is None else partial(scan, queue)
        found, words[targets] = combine(operation, values[0], words[targets])
        return found
    if update is atomic_ops.compare_and_swap and queue.order is None:
        return swap(words, queue.index.item(0), *values)
    word_update = WORD_UPDATES.get(update)
    if word_update is not None and goes_one_by_one(queue, update):
        return word_by_word(queue, words, word_update, values)
    return running_sums(queue, words, update, values)


def one_after_another(step: Callable[..., int], old: int, columns: list[list[int]]) -> tuple[list[int], int]:
    """The old value that each lane of one word sees, and the final one, of an operation on Python integers."""
    results = list[int]()
    for operands in zip(*columns, strict=True):
        results.append(old)
        old = step(old, *operands)
    return results, old


def swapped(old: int, columns: list[list[int]]) -> tuple[list[int], int]:
    """The old value that each lane of one word sees, and the final one, of `compare_and_swap`."""
    compared, new = columns
    results, at = list[int](), 0
    with suppress(ValueError):  # until no further lane compares with what the word holds
        while True:
            found = compared.index(old, at)
            results += [old] * (found + 1 - at)
            old, at = new[found], found + 1
    return results + [old] * (len(compared) - at), old


def swap(words: Array, index: int, compared: Array, new: Array) -> Array:
    """`compare_and_swap` of one word: the old value that each lane sees. Few of the lanes that wait for a lock change
    it, so the next one is searched for; many are followed one by one."""
    found, old, at = np.empty_like(compared), words[index], 0
    for _ in range(SWAPS):
        same = compared[at:] == old
        first = int(same.argmax())
        if not same[first]:
            found[at:] = words[index] = old
            return found
        found[at : at + first + 1] = old
        at += first + 1
        old = new[at - 1]
        if at == compared.size:
            words[index] = old
            return found
    found[at:], words[index] = swapped(int(old), [compared[at:].tolist(), new[at:].tolist()])
    return found


def chain(operation: Scan, values: Array, word: Array) -> tuple[Array, Array]:
    """The old value that each lane of one word sees, and the final one."""
    states = operation.accumulated(np.concatenate((word, values)))
    return states[:-1], states[-1:]


def scan(queue: Queue, operation: Scan, values: Array, words: Array) -> tuple[Array, Array]:
    """The old value that each lane sees, in queue order, and the final value of each word."""
    total = values.copy()
    step = 1
    while step < queue.longest:
        late = queue.rank >= step
        moved = np.zeros_like(total)
        moved[step:] = total[:-step]
        total = np.where(late, operation.combined(moved, total), total)
        step *= 2
    start = words[queue.group]
    found = start.copy()
    before = np.zeros_like(total)
    before[1:] = total[:-1]
    later = queue.rank > 0
    found[later] = operation.combined(start, before)[later]
    return found, operation.combined(words, total[queue.ends])


WORD_UPDATES: dict[object, WordUpdate] = {
    atomic_ops.compare_and_swap: swapped,
    **{update: partial(one_after_another, step) for update, step in STEPS.items()},
}


def goes_one_by_one(queue: Queue, update: Update) -> bool:
    """Whether a loop over the lanes, on Python integers, is faster than rounds on arrays."""
    return (
        queue.longest > LONG
        or queue.index.size == 1
        or (update in mbarrier.CHANGES and queue.index.size <= WIDE * queue.longest)
    )


def word_by_word(queue: Queue, words: Array, update: WordUpdate, values: list[Array]) -> Array:
    """Updates on Python integers."""
    found = np.empty(queue.index.size, words.dtype)
    columns = [v.tolist() for v in values]
    for start, end in zip(queue.starts.tolist(), queue.ends.tolist(), strict=True):
        index = queue.index[start]
        found[start : end + 1], words[index] = update(int(words[index]), [c[start : end + 1] for c in columns])
    return found


def running_sums(queue: Queue, words: Array, update: Update, values: list[Array]) -> Array | None:
    """Float additions on one word, lane by lane; None if NaN, infinities or subnormal numbers need special handling."""
    f = atomic_ops.FLOAT_SUMS.get(update)
    if f is None or f.name not in ("f32", "f64") or queue.longest <= LONG:
        return None
    real = np.dtype(f.name.replace("f", "float"))
    tiny = np.finfo(real).tiny
    found = np.empty(queue.index.size, words.dtype)
    final: list[Any] = []
    for start, end in zip(queue.starts.tolist(), queue.ends.tolist(), strict=True):
        terms = np.concatenate((words[queue.index[start : start + 1]], values[0][start : end + 1])).view(real)
        with np.errstate(all="ignore"):
            sums = np.add.accumulate(terms, dtype=real)  # in order, each sum rounded
        both = np.abs(np.concatenate((terms, sums)))
        if not (np.isfinite(both) & ((both >= tiny) | (both == 0))).all():
            return None
        found[start : end + 1] = sums[:-1].view(words.dtype)
        final.append(sums[-1])
    words[queue.index[queue.starts]] = np.array(final, real).view(words.dtype)
    return found
