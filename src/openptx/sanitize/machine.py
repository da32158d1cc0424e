"""The machine that reports every access to the race detector. defined_memory.py adds undefined bits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from openptx.array_types import Array
from openptx.engines.interp import lane_sets
from openptx.isa.instructions import mbarrier as mbarrier_instructions
from openptx.isa.semantics import mbarrier
from openptx.sanitize.numbered import NumberedThreads
from openptx.sanitize.races.detector import stacked
from openptx.sanitize.races.semantics import COMMITS, INITS, TAKE_LOCKS, WAITS, access, elements, sized
from openptx.sanitize.races.shadow import GPU, SCOPE, UPDATE, Shadow
from openptx.sanitize.races.tensor_memory import WatchedTensorMemory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from openptx.device.image import Image
    from openptx.device.memory_view import MemoryView
    from openptx.engines.interp.frames import Frame
    from openptx.engines.interp.geometry import Geometry
    from openptx.engines.interp.memory.spaces import Place
    from openptx.engines.interp.memory.views import Plane
    from openptx.isa.machine import Update, Word
    from openptx.numerics import Bits
    from openptx.program import Op
    from openptx.sanitize.checks.mbarriers import Key
    from openptx.sanitize.heap import GuardedHeap
    from openptx.sanitize.session import Session

Chosen = NDArray[np.intp] | None


class SanitizedThreads(NumberedThreads):
    """`accessed` are the locations of the last access of the executing instruction."""

    def __init__(self, geometry: Geometry, memory: MemoryView, image: Image, session: Session) -> None:
        super().__init__(geometry, memory, image)
        self.session = session
        self.accessed: list[tuple[Chosen, Place]] = []
        self.changed = np.zeros(0, np.bool_)  # by executing lane, whether its atomic operation changed memory
        self._shadows: dict[Plane, Shadow | None] = {}

    def begin(self, op: Op) -> None:
        """An instruction begins."""
        self.op, self.access = op, access(op)
        self.statement = self.session.reporter.statement(op)
        self.session.clocks.tick()

    def must_see_accesses(self) -> bool:
        return True

    def make_tensor_memory(self) -> WatchedTensorMemory:
        return WatchedTensorMemory(self)

    def tick(self) -> int:
        self.session.waits.read_clock()
        return super().tick()

    def now(self) -> int:
        self.session.waits.read_clock()
        return super().now()

    # Where accesses go.

    def shadow_of(self, plane: Plane) -> Shadow | None:
        if plane not in self._shadows:
            self._shadows[plane] = self._shadow(plane)
        return self._shadows[plane]

    def _shadow(self, plane: Plane) -> Shadow | None:
        if plane is self.shared:
            return self.session.shadows.fresh("shared memory", plane.size, 0, 0, "shared")
        for base, known in self._planes.items():
            if known is plane and plane.writable:
                row = self.memory.rows[base >> self.shift]
                name = str(row) if row is not None else "global memory"
                return self.session.shadows.of_global(name, plane.size, plane.lead, base)
        return None

    def places(self, space: str, a: Array, size: int, write: bool) -> list[tuple[Chosen, Place]]:
        self.accessed = super().places(space, a, size, write)
        self.session.bounds.check(self, space, a, size)
        if space == "generic":
            self.session.escapes.used(self, a)
        return self.accessed

    @property
    def heap(self) -> GuardedHeap:
        return self.session.heap_of(super().heap)

    def take(self, lane: int, size: int) -> int:
        self.heap.thread = self.first + lane
        return self.heap.take(size)

    def give_back(self, lane: int, address: int) -> bool:
        """Frees memory, which counts as a write: accesses by other threads must have happened before it."""
        if self.memory.heap is None:
            return False
        self.heap.thread = self.first + lane
        done, plane = self.heap.give_back(address), self.heap_plane
        size = self.heap.extents.get(address, 0)
        if done and plane is not None and size:
            all_lanes, self.executing = self.executing, slice(lane, lane + 1)
            offset = np.array([address - self.heap.allocation.base])
            self.touch(plane, None, offset, -(-size // 4) * 4, 4, write=True)
            self.executing = all_lanes
        return done

    # Accesses.

    def load(self, space: str, address: Bits, w: int, count: int = 1) -> tuple[Bits, ...]:
        values = super().load(space, address, w, count)
        if self.access.scope and not self.access.mbarrier:
            self.session.waits.poll()
            if self.session.waits.repeats(self.op, self.threads(), address.v):
                return values
        tensor_map = self.access.by_proxy and space == "generic"  # tensor maps are read by a proxy of their own
        for chosen, (plane, offsets) in self.accessed:
            self.touch(plane, chosen, offsets, w * count >> 3, w >> 3, tensor_map=tensor_map)
            self.session.escapes.loaded(self, plane, chosen, offsets, values)
        if self.op.form.instruction in WAITS:
            return (self.forced(values[0]),)
        return values

    def store(self, space: str, address: Bits, values: Sequence[Bits]) -> None:
        width = values[0].width >> 3
        self.doing = "store"
        for chosen, (plane, offsets) in self.places(space, address.v, width * len(values), True):
            words = [b.v if chosen is None or b.v.size == 1 else b.v[chosen] for b in values]
            self.touch(plane, chosen, offsets, width * len(values), width, write=True, values=words)
            if plane is self.local or plane is self._stack:
                self.session.waits.store_locally(plane, offsets, words, width)
            plane.scatter(offsets, words, width)
            self.session.escapes.stored(self, plane, chosen, offsets, words)
        if any(plane is not self.local and plane is not self._stack for _, (plane, _) in self.accessed):
            self.session.skipped_barriers.wrote(self.session.executing.batch, self.statement)
            self.last_store[slice(None) if self.executing is None else self.executing] = self.session.clocks.now
            self.session.waits.progress()
        if self.op.form.instruction in INITS:
            self.session.mbarriers.initialize(self.keys(), values[0].v)
        elif self.op.form.instruction is mbarrier_instructions.inval:
            self.session.mbarriers.invalidate(self.keys())
        elif self.session.mbarriers.known:
            self.overwrite_mbarriers(width * len(values))

    def atomic(self, space: str, address: Bits, w: int, update: Update, *operands: Word) -> Word:
        old = super().atomic(space, address, w, update, *operands)
        places = list(self.accessed)
        self.changed = self.memory_changed(places, w, old)
        strong = GPU << SCOPE if update in mbarrier.CHANGES else 0
        for chosen, (plane, offsets) in places:
            size = w // elements(self.op) >> 3
            self.touch(plane, chosen, offsets, w >> 3, size, write=True, more=UPDATE | strong)
        if update in mbarrier.CHANGES:
            assert not isinstance(old, tuple)
            self.change_mbarriers(update, old, operands)
        elif self.changed.any():
            self.session.skipped_barriers.wrote(self.session.executing.batch, self.statement)
            self.session.waits.progress()
        else:
            self.session.waits.poll()
        return old

    def memory_changed(self, places: list[tuple[Chosen, Place]], w: int, old: Word) -> Array:
        """By lane, whether an atomic changed memory."""
        if isinstance(old, tuple) or len(places) > 1:
            return np.ones(lane_sets.size(self.executing, self.n), np.bool_)
        _, (plane, offsets) = places[0]
        return np.asarray(plane.gather(offsets, w >> 3, 1)[0] != old.v)

    def copy_long(self, target_space: str, target: Array, source_space: str, source: Array, count: int) -> None:
        for i, lane in enumerate(lane_sets.positions(self.executing, self.n).tolist()):
            self.executing = slice(lane, lane + 1)
            (read, a), (written, b) = self.begins(
                target_space, target[i : i + 1], source_space, source[i : i + 1], count
            )
            if self.access.bulk:
                self.session.bounds.check_copy(self, "dstMem", target[i : i + 1], count)
                self.session.bounds.check_copy(self, "srcMem", source[i : i + 1], count)
            self.touch(read, None, np.array([a]), count, 1)
            self.touch(written, None, np.array([b]), count, 1, write=True)
            self.copy_bytes(read, a, written, b, count)
        self.session.waits.progress()

    def discard(self, space: str, address: Array, size: int) -> None:
        """`discard` behaves like a weak write of an indeterminate value (9.7.9.17)."""
        self.doing = "store"
        for chosen, (plane, offsets) in self.places(space, address, size, True):
            self.touch(plane, chosen, offsets, size, 4, write=True)

    def enters(self, frame: Frame, lanes: lane_sets.Lanes) -> None:
        """Lanes start an activation."""

    def copy_bytes(self, read: Plane, a: int, written: Plane, b: int, count: int) -> None:
        written.data[b : b + count] = read.data[a : a + count]

    def touch(
        self, plane: Plane, chosen: Chosen, offsets: Array, size: int, width: int, *, write: bool = False,
        values: list[Array] | None = None, more: int = 0, tensor_map: bool = False,
    ) -> None:  # fmt: skip
        """Reports an access by the executing lanes, or by those at the positions `chosen`, to the race detector."""
        if write and self.session.heap is not None:
            self.session.heap.note_store(plane, offsets, size)
        shadow = self.shadow_of(plane) if "race" in self.session.tools else None
        if shadow is None:
            return
        threads = self.threads() if chosen is None else self.threads()[chosen]
        facts = sized(self.access.facts | more, width) | self.statement
        strong_update = more & UPDATE and (more >> SCOPE) & 3
        owners = self.owners(threads, offsets, write) if self.access.bulk and not strong_update else None
        if plane is self.shared and self.session.lifetimes.active:
            self.check_lifetimes(threads, offsets, owners)
        rows = stacked(values, threads.size) if values is not None and write else None

        def unchanged(index: int) -> bool:
            at = offsets[index if offsets.size > 1 else 0 :][:1]
            return rows is not None and all(
                before[0] == after
                for before, after in zip(plane.gather(at, width, size // width), rows[index], strict=True)
            )

        granules = self.session.races.access(
            shadow, threads, offsets, size, facts, write=write, owners=owners, values=rows, unchanged=unchanged,
            by_proxy=self.access.by_proxy and owners is not None and not tensor_map,
        )  # fmt: skip
        self.synchronize(shadow, granules, threads, facts, write=write)

    def check_lifetimes(self, threads: Array, offsets: Array, agents: Array | None) -> None:
        """Whether the shared memory of other CTAs of a cluster still exists when it is accessed."""
        if agents is None and self.access.bulk:  # the completion of an mbarrier's transaction
            agents = np.array([self.agents[thread][1] for thread in threads.tolist()])
        owners = offsets // self.shared_stride + self.geometry.first
        far = owners != self.session.teams.cta(threads)
        if far.any():
            ctas = np.broadcast_to(owners, far.shape)
            self.session.lifetimes.access(
                threads[far], ctas[far], self.statement, agents[far] if agents is not None else None
            )

    def synchronize(self, shadow: Shadow, granules: Array, threads: Array, facts: int, *, write: bool) -> None:
        """The effect of an access on ordering: strong accesses release and acquire, plain writes end a release
        sequence."""
        about, scope, update = self.access, (facts >> SCOPE) & 3, bool(facts & UPDATE)
        if write and not about.bulk and not about.mbarrier:
            self.session.locks.write(shadow, granules, threads, self.op, self.changed if update else None)
        elif scope and not about.mbarrier:
            self.session.locks.poll(shadow, granules, threads)
        if about.pending:
            self.session.copies.issue(shadow, granules, threads, write, self.statement)
        elif scope and not about.mbarrier:
            reads = update or not write
            self.session.releases.access(
                shadow, granules, threads, scope, observes=about.observes and reads, writes=write, update=update,
                counts=update and bool(self.changed.any()) and self.op.m.op not in TAKE_LOCKS,
                releases=about.releases and write, acquires=about.acquires and reads,
            )  # fmt: skip
        elif write and shadow.records is not None:
            shadow.records[granules] = 0

    def owners(self, threads: Array, offsets: Array, write: bool) -> Array:
        """The agents that read or write for threads."""
        agents = [self.agents[thread][write] for thread in threads.tolist()]
        if write and self.access.multicast:
            ctas = np.broadcast_to(offsets // self.shared_stride, threads.shape).tolist()
            of = self.session.bulk_copies.of_multicast
            found = zip(agents, ctas, threads.tolist(), strict=True)
            agents = [of(agent, cta, thread, self.statement) for agent, cta, thread in found]
        return np.array(agents)

    # Copies in bulk.

    def name_agents(self, mbarrier: Bits | None) -> None:
        """The agents that read and write for the executing threads, in a bulk copy that signals `mbarrier`."""
        s, threads = self.session, self.threads()
        if mbarrier is None:
            self.agents = {thread: s.bulk_copies.of_group(thread, self.statement) for thread in threads.tolist()}
            return
        addresses = np.broadcast_to(mbarrier.v, threads.shape).tolist()
        cta = s.teams.cta(threads).tolist()
        self.agents = {
            thread: s.bulk_copies.of_mbarrier(thread, (c, a), self.statement)
            for thread, c, a in zip(threads.tolist(), cta, addresses, strict=True)
        }

    def hand_over_copies(self, address: Bits) -> None:
        """An mbarrier counts the completion of the executing threads' `cp.async` so far."""
        view = self.session.copies.arrive_when_done(self.threads())
        self.doing = "load"
        self.places(self.op.m.space, address.v, 8, False)
        for key in dict.fromkeys(self.keys()):
            barrier: Any = self.session.mbarriers.known.get(key)
            if barrier is None:
                continue
            # If the arrival completed a phase, the phase waited for the copies.
            barrier.gathered = self.session.clocks.views.join(barrier.gathered, view)
            barrier.handed = self.session.clocks.views.join(barrier.handed, view)

    # mbarriers.

    def keys(self) -> list[Key]:
        """The mbarriers of the last access, lane by lane."""
        found: list[Key] = []
        count = lane_sets.size(self.executing, self.n)
        for chosen, (_, offsets) in self.accessed:
            every = np.broadcast_to(offsets, count if chosen is None else chosen.size)
            found += [(self.first, int(offset)) for offset in every.tolist()]
        return found

    def overwrite_mbarriers(self, size: int) -> None:
        """The last store, of `size` bytes, may overwrite mbarriers, which are invalid afterwards."""
        mbarriers = self.session.mbarriers
        known = [at for first, at in mbarriers.known if first == self.first]
        for chosen, (plane, offsets) in self.accessed:
            if plane is not self.shared:
                continue
            threads = self.threads() if chosen is None else self.threads()[chosen]
            begin = np.broadcast_to(offsets, threads.shape)
            for at in known:
                over = np.flatnonzero((begin < at + 8) & (begin + size > at))
                if over.size:
                    mbarriers.overwrite((self.first, at), self.op, int(threads[over[0]]))

    def change_mbarriers(self, update: Update, old: Bits, operands: tuple[Word, ...]) -> None:
        words = [operand for operand in operands if not isinstance(operand, tuple)]
        assert len(words) == len(operands)
        arrivals, new = words[0], update(self, old, *words)
        assert not isinstance(new, tuple)
        keys, threads = self.keys(), self.threads()
        count, s = len(keys), self.session
        extra = [0] * count
        if self.access.bulk:
            extra = [s.clocks.views.single(self.agents[int(thread)][1], s.clocks.now) for thread in threads]
            extra = [
                s.clocks.views.join(view, s.clocks.views.single(self.agents[int(t)][0], s.clocks.now))
                for view, t in zip(extra, threads, strict=True)
            ]
        if self.access.multicast:
            for i, (_, offset) in enumerate(keys):
                agent = s.bulk_copies.of_multicast(self.agents[int(threads[i])][1], offset // self.shared_stride)
                extra[i] = s.clocks.views.join(extra[i], s.clocks.views.single(agent, s.clocks.now))
        commits = self.op.form.instruction in COMMITS  # copies that their thread waited for are complete as well
        releases = (commits or not self.access.bulk) and self.op.m.values.get("sem") != "relaxed"
        every = [np.broadcast_to(b.v, count) for b in (old, new, arrivals)]
        s.mbarriers.change(keys, threads, every[0], every[1], every[2].astype(np.int64), releases, extra, self.op)
        s.waits.progress()

    def note_wait(self, done: Bits, *, ignored: bool) -> None:
        """The result of a wait for an mbarrier, and whether it affects nothing."""
        keys, threads = self.keys(), self.threads()
        answers = np.broadcast_to(done.v, len(keys))
        acquires = self.op.m.values.get("sem") != "relaxed" and not ignored
        self.session.mbarriers.wait(keys, threads, answers, acquires, self.op)
        if not answers.all():
            self.session.waits.stall()

    def forced(self, word: Bits) -> Bits:
        """Waits that cannot end see the phase that they wait for, so that the code after them is checked as well."""
        known = self.session.mbarriers.known
        forced = [key in known and known[key].forced for key in self.keys()]
        if not any(forced):
            return word
        flip = np.array(forced, np.uint64) * np.uint64(mbarrier.BOTH_PHASES)
        return self.lanes(np.broadcast_to(word.v, flip.shape) ^ flip)
