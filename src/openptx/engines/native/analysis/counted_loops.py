"""The loops of a kernel that count their iterations, because they may be waiting for other threads."""

from __future__ import annotations

from typing import NamedTuple

from openptx.engines.native.analysis.call_graph import FunctionFacts
from openptx.engines.native.analysis.possible_waits import Called, Progress, possible_waits
from openptx.engines.native.analysis.spin_loops import (
    advances,
    is_of_cta,
    loops_with_calls,
    spins,
    waiting_loops,
)
from openptx.engines.native.analysis.unsupported import UnsupportedByJit

WAITS = 1 << 12
"""What an iteration counts for in a loop that may be waiting; 1 if it most likely is not (`advances`)."""

APART = 1 << 13
"""The iterations between which a loop around atomics or strong loads must have changed something."""

LOCKED = 16
"""The tests in a row that find no change where other workers may end the wait, one of which may just not be running."""

MOST_TESTS = (1 << 12) - 1
"""The number of tests after which a loop around atomics or strong loads is taken to wait: its registers may change
while it does, as when it looks for work at one place after another."""

FUTILE = WAITS << 11
"""The same in a loop that only threads can end which do not run meanwhile: those of the CTA, or all if there is one
worker. Few of them are needed: lanes of the warp may release each other, one in each."""


class CountedLoop(NamedTuple):
    """A loop whose iterations are counted, because it may be waiting for other threads."""

    weight: int
    """The number of iterations that each one counts for."""
    unchanged: frozenset[int] | None = None
    """Registers (cells) that stay the same at its header while it waits, which is tested after many iterations; None:
    it is taken to wait then."""
    apart: int = 1
    """How many iterations lie between the two that such a test compares."""
    futile: int = 1
    """The number of tests in a row that find no change after which it is taken to wait."""
    tests: int = 0
    """The number of tests after which it is taken to wait whatever they found; 0: it is not."""


def counted_loops(functions: list[FunctionFacts]) -> list[dict[int, CountedLoop]]:
    """For each function the loops whose iterations are counted, by their headers.

    After many iterations the interpreter takes over, which is impossible within a call. Raises UnsupportedByJit if that
    may be needed.
    """
    kernel, *others = functions
    calls_wait = any(f.has_strong(f.facts.touches) for f in others) and any(
        loops_with_calls(f.c.graph) for f in functions
    )
    if calls_wait and any(loops_with_calls(f.c.graph) for f in others):
        raise UnsupportedByJit("a loop with calls of functions that may wait for other threads, in a function")
    called = Called(any(f.facts.touches for f in others), any(f.stores for f in others))
    for f in others:
        refuse_waits(f, called)
    if kernel.c.options.deoptimize_after:
        return [dict.fromkeys(kernel.c.headers, CountedLoop(1)), *({} for _ in others)]
    counted = marked_waits(kernel, loops_with_calls(kernel.c.graph) if calls_wait else [])
    for wait in possible_waits(kernel.c.graph, kernel.facts.touches, counted, called):
        tested = not kernel.c.version
        weight = WAITS if tested and not wait.evolves else 1
        counted[wait.header] = CountedLoop(weight, wait.cells if tested else None)
    return [counted, *({} for _ in others)]


def refuse_waits(f: FunctionFacts, called: Called) -> None:
    """Raises UnsupportedByJit if a function has a loop that may wait. Nothing can test there whether it does, so those
    of `possible_waits` count only if no register would tell that they go on."""
    code, graph = f.c.function.code, f.c.graph
    places = [pc for pc, _ in waiting_loops(graph, f.facts.touches)]
    places += [
        graph.blocks[wait.header].start
        for wait in possible_waits(graph, f.facts.touches, (), called)
        if not wait.evolves and not wait.cells
    ]
    for pc in places:
        raise UnsupportedByJit(f"a loop that may wait for other threads, at `{code[pc].text}`")


def marked_waits(f: FunctionFacts, with_calls: list[frozenset[int]]) -> dict[int, CountedLoop]:
    """The loops around atomics and strong loads, or around calls of functions that have some, and those of weak loads
    that nothing else could end."""
    c, touches = f.c, f.facts.touches
    waiting = [loop for _, loop in waiting_loops(c.graph, touches)]
    steady = frozenset[int]().union(*with_calls, *(loop for loop in waiting if not advances(c.graph, touches, loop)))
    loops = frozenset[int]().union(*waiting, *with_calls)
    weights = {b: WAITS if b in steady else 1 for b in c.headers & loops}
    for loop in waiting:
        is_alone = not c.options.locked or is_of_cta(c.graph, touches, loop)
        if is_alone and spins(c.graph, touches, loop):
            weights[min(loop)] = FUTILE
    counted = {header: CountedLoop(weight) for header, weight in weights.items()}
    if c.version:
        return counted
    for loop in waiting:
        tested = [b for b in loop if weights.get(b) == WAITS and not any(b in each for each in with_calls)]
        progress = Progress(c.graph, loop)
        for header in tested:
            counted[header] = CountedLoop(
                WAITS, progress.at(header), APART, LOCKED if c.options.locked else 1, MOST_TESTS
            )
    return counted
