"""Control flow with counts: the executed basic blocks of functions, and the threads on each edge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from openptx.control_flow import JUMPS, LEAVES, block_bounds, control, falls_through, targets

if TYPE_CHECKING:
    from openptx.profile.counters import Counters
    from openptx.program import Function, Op
    from openptx.source import Span


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge taken by `threads` from the end of a block: to the block number `to`, or None if they left the function.

    `kind` is branch, fall-through or leave.
    """

    kind: str
    to: int | None
    threads: int


@dataclass(frozen=True, slots=True)
class BasicBlock:
    """Instructions `start` to before `stop` of a function, executed together; `label` is their first label."""

    start: int
    stop: int
    label: str | None
    warps: int
    threads: int
    divergent: int
    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class FunctionFlow:
    """An executed function. `kind` is entry or func, `span` its text in the file."""

    name: str
    kind: str
    span: Span
    blocks: tuple[BasicBlock, ...]


def flow(
    function: Function, span: Span, counted: Mapping[Op, Counters], taken: Mapping[Op, Mapping[int, int]]
) -> FunctionFlow:
    """The control-flow graph of a function with its counts; `taken` has the threads of each branch by target
    position."""
    code, bounds = function.code, bounds_of(function)
    numbers = {start: i for i, (start, _) in enumerate(bounds)}
    labels: dict[int, str] = {}
    for name, pc in function.labels.items():
        labels.setdefault(pc, name)
    blocks: list[BasicBlock] = []
    for start, stop in bounds:
        first, last = counted.get(code[start]), counted.get(code[stop - 1])
        blocks.append(
            BasicBlock(
                start,
                stop,
                labels.get(start),
                first.warps if first else 0,
                first.threads if first else 0,
                last.divergent if last else 0,
                tuple(edges(code[stop - 1], stop, last, taken.get(code[stop - 1], {}), numbers)),
            )
        )
    return FunctionFlow(function.name, function.kind, span, tuple(blocks))


@lru_cache(maxsize=512)
def bounds_of(function: Function) -> list[tuple[int, int]]:
    """The basic blocks of a function, which is compared by identity. Barriers do not end one here, as they do for the
    engines: threads continue at the next instruction."""
    return block_bounds(function, (pc + 1 for pc, op in enumerate(function.code) if control(op) in JUMPS))


def edges(
    op: Op, stop: int, counters: Counters | None, taken: Mapping[int, int], numbers: Mapping[int, int]
) -> Iterator[Edge]:
    """The edges from a block whose last instruction is `op`; `stop` is the position after it."""
    kind = control(op)
    threads = counters.threads if counters else 0
    leaving = sum(taken.values())
    if kind in LEAVES:
        leaving = counters.active if counters else 0
        yield Edge("leave", None, leaving)
    elif kind in JUMPS:
        for pc in dict.fromkeys(targets(op)):
            yield leading("branch", pc, taken.get(pc, 0), numbers)
    if falls_through(op):
        yield leading("fall-through", stop, threads - leaving, numbers)


def leading(kind: str, pc: int, threads: int, numbers: Mapping[int, int]) -> Edge:
    """An edge to a position; one past the end of the code leaves the function."""
    return Edge(kind, numbers[pc], threads) if pc in numbers else Edge("leave", None, threads)
