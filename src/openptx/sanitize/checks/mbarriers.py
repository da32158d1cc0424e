"""mbarriers (9.7.13.15): the knowledge that each phase passes on to waiting threads, and misuse."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from openptx.array_types import Array
from openptx.control_flow import BARRIERS
from openptx.engines.common.mbarrier_text import EARLY, expected_arrivals, progress
from openptx.errors import Triple
from openptx.isa.semantics.mbarrier import BYTES, COUNT, PHASE, TX
from openptx.program import Function, Op
from openptx.sanitize.consequences import position, reaches
from openptx.sanitize.executing import Executing
from openptx.sanitize.findings import Finding
from openptx.sanitize.races.clocks import Clocks
from openptx.sanitize.races.last_waits import LastWaits
from openptx.sanitize.races.weak_barriers import WeakBarriers
from openptx.sanitize.reporter import Reporter

Key = tuple[int, int]
"""The first thread of the batch that the mbarrier belongs to, and its offset in shared memory."""

MOST_BYTES = (1 << 20) - 1
"""The range of the tx-count, up and down."""

MISUSES = {
    "uninitialized": "an mbarrier is used that `mbarrier.init` has not initialized",
    "overwritten": "an mbarrier is used that a store has overwritten",
    "invalidated": "an mbarrier is used after `mbarrier.inval`",
    "completes": "`mbarrier.arrive.noComplete` completes a phase",
    "too many arrivals": "an mbarrier gets more arrivals in a phase than it expects",
    "early arrival": "an arrival at an mbarrier before a wait has seen its last phase complete",
    "too many bytes": "the tx-count of an mbarrier leaves its range of -1048575 to 1048575",
    "initialized twice": "`mbarrier.init` of an mbarrier that is in use: `mbarrier.inval` must come before",
}

HELP = {
    "overwritten": "`mbarrier.inval`, and a barrier of the block, come before its memory is used for something else",
    "initialized twice": "initialize it once, before the loop, or `mbarrier.inval` it before",
    "uninitialized": "let one thread execute `mbarrier.init`, and the others wait at a barrier of the block for it",
    "invalidated": "let all threads that use it meet at a barrier before `mbarrier.inval`",
    "too many arrivals": "count all arrivals of a phase in `mbarrier.init`",
    "early arrival": EARLY,
}

UNSEEN = "is complete, and no `test_wait` or `try_wait` has returned true for it"


@dataclass(slots=True)
class Mbarrier:
    """`gathered` is the knowledge from arrivals of this phase, `handed` that of the last completed phase; `weak` and
    `weak_handed` are what relaxed arrivals would add.

    `seen`: a wait has seen that phase complete, as it must before the next arrival (9.7.13.15.4). `early`: an arrival
    before that is reported.
    """

    phases: int = 0
    seen: bool = True
    early: bool = False
    gathered: int = 0
    handed: int = 0
    weak: int = 0
    weak_handed: int = 0
    forced: bool = False


@dataclass(frozen=True, slots=True)
class Waiting:
    """A thread that waits for a phase that is not complete."""

    op: Op
    thread: int


class Mbarriers:
    """All mbarriers of a launch."""

    def __init__(
        self, clocks: Clocks, reporter: Reporter, executing: Executing, last_waits: LastWaits, weak: WeakBarriers
    ) -> None:
        self.clocks, self.reporter, self.executing, self.last_waits = clocks, reporter, executing, last_waits
        self.weak = weak
        self.known: dict[Key, Mbarrier] = {}
        clocks.views.holders.append(
            lambda: [v for m in self.known.values() for v in (m.gathered, m.handed, m.weak, m.weak_handed)]
        )
        self.waiting: dict[Key, Waiting] = {}
        self.words: dict[Key, int] = {}
        self.changed_by: dict[Key, tuple[Op, int]] = {}
        self.overwritten: dict[Key, tuple[Op, int]] = {}
        """Mbarriers that an ordinary store has overwritten, with the statement and the thread."""
        self.invalidated: dict[Key, tuple[Op, int]] = {}

    def end(self, first: int) -> None:
        """The threads of the batch that begins with this one have exited."""
        for table in (self.known, self.waiting, self.words, self.changed_by, self.overwritten, self.invalidated):
            for key in [key for key in table if key[0] == first]:
                del table[key]

    def report(
        self, what: str, index: int, fact: str, cause: tuple[Op, int] | None = None, mbarrier: Key | None = None
    ) -> None:
        """Reports misuse by the current instruction: one of MISUSES, by the executing thread of this index."""
        x = self.executing.batch.x
        other, other_thread = cause or (None, None)
        self.reporter.report(
            ("mbarrier", what, x.op), "mbarrier-misuse", MISUSES[what], x.op, int(x.threads()[index]),
            other=other, other_thread=other_thread, other_label=f"{what} here",
            notes=(f"why: {fact}",) if fact else (), help=HELP.get(what),
        )  # fmt: skip
        if mbarrier is not None and (finding := self.reporter.collector.get(("mbarrier", what, x.op))) is not None:
            finding.mbarriers.add(mbarrier)
            if what == "early arrival" and finding.leads_to is None:
                finding.leads_to = partial(lacks_the_wait, self.reporter.calls.functions()[x.op], x.op, finding.block)

    def initialize(self, keys: list[Key], words: Array) -> None:
        for i, key in enumerate(keys):
            if key in self.known:
                self.report("initialized twice", i, self.state(key))
            self.known[key] = Mbarrier()
            self.words[key] = int(np.broadcast_to(words, len(keys))[i])
            self.overwritten.pop(key, None)
            self.invalidated.pop(key, None)

    def overwrite(self, key: Key, op: Op, thread: int) -> None:
        """An ordinary store to the 8 bytes at an address: an mbarrier there is no longer valid."""
        if self.known.pop(key, None) is not None:
            self.overwritten[key] = op, thread

    def missing(self, key: Key, index: int) -> None:
        """The object used as an mbarrier is not one."""
        for what, causes in (("overwritten", self.overwritten), ("invalidated", self.invalidated)):
            if key in causes:
                self.report(what, index, "", causes.pop(key))
                return
        self.report("uninitialized", index, "")

    def invalidate(self, keys: list[Key]) -> None:
        x = self.executing.batch.x
        for i, key in enumerate(keys):
            if self.known.pop(key, None) is None:
                self.missing(key, i)
            self.words.pop(key, None)
            self.invalidated[key] = x.op, int(x.threads()[i])

    def change(
        self, keys: list[Key], threads: Array, old: Array, new: Array, arrivals: Array, releases: bool,
        extra: list[int], op: Op,
    ) -> None:  # fmt: skip
        """Arrivals and transactions, lane by lane. `extra` has for each the view of completed copies, 0 for none."""
        begin = 0
        flips = (old ^ new) >> np.uint64(PHASE)
        pending = (old & np.uint64(COUNT)).astype(np.int64)
        many = np.flatnonzero(arrivals > pending)
        for i, key in enumerate(keys):
            if key not in self.known:
                self.missing(key, i)
                self.known[key] = Mbarrier()
            self.words[key] = int(new[i])
            self.changed_by[key] = op, int(threads[i])
        for i in map(int, many[:1]):
            expected = expected_arrivals(int(old[i]))
            fact = f"it expects {expected}, {int(pending[i])} were pending"
            self.report("too many arrivals", i, fact, mbarrier=keys[i])
        tx = (new >> np.uint64(BYTES) & np.uint64(TX)).astype(np.int64)
        for i in np.flatnonzero(np.minimum(tx, TX + 1 - tx) > MOST_BYTES)[:1].tolist():
            self.report("too many bytes", i, f"it becomes {tx[i] if tx[i] <= TX >> 1 else tx[i] - TX - 1}")
        if op.m.values.get("noComplete") and flips.any():
            self.report("completes", int(np.flatnonzero(flips)[0]), "`.noComplete` must not complete one")
        self.count_phases(keys, flips, arrivals)
        for i, key in enumerate(keys):
            last = i + 1 == len(keys) or keys[i + 1] != key
            if last or flips[i]:
                some, barrier = slice(begin, i + 1), self.known[key]
                arriving = arrivals[some] > 0
                if not barrier.seen and not barrier.early and arriving.any():
                    barrier.early = True  # and later phases follow from it
                    fact, which = f"phase {barrier.phases - 1} {UNSEEN}", begin + int(arriving.argmax())
                    self.report("early arrival", which, fact, mbarrier=key)
                begin = i + 1
                self.hand_over(barrier, threads[some][arriving], releases, extra[some], op)
                if flips[i]:
                    barrier.handed, barrier.gathered, barrier.phases = barrier.gathered, 0, barrier.phases + 1
                    barrier.weak_handed, barrier.weak = barrier.weak, 0
                    barrier.seen = False

    def count_phases(self, keys: list[Key], flips: Array, arrivals: Array) -> None:
        """Threads that arrive together belong to one phase."""
        through: list[tuple[Key, int]] = [(keys[i], i) for i in np.flatnonzero(flips & (arrivals > 0)).tolist()]
        for (key, _), (other, i) in pairwise(through):
            if key == other:
                fact = "arrivals by one instruction complete more than one phase"
                self.report("too many arrivals", i, fact, mbarrier=key)
                return

    def hand_over(self, barrier: Mbarrier, threads: Array, releases: bool, extra: list[int], op: Op) -> None:
        views = self.clocks.views
        if releases and threads.size:
            barrier.gathered = views.join(barrier.gathered, self.clocks.released(np.unique(threads)))
        elif threads.size and op.m.values.get("sem") == "relaxed":
            would = self.weak.relaxes(np.unique(threads), self.reporter.statement(op))
            barrier.weak = views.join(barrier.weak, would)
        for view in set(extra):
            barrier.gathered = views.join(barrier.gathered, view)

    def wait(self, keys: list[Key], threads: Array, done: Array, acquires: bool, op: Op) -> None:
        """Waits of `threads` for the mbarriers `keys`; `done` are those whose phase is complete."""
        places: dict[Key, list[int]] = {}
        for i, key in enumerate(keys):
            places.setdefault(key, []).append(i)
        for key, mine in places.items():
            if key not in self.known:
                self.missing(key, mine[0])
                self.known[key] = Mbarrier()
            waiting, complete = threads[mine], done[mine]
            through, left = waiting[complete], waiting[~complete]
            barrier = self.known[key]
            barrier.seen |= through.size > 0
            if through.size:
                self.last_waits.ended(through, self.reporter.statement(op))
            if through.size and acquires and not barrier.forced:
                self.clocks.learn(np.unique(through), barrier.handed)
            elif through.size and op.m.values.get("sem") == "relaxed":
                self.weak.relaxes(np.unique(through), self.reporter.statement(op))
                self.weak.would_learn(np.unique(through), barrier.handed)
            if through.size:
                self.weak.would_learn(np.unique(through), barrier.weak_handed)
            if left.size:
                self.waiting[key] = Waiting(op, int(left[0]))
            else:
                self.waiting.pop(key, None)

    def state(self, key: Key) -> str:
        """A description of what an mbarrier waits for."""
        return f"phase {self.known[key].phases} of the mbarrier is not complete: {progress(self.words.get(key, 0))}"


def lacks_the_wait(function: Function, arrival: Op, block: Triple | None, other: Finding) -> bool:
    """Whether a finding is a race in a block or cluster, of an access by `block` in the same steps of a pipeline as
    an arrival: the wait that lacks before the arrival lacks before the access."""
    if other.race is None or not 0 <= other.race.apart <= 2:
        return False
    accesses = [site for site in (other.site, other.other) if site is not None and site.block == block]
    ops = [function.code[at] for site in accesses if (at := position(function, site.span)) is not None]
    return any(reaches(function, *pair, BARRIERS) for op in ops for pair in ((op, arrival), (arrival, op)))
