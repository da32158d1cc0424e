"""Says what races: both accesses, why nothing orders them, and what would."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from openptx.diagnostics.codes import code as find_code
from openptx.isa.instructions import async_copy, atomic, tensor_memory
from openptx.isa.instructions.barrier import bar, bar_warp_sync, barrier_cluster
from openptx.sanitize.findings import Finding
from openptx.sanitize.semantics import BULK
from openptx.sanitize.shadow import GPU, PENDING, SCOPE, STATEMENT, UPDATE, VOLATILE
from openptx.sanitize.teams import AGENT

if TYPE_CHECKING:
    from openptx.program import Op
    from openptx.sanitize.races import Conflict
    from openptx.sanitize.session import Session

SCOPE_NAMES = ("weak", ".cta", ".cluster", ".gpu")


class RaceReports:
    def __init__(self, session: Session) -> None:
        self.session = session
        self._loads: list[tuple[Finding, int]] = []  # races of a plain load with a compare-and-swap

    def conflict(self, c: Conflict) -> None:
        s = self.session
        mine, theirs = c.facts & STATEMENT, c.other_facts & STATEMENT
        code, idiom = self.code(c)
        op, other = s.ops[mine], s.ops[theirs]
        if idiom and op is other and op.form.instruction is tensor_memory.alloc:
            return  # the lanes of a warp write the address once, together (9.7.16.7.1)
        swap = self.load_of_swap(c) is not None
        key = ("race", code, idiom, swap, frozenset((s.cause(op), s.cause(other))))
        if s.found.known(key):
            return
        agent = c.other_thread >= AGENT
        site, other_site = s.site(op, c.thread), s.site(other, None if agent else c.other_thread)
        where = self.place(c)
        if c.stale:
            self.stale(c, key, where)
            return
        mine_is, theirs_is = self.verb(c.write, c.facts), self.verb(c.other_write, c.other_facts)
        words = f"{mine_is} of {where} races with {article(theirs_is)}"
        if c.unfenced:
            words = f"{mine_is} of {where} by the async proxy after a {theirs_is}, with no proxy fence between"
        finding = Finding(
            code,
            "race",
            article(words),
            s.program.file,
            site,
            kernel=s.function.name,
            label=f"this {mine_is}",
            other=other_site,
            other_label=f"and this {theirs_is}",
            notes=(*s.registers(op, c.thread), f"why: {self.why(c, op, other)}"),
            help=self.cure(c, op, other),
        )
        finding.idiom = idiom
        s.found.add(key, finding)
        if (load := self.load_of_swap(c)) is not None:
            self._loads.append((finding, load))

    def place(self, c: Conflict) -> str:
        """The memory: of shared memory the variable, and the byte in it."""
        s, shadow = self.session, self.session.races.shadow
        if shadow.space != "shared":
            return f"{shadow.name}, byte {c.offset}"
        layout, offset = s.teams.shape.layout, c.offset % s.batch.x.shared_stride
        if layout.names_dynamic and offset >= layout.dynamic:
            return f"dynamic shared memory, byte {offset - layout.dynamic}"
        before = [(begin, name) for (name, _), begin in layout.offsets.items() if begin <= offset]
        if not before:
            return f"{shadow.name}, byte {offset}"
        begin, name = max(before)
        return f"shared variable `{in_program(name)}`, byte {offset - begin}"

    def stale(self, c: Conflict, key: object, where: str) -> None:
        """A non-coherent read of what the kernel itself writes."""
        s = self.session
        read, write = (c.other_facts, c.facts) if c.write else (c.facts, c.other_facts)
        by, writer = (c.other_thread, c.thread) if c.write else (c.thread, c.other_thread)
        s.found.add(
            key,
            s.finding(
                "non-coherent-read",
                "mem",
                f"`ld.global.nc` of {where}, which the kernel writes",
                s.ops[read & STATEMENT],
                by if by < AGENT else None,
                other=s.ops[write & STATEMENT],
                other_thread=writer if writer < AGENT else None,
                other_label="the write",
                help="use `ld.global`: pointers that overlap must not be `const __restrict__`",
            ),
        )

    def finish(self) -> None:
        """Plain loads before a loop of compare-and-swap of the same word are an idiom: now it is known which are."""
        for finding, load in self._loads:
            if load in self.session.races.read_before_update:
                finding.about, finding.idiom = find_code("tolerated-race"), True

    def code(self, c: Conflict) -> tuple[str, bool]:
        """The code of a race, and whether it is an idiom that is reported only when asked for."""
        if c.stale or c.unfenced:
            return ("non-coherent-read" if c.stale else "missing-proxy-fence"), False
        if c.equal and not (c.facts | c.other_facts) & (UPDATE | PENDING):
            teams, together = self.session.teams, c.other_time == self.session.clocks.now
            return "equal-value-race", together and bool(teams.warp(c.thread) == teams.warp(c.other_thread))
        if not (c.facts | c.other_facts) & PENDING and self.session.would_be_ordered(c):
            return "tolerated-race", True
        strong, other = (c.facts >> SCOPE) & 3, (c.other_facts >> SCOPE) & 3
        mine = not c.write and c.facts & VOLATILE and not other
        theirs = not c.other_write and c.other_facts & VOLATILE and not strong
        lockstep = c.facts & c.other_facts & VOLATILE
        return ("tolerated-race" if mine or theirs or lockstep else "data-race"), False

    def load_of_swap(self, c: Conflict) -> int | None:
        """The statement that is a plain load, if the other one is an atomic compare-and-swap."""
        for load, facts, swap in ((not c.write, c.facts, c.other_facts), (not c.other_write, c.other_facts, c.facts)):
            op = self.session.ops[swap & STATEMENT]
            if load and not (facts >> SCOPE) & 3 and op.form.instruction is atomic.atom and op.m.op == "cas":
                return facts & STATEMENT
        return None

    def why(self, c: Conflict, op: Op, other: Op) -> str:
        s, teams = self.session, self.session.teams
        if c.unfenced:
            return "barriers order accesses of one proxy; the async proxy may not see what the generic one has written"
        if c.other_facts & PENDING:
            return "the asynchronous copy may still be under way: nobody has waited for it"
        if c.other_thread >= AGENT:
            return f"{self.operation(other)} may still be under way: this thread did not wait for its completion"
        one, two = c.thread, c.other_thread
        if c.facts & c.other_facts & VOLATILE and teams.warp(one) == teams.warp(two):
            return "`volatile` keeps accesses, it does not order lanes of a warp: they may run apart since sm_70"
        strong = min((c.facts >> SCOPE) & 3, (c.other_facts >> SCOPE) & 3)
        if strong and (c.facts & UPDATE or c.other_facts & UPDATE or strong < GPU):
            return (
                f"both are strong, but the scope `{SCOPE_NAMES[strong]}` does not include both threads, or sizes differ"
            )
        if teams.cta(one) != teams.cta(two):
            return "the threads are of different blocks, and no release of one was acquired by the other in between"
        if c.other_time == s.clocks.now:
            return "several threads do this at once, with one instruction"
        if teams.warp(one) == teams.warp(two):
            return "lanes of a warp are not ordered without `bar.warp.sync`, not even by shuffles and votes"
        return "no barrier in which both took part stands between the two"

    def cure(self, c: Conflict, op: Op, other: Op) -> str:
        teams = self.session.teams
        lines = self.between(op, other)
        if c.unfenced:
            return f"`fence.proxy.async` after the write, before the barrier: {lines}"
        if c.other_facts & PENDING:
            return f"wait for the copy (`cp.async.wait_group`), then let the threads meet at a barrier {lines}"
        if c.other_thread >= AGENT:
            return f"wait for the mbarrier, or the group, of {self.operation(other)} {lines}"
        one, two = c.thread, c.other_thread
        if c.other_time == self.session.clocks.now and one != two:
            return "let one thread do it, or use an atomic operation"
        if teams.cta(one) == teams.cta(two):
            ptx, cuda = (bar_warp_sync.name, "__syncwarp()")
            if teams.warp(one) != teams.warp(two):
                ptx, cuda = f"{bar.name}.sync 0", "__syncthreads()"
            return f"a `{cuda}` (`{ptx}`) {lines}" if self.session.places.of(op) else f"a `{ptx}` {lines}"
        if teams.cluster_size > 1 and teams.cta(one) // teams.cluster_size == teams.cta(two) // teams.cluster_size:
            return f"`{barrier_cluster.name}.arrive` and `.wait` {lines}"
        return (
            "publish by `st.release.gpu` (or a fence before a strong store) after the write, and read that by"
            " `ld.acquire.gpu` (or a fence after a strong load) before this access"
        )

    def operation(self, op: Op) -> str:
        """What an agent does."""
        copies = op.form.instruction in BULK | {async_copy.cp_async, tensor_memory.cp}
        return "the asynchronous copy" if copies else f"`{op.form.instruction.name}`"

    def verb(self, write: bool, facts: int) -> str:
        """What an access is."""
        if self.session.ops[facts & STATEMENT].form.instruction.control == "call":
            return "free"
        what = "atomic" if facts & UPDATE else "write" if write else "read"
        return f"{what} by an asynchronous copy" if facts & PENDING else what

    def between(self, op: Op, other: Op) -> str:
        lines = sorted((self.session.places.line(op), self.session.places.line(other)))
        return f"between lines {lines[0]} and {lines[1]}" if lines[0] != lines[1] else f"around line {lines[0]}"


def in_program(name: str) -> str:
    """The name that a variable of a function has in the program: `s` for `_ZZ3sumPKiE1s` (Itanium C++ ABI, 5.1.6)."""
    found = re.match(r"_ZZ.+E(\d+)(\w+)$", name)
    return found[2] if found and int(found[1]) == len(found[2]) else name


def article(noun: str) -> str:
    return f"an {noun}" if noun[0] == "a" else f"a {noun}"
