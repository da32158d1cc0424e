"""Reports of races: both accesses, why they are unordered, and the remedy."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from openptx.control_flow import BARRIERS
from openptx.device.shared_layout import shared_variables
from openptx.diagnostics.codes import code as find_code
from openptx.isa.address_windows import CTA_SHIFT, RANK_0
from openptx.isa.instructions import atomic, tensor_allocation
from openptx.isa.semantics.tensor_memory import COLUMNS
from openptx.program import Function, Op
from openptx.sanitize.consequences import addressed_by, reaches
from openptx.sanitize.executing import Executing
from openptx.sanitize.findings import Finding, Race, Site
from openptx.sanitize.races.clocks import Clocks
from openptx.sanitize.races.cures import ROLES, Cures, operation, sizes, strength
from openptx.sanitize.races.detector import Conflict
from openptx.sanitize.races.locks import Held
from openptx.sanitize.races.register_transfers import CTA_BYTES, WORD
from openptx.sanitize.races.shadow import PENDING, SCOPE, STATEMENT, UPDATE, VOLATILE, Shadow
from openptx.sanitize.races.teams import AGENT
from openptx.sanitize.reporter import Reporter
from openptx.sanitize.variables import DYNAMIC, shared_place

TRITON_SHARED = "global_smem"
"""Triton's name of shared memory. Warps that hold the same elements of a tensor store them to the same words there."""

SCOPE_NAMES = ("weak", ".cta", ".cluster", ".gpu")
APART = ("lanes", "warps", "blocks of a cluster", "blocks")
"""How far apart the two threads of a race are, from the nearest on."""

PARTITIONS = (
    "; if the two statements are to write different arrays, their parts of dynamic shared memory overlap: correct the"
    " offsets, in bytes or in elements"
)


def same_statement(c: Conflict) -> bool:
    return not (c.facts ^ c.other_facts) & STATEMENT


def by_two_stores(c: Conflict) -> bool:
    """Whether two statements store, so that more than their order may be wrong."""
    return c.write and c.other_write and not same_statement(c) and not (c.facts | c.other_facts) & (UPDATE | PENDING)


def by_volatile(c: Conflict) -> bool:
    """Whether both accesses are volatile, or one is a volatile read and the other one weak."""
    strong, other = (c.facts >> SCOPE) & 3, (c.other_facts >> SCOPE) & 3
    mine = not c.write and c.facts & VOLATILE and not other
    theirs = not c.other_write and c.other_facts & VOLATILE and not strong
    return bool(mine or theirs or c.facts & c.other_facts & VOLATILE)


class RaceReports:
    """Turns conflicts into findings, one for each cause."""

    def __init__(
        self, reporter: Reporter, executing: Executing, clocks: Clocks, cures: Cures, splits_warps: bool
    ) -> None:
        """`splits_warps`: whether the schedule lets lanes of a warp execute one instruction at different times."""
        self.reporter, self.executing, self.clocks, self.splits_warps = reporter, executing, clocks, splits_warps
        self.teams, self.cures = clocks.teams, cures
        self.of_triton = any(v.name == TRITON_SHARED for v in shared_variables(reporter.program, reporter.kernel))
        self._loads: list[tuple[Finding, int]] = []  # races of a plain load with a compare-and-swap
        self._updates: list[tuple[Finding, set[object], str]] = []
        """Races that an atomic operation would prevent, of which causes, and the help if only one thread stores."""
        self._held: list[tuple[Finding, tuple[Held | None, Held | None], tuple[str, str]]] = []
        """Races of accesses under different locks, or of which one is under a lock, and the places of the accesses."""
        self._of_roles: list[tuple[Finding, tuple[int, int, Op, Op]]] = []
        """Races of two warps that may have roles: the threads and statements."""
        self._contended: set[object] = set()
        """The causes whose stores race with stores."""

    def conflict(self, c: Conflict) -> None:
        r = self.reporter
        op, other = r.ops[c.facts & STATEMENT], r.ops[c.other_facts & STATEMENT]
        code, idiom = self.code(c)
        if idiom and op is other and op.form.instruction in tensor_allocation.ALLOCATIONS:
            return  # the lanes of a warp write the address once, together (9.7.16.7.1)
        if c.write and c.other_write:
            self._contended.update((r.cause(op), r.cause(other)))
        load = self.load_of_swap(c)
        key = ("race", code, idiom, load is not None, frozenset((r.cause(op), r.cause(other))))
        if r.collector.count_if_known(key):
            self.widen(c, key, op, other)
            return
        where = ", ".join(self.memory(c))
        if c.stale:
            self.stale(c, key, where)
            return
        mine_is, theirs_is = self.verb(c.write, c.facts), self.verb(c.other_write, c.other_facts)
        words = f"{mine_is} of {where} races with {article(theirs_is)}"
        if c.unfenced:
            words = f"{mine_is} of {where} by the async proxy after a {theirs_is}, with no proxy fence between"
        finding = r.add(
            key, code, article(words), op, c.thread,
            label=f"this {mine_is}",
            other=r.site(other, real(c.other_thread)),
            other_label=f"and this {theirs_is}",
            notes=(*self.executing.registers(op, c.thread), f"why: {self.why(c, other)}"),
        )  # fmt: skip
        self.explain(finding, c, op, other)
        self.add_mbarriers(finding, c)
        loads = [each for each, writes in ((op, c.write), (other, c.other_write)) if not writes]
        if loads and loads[0] in self.reporter.calls.functions():
            finding.leads_to = partial(follows_load, self.reporter.calls.functions()[loads[0]], loads[0])
        finding.idiom = idiom
        if load is not None:
            self._loads.append((finding, load))

    def widen(self, c: Conflict, key: object, op: Op, other: Op) -> None:
        """Another occurrence of a known race. If its threads are farther apart, the help must be right for them too."""
        finding, distance = self.reporter.collector.get(key), self.cures.distance(c)
        if finding is not None:
            self.add_mbarriers(finding, c)
        if finding is None or finding.race is None or not 0 <= finding.race.apart < distance:
            return
        pair = " and ".join(
            f"block {block}, thread {thread}" for block, thread in map(self.teams.place, (c.thread, c.other_thread))
        )
        finding.notes = (*finding.notes, f"also: threads of different {APART[distance]}: {pair}")
        self.explain(finding, c, op, other)

    def explain(self, finding: Finding, c: Conflict, op: Op, other: Op) -> None:
        """Adds what would prevent a race."""
        cure, lock, left = self.cures.of(c, op, other), self.cures.lock_of(c), self.cures.left(c)
        ordered = self.reporter.calls.in_one_function(op, other)
        sites = [self.reporter.site(each, None) for each in ordered]
        same_file = sites[0].file == sites[1].file
        lines = sorted(site.line for site in sites if same_file or site is sites[0])
        partitions = PARTITIONS if self.memory(c)[0] == DYNAMIC and by_two_stores(c) else ""
        helps = cure.help + partitions, cure.of_one_writer
        if not same_file:
            helps = [help.replace("{lines}", f"between {sites[1].source} and {sites[0].source}") for help in helps]
        finding.race = Race(
            self.memory(c)[0], self.cures.distance(c), sites[0].file, (lines[0], lines[-1]), helps[0], cure.orders,
            self.cures.too_narrow(c), self.variable(*lock)[0] if lock is not None else "", cure.meet,
            self.cures.wait_of(left) if left is not None else "", text_of(sites, lines), self.again(c, *ordered, sites),
            same_statement(c) and c.write and c.other_write,
        )  # fmt: skip
        finding.help = finding.race.cure_between(*finding.race.between)
        if ROLES in cure.help:
            self._of_roles.append((finding, (c.thread, c.other_thread, op, other)))
        held = self.cures.held(c)
        if any(held):
            self._held.append((finding, held, (sites[0].source, sites[1].source)))
        if helps[1]:
            self._updates.append((finding, {self.reporter.cause(op), self.reporter.cause(other)}, helps[1]))

    def again(self, c: Conflict, op: Op, other: Op, sites: list[Site]) -> bool:
        """Whether `op`, which comes first in the text, is of the iteration after that of `other`: within one there is a
        barrier between them."""
        function = self.reporter.calls.functions().get(op)
        if function is None or op not in function.code or other not in function.code:
            return False
        in_loop = sites[0].file == sites[1].file and sites[0].line < sites[1].line
        barriers = BARRIERS if self.cures.distance(c) == 0 else BARRIERS - {"warp-barrier"}
        return in_loop and reaches(function, other, op) and not reaches(function, op, other, barriers)

    def add_mbarriers(self, finding: Finding, c: Conflict) -> None:
        """Adds the mbarriers that signal the end of the copies that race."""
        first = self.executing.batch.x.geometry.first
        for thread in (c.thread, c.other_thread):
            place = self.cures.copies.agents.mbarrier_of(thread) if thread >= AGENT else None
            if place is not None:
                cta, address = place
                rank = address >> CTA_SHIFT & RANK_0 - 1
                if address >> CTA_SHIFT & RANK_0:
                    cta += rank - cta % self.teams.cluster_size
                offset = (cta - first) * self.executing.batch.x.shared_stride + (address & (1 << CTA_SHIFT) - 1)
                finding.mbarriers.add((self.executing.batch.x.first, offset))

    def memory(self, c: Conflict) -> tuple[str, str]:
        """The variable or array, and the place in it."""
        if c.shadow.space == "tensor":
            lane, column = divmod(c.offset % CTA_BYTES // WORD, COLUMNS)
            return c.shadow.name, f"lane {lane}, column {column}"
        name, offset = self.variable(c.shadow, c.offset)
        return name, f"byte {offset}"

    def variable(self, shadow: Shadow, offset: int) -> tuple[str, int]:
        """The variable or array of a byte of memory, and the byte in it."""
        if shadow.space != "shared":
            return shadow.name, offset
        return shared_place(self.teams.shape.layout, offset % self.executing.batch.x.shared_stride)

    def stale(self, c: Conflict, key: object, where: str) -> None:
        """A non-coherent read of data that the kernel itself writes."""
        r = self.reporter
        mine = r.ops[c.facts & STATEMENT], real(c.thread)
        theirs = r.ops[c.other_facts & STATEMENT], real(c.other_thread)
        read, write = (theirs, mine) if c.write else (mine, theirs)
        r.add(
            key, "non-coherent-read", f"`ld.global.nc` of {where}, which the kernel writes", *read,
            other=r.site(*write), other_label="the write",
            help="use `ld.global`: pointers that overlap must not be `const __restrict__`",
        )  # fmt: skip

    def finish(self, read_before_update: set[int]) -> None:
        """Corrects what is known at the end only: plain loads before a compare-and-swap loop on the same word are an
        idiom, and an atomic operation is no help where one thread alone stores."""
        for finding, load in self._loads:
            if load in read_before_update:
                finding.about, finding.idiom = find_code("tolerated-race"), True
        for finding, causes, help in self._updates:
            if finding.race is not None and self._contended.isdisjoint(causes):
                finding.race = replace(finding.race, cure=help, orders=True)
                finding.help = finding.race.cure_between(*finding.race.between)

        for finding, accesses in self._of_roles:
            if finding.race is not None and (help := self.cures.between_roles(*accesses)):
                finding.race = replace(finding.race, cure=help)
                finding.help = finding.race.cure_between(*finding.race.between)
        for finding, held, places in self._held:
            help = self.of_locks(held, places)
            if finding.race is not None and help:
                finding.race = replace(finding.race, cure=help, orders=True)
                finding.help = help

    def of_locks(self, held: tuple[Held | None, Held | None], places: tuple[str, str]) -> str:
        """The help for accesses under two locks, or of which one is under a lock; empty if one is no lock."""
        locks = [lock for lock in held if lock is not None]
        if not all(map(self.cures.locks.is_given_back, locks)):
            return ""
        names = list[str]()
        for lock in locks:
            shadow = lock.shadow()
            if shadow is not None:
                names.append(", byte ".join(map(str, self.variable(shadow, lock.place - shadow.lead))))
        if len(names) == 2:
            return f"two locks guard it: {names[0]} and {names[1]}; take one and the same for all accesses"
        with_lock, without = places if held[0] is not None else places[::-1]
        lock = f"the access {with_lock} is under the lock {names[0]}, the one {without} is not"
        return f"{lock}: take it there too, before the access, and give it back after it"

    def code(self, c: Conflict) -> tuple[str, bool]:
        """The code of a race, and whether it is an idiom that is reported only on request."""
        if c.stale or c.unfenced:
            return ("non-coherent-read" if c.stale else "missing-proxy-fence"), False
        together = self.of_a_warp(c) and (c.other_time == self.clocks.now or (self.splits_warps and same_statement(c)))
        if c.equal and not (c.facts | c.other_facts) & (UPDATE if together else UPDATE | PENDING):
            redundant = self.of_triton and c.shadow.space == "shared" and same_statement(c)
            return "equal-value-race", together or redundant
        if not (c.facts | c.other_facts) & PENDING and self.would_be_ordered(c):
            return "tolerated-race", True
        return ("tolerated-race" if by_volatile(c) else "data-race"), False

    def of_a_warp(self, c: Conflict) -> bool:
        return bool(self.teams.warp(c.thread) == self.teams.warp(c.other_thread))

    def would_be_ordered(self, c: Conflict) -> bool:
        """Whether an acquiring fence would have ordered the two."""
        others, times, threads = (np.array([v], np.int64) for v in (c.other_thread, c.other_time, c.thread))
        return bool(self.clocks.ordered(others, times, threads, self.clocks.if_acquired)[0])

    def load_of_swap(self, c: Conflict) -> int | None:
        """The statement that is a plain load, if the other one is an atomic compare-and-swap."""
        for load, facts, swap in ((not c.write, c.facts, c.other_facts), (not c.other_write, c.other_facts, c.facts)):
            op = self.reporter.ops[swap & STATEMENT]
            if load and not (facts >> SCOPE) & 3 and op.form.instruction is atomic.atom and op.m.op == "cas":
                return facts & STATEMENT
        return None

    def why(self, c: Conflict, other: Op) -> str:
        teams = self.teams
        if c.unfenced:
            return "barriers order accesses of one proxy; the async proxy may not see what the generic one has written"
        if left := self.cures.left(c):
            wait = f"the wait {self.cures.wait_of(left)} has left the asynchronous copy under way"
            return wait if left.newer >= 0 else f"{wait}: it is in no group"
        if c.other_facts & PENDING:
            return "the asynchronous copy may still be under way: no thread has waited for it"
        if c.other_thread >= AGENT:
            return f"{operation(other)} may still be under way: this thread did not wait for its completion"
        mine, theirs = c.thread, c.other_thread
        if weakness := self.cures.weak_barriers.of(c, other):
            return weakness.why
        if c.facts & c.other_facts & VOLATILE and self.of_a_warp(c):
            return "`volatile` keeps accesses, it does not order lanes of a warp: they may run apart since sm_70"
        mine_bytes, their_bytes = sizes(c)
        if self.cures.differ_in_size(c):
            return (
                f"strong accesses are ordered only if they overlap completely: of {mine_bytes} and {their_bytes} bytes"
            )
        if self.cures.too_narrow(c):
            scope = SCOPE_NAMES[strength(c)]
            return f"both are strong, but the scope `{scope}` does not include both threads"
        if teams.cta(mine) != teams.cta(theirs):
            return "the threads are of different blocks, and no release of one was acquired by the other in between"
        if c.other_time == self.clocks.now:
            return "several threads do this at once, with one instruction"
        if self.of_a_warp(c):
            return "lanes of a warp are not ordered without `bar.warp.sync`, not even by shuffles and votes"
        return "no barrier in which both took part stands between the two"

    def verb(self, write: bool, facts: int) -> str:
        """A description of an access."""
        instruction = self.reporter.ops[facts & STATEMENT].form.instruction
        if instruction.control == "call" or instruction is tensor_allocation.dealloc:
            return "free"
        what = "atomic" if facts & UPDATE else "write" if write else "read"
        return f"{what} by an asynchronous copy" if facts & PENDING else what


def follows_load(function: Function, load: Op, other: Finding) -> bool:
    """Whether a finding is a race of one statement with itself, at an address made of what a load gave the threads."""
    itself = other.race is not None and other.other is not None and other.site.span == other.other.span
    return itself and addressed_by(function, load, other.site.span)


def text_of(sites: list[Site], lines: list[int]) -> tuple[int, int]:
    """The positions of two statements in the PTX if they are of one line of the source, else (0, 0)."""
    first, last = sorted(site.span[0] for site in sites)
    return (first, last) if lines[0] == lines[-1] and sites[0].file == sites[1].file else (0, 0)


def real(thread: int) -> int | None:
    """A thread; None for an asynchronous operation."""
    return thread if thread < AGENT else None


def article(noun: str) -> str:
    return f"an {noun}" if noun[0] == "a" else f"a {noun}"
