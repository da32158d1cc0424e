"""A launch under the debugger: runs to where one asks, looks at any thread, and goes back by running again."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, cast

from openptx.debug.breakpoints import Breakpoint, Watchpoint
from openptx.debug.execution import MOST, Execution, Snapshot
from openptx.debug.expressions import Expression, parse
from openptx.debug.lanes import Here, frames, groups, holds
from openptx.debug.observer import StoppingObserver
from openptx.debug.places import Places
from openptx.debug.plans import Continue, Entry, Goto, Plan, Scout, Step
from openptx.debug.scope import Scope
from openptx.debug.stops import BREAKPOINT, EXITED, WATCHPOINT, Stop
from openptx.debug.values import Array, Typed
from openptx.engines.interp import lane_sets
from openptx.errors import InputError
from openptx.runtime.options import require_options, sequence_of

if TYPE_CHECKING:
    from openptx.engines.interp.frames import Frame
    from openptx.errors import Triple
    from openptx.runtime import Kernel
    from openptx.runtime.module import Extent
    from openptx.trace.observer import ObservedBatch

PERIOD = 0.1
"""Seconds between two looks for an interrupt while the launch runs."""


class Session:
    """A launch that stops. `stop` says where and why; `thread` is the number in the launch of the thread looked at.

    `start` runs to the first instruction; the methods after it run further, and give the Stop they came to. `print`
    takes what the kernel prints. Between two of them every thread can be looked at. `close` ends the launch.
    """

    def __init__(
        self,
        kernel: Kernel,
        grid: Extent,
        block: Extent,
        args: Iterable[object] = (),
        *,
        shared_mem: int = 0,
        cluster: Extent | None = None,
        print: Callable[[str], object] = lambda text: None,
    ) -> None:
        require_options(shared_mem, None, None, None, None)
        self.kernel, self.shared_mem = kernel, shared_mem
        arguments = [*sequence_of(args)]
        self.given = kernel.prepare(grid, block, arguments, shared_mem, cluster)
        self.places = Places(kernel.module.program, kernel.name)
        self.breakpoints: dict[int, Breakpoint] = {}
        self.watchpoints: dict[int, Watchpoint] = {}
        self.thread = 0
        self.level = 0
        self._print, self._printed, self._shown = print, 0, 0
        self._numbers = 0
        self._snapshot = Snapshot(self.given, arguments)
        self._plan: Plan = Entry()
        self._at: dict[tuple[str, int], list[Breakpoint]] = {}
        self._execution: Execution | None = None
        self.stop = Stop(EXITED, 0, "not started")

    # Running.

    def start(self) -> Stop:
        """Begins the launch, again if it has begun, and stops at the first instruction."""
        self._begin(Entry())
        self.thread = self.level = 0
        self._init_watchpoints()
        return self.stop

    def cont(self) -> Stop:
        """Runs to a breakpoint, a fault or the end."""
        return self._run(Continue())

    def step(self, *, line: bool = False, over: bool = False, warp: bool = False, count: int = 1) -> Stop:
        """Runs until the thread, or with `warp` any of its warp, comes to its next instruction, or next line.

        With `over` calls are one instruction.
        """
        here = self.here()
        at = self.places.line(here.op) if line and here.op is not None else None
        stop = self._run(Step(self.thread, self.places, here.frame.depth, at, over=over, warp=warp, count=count))
        if warp and stop.live:
            self._look_at(self.observer.lanes, whole_warp=True)
        return stop

    def finish(self) -> Stop:
        """Runs until the thread returns from its function. Raises InputError in a kernel, which nobody called."""
        here = self.here()
        if here.frame.parent is None:
            raise InputError("the thread is in the kernel itself; `continue` runs to its end")
        return self._run(Step(self.thread, self.places, here.frame.depth, out=True))

    def to_barrier(self) -> Stop:
        """Runs until the thread comes to an instruction at which threads wait for each other."""
        return self._run(Step(self.thread, self.places, self.here().frame.depth, barrier=True))

    def goto(self, step: int) -> Stop:
        """Runs to a step, from the launch's begin if it is an earlier one."""
        if step < 1:
            raise InputError("steps are counted from 1")
        if self._execution is not None and self.stop.live and step == self.stop.step and not self.stop.error:
            return self.stop
        if not self.stop.live or step <= self.stop.step or self._execution is None:
            self._begin(Goto(step))
            self._init_watchpoints()
            return self.stop
        return self._run(Goto(step))

    def back(self, count: int = 1) -> Stop:
        """Goes back to where the thread was, `count` of its instructions ago; to its first where there are fewer."""
        return self._back(Step(self.thread, self.places, 0, count=1), deque(maxlen=count), "an earlier instruction")

    def back_to_breakpoint(self) -> Stop:
        """Goes back to the last place before this one where a breakpoint stops."""
        if not self.breakpoints:
            raise InputError("there are no breakpoints to go back to")
        return self._back(_AtBreakpoint(self), deque(maxlen=1), "an earlier stop at a breakpoint")

    def _back(self, where: Plan, found: deque[int], what: str) -> Stop:
        now = self.stop.step + (not self.stop.live)
        inner = _Always(where)
        self._begin(Scout(now, inner, found))
        if not found:
            self.goto(max(now, 1)) if self.stop.live else None
            raise InputError(f"there is no {what.removeprefix('an ')}")
        self.level = 0
        return self.goto(found[0])

    def interrupt(self) -> None:
        """Stops a running launch at its next instruction. May be called from any thread, and by signal handlers."""
        if self._execution is not None:
            self._execution.observer.pausing = True

    def close(self) -> None:
        """Ends the launch, wherever it is. Memory stays as it is then."""
        if self._execution is not None:
            self._execution.abandon()
            self._execution = None
        self.stop = Stop(EXITED, self.stop.step, "closed")

    def _begin(self, plan: Plan) -> None:
        if self._execution is not None:
            if not self._snapshot.kept:
                size = self._snapshot.size
                raise InputError(f"the launch can write {size} bytes; the debugger keeps {MOST} to run it again")
            self._execution.abandon()
            self._snapshot.restore()
        self._plan, self._printed = plan, 0
        observer = StoppingObserver(self._decide, self._output)
        self._execution = Execution(self.kernel, self.given, self.shared_mem, observer)
        self._wait()

    def _run(self, plan: Plan) -> Stop:
        if not self.stop.live or self._execution is None:
            raise InputError("the launch has ended; `start` begins it again, `back` goes back")
        self._plan, self.level = plan, 0
        self._execution.observer.resume()
        return self._wait()

    def _wait(self) -> Stop:
        """Waits for the next stop; an interrupt (Ctrl-C) stops the launch, not the session."""
        assert self._execution is not None
        while True:
            try:
                stop = self._execution.observer.wait(PERIOD)
                if stop is not None:
                    break
            except KeyboardInterrupt:
                self.interrupt()
        self.stop = stop
        if stop.live and (stop.kind == WATCHPOINT or stop.error is not None or stop.kind == "pause"):
            self._look_at(self.observer.lanes)
        return stop

    def _output(self, text: str) -> None:
        """Output of an execution that is repeated has been shown."""
        self._printed += len(text)
        fresh = self._printed - self._shown
        if fresh > 0:
            self._print(text[-fresh:])
            self._shown = self._printed

    # Breakpoints.

    def break_at(
        self, text: str, condition: str | None = None, *, thread: int | None = None, skip: int = 0, once: bool = False,
        live: bool = True,
    ) -> Breakpoint:  # fmt: skip
        """Stops where a thread comes to a line, a label or a function. Raises InputError for a place there is not.

        A label is looked for in the thread's function first; not `live`, while the launch runs, in the kernel.
        """
        where = self.where(self.thread) if live and self.stop.live else None
        function = where.frame.plan.function if where is not None else self.kernel.function
        places = frozenset(self.places.find(text, function))
        checked = parse(condition) if condition else None
        self._numbers += 1
        made = Breakpoint(self._numbers, text.strip(), places, checked, thread, skip, once)
        self.breakpoints[made.number] = made
        self._index()
        return made

    def watch(self, text: str) -> Watchpoint:
        """Stops when an expression of the thread changes: a register, memory, a whole variable."""
        expression = parse(text)
        self._numbers += 1
        made = Watchpoint(self._numbers, expression.text, expression, self.thread)
        made.old = self._watched(made, self.scope())
        self.watchpoints[made.number] = made
        return made

    def delete(self, number: int) -> None:
        """Removes a breakpoint or watchpoint. Raises InputError for a number that there is not."""
        if self.breakpoints.pop(number, None) is None and self.watchpoints.pop(number, None) is None:
            raise InputError(f"no breakpoint or watchpoint {number}")
        self._index()

    def enable(self, number: int, on: bool) -> None:
        """Lets a breakpoint or watchpoint stop, or not. Raises InputError for a number that there is not."""
        found = self.breakpoints.get(number) or self.watchpoints.get(number)
        if found is None:
            raise InputError(f"no breakpoint or watchpoint {number}")
        found.enabled = on

    def _index(self) -> None:
        found: dict[tuple[str, int], list[Breakpoint]] = {}
        for one in list(self.breakpoints.values()):  # another thread may set one meanwhile
            for place in one.places:
                found.setdefault(place, []).append(one)
        self._at = found

    # What happens at each instruction, on the launch's thread.

    def _decide(self, observer: StoppingObserver, lanes: lane_sets.Lanes) -> Stop | None:
        plan = self._plan
        if plan.quiet:
            return plan.stops(observer, lanes)
        if self.watchpoints and (stop := self._changed(observer)) is not None:
            return stop
        here = self._at.get((observer.batch.frame_running.plan.function.name, observer.pc)) if self._at else None
        if here and (hit := self._hit(here, observer, lanes)):
            return hit
        return plan.stops(observer, lanes)

    def _hit(self, here: list[Breakpoint], observer: StoppingObserver, lanes: lane_sets.Lanes) -> Stop | None:
        """The stop at breakpoints, if one of them holds; the thread that is looked at becomes one for which it does."""
        found: list[int] = []
        message = ""
        for one in here:
            if not one.enabled:
                continue
            lane, problem = self.first_lane(one, observer, lanes)
            if lane is None:
                continue
            if one.skip:
                one.skip -= 1
                continue
            one.hits += 1
            found.append(one.number)
            message = message or f"breakpoint {one.number}" + (f": {problem}" if problem else "")
            geometry = observer.batch.x.geometry
            self.thread = geometry.first * geometry.threads + lane
            if one.once:
                self.breakpoints.pop(one.number, None)
        if not found:
            return None
        self._index()
        return Stop(BREAKPOINT, observer.step, message, tuple(found))

    def first_lane(
        self, one: Breakpoint, observer: StoppingObserver, lanes: lane_sets.Lanes
    ) -> tuple[int | None, str | None]:
        """The lane for which a breakpoint holds, that of the thread looked at first; and why its condition failed."""
        batch = observer.batch
        first = batch.x.geometry.first * batch.x.geometry.threads
        own = self.thread - first
        if one.thread is not None:
            if not holds(lanes, one.thread - first):
                return None, None
            candidates = [one.thread - first]
        elif one.condition is None:
            return (own if holds(lanes, own) and own >= 0 else lane_sets.first(lanes)), None
        else:
            candidates = lane_sets.positions(lanes, batch.x.n).tolist()
            if own >= 0 and holds(lanes, own):
                candidates = [own, *(lane for lane in candidates if lane != own)]
        for lane in candidates:
            try:
                if one.condition is None or self.holds(
                    one.condition, Scope(observer, batch, batch.frame_running, lane)
                ):
                    return lane, None
            except InputError as error:
                return lane, str(error)
        return None, None

    def holds(self, condition: Expression, scope: Scope) -> bool:
        """Whether a condition is true in a thread."""
        found = condition.evaluate(scope)
        return bool(found.number if isinstance(found, Typed) else found)

    def _changed(self, observer: StoppingObserver) -> Stop | None:
        """The stop at the first watchpoint whose value is another than before."""
        for one in self.watchpoints.values():
            scope = self._scope_of(one.thread, observer)
            if not one.enabled or scope is None:
                continue
            new = self._watched(one, scope)
            if new is None or new == one.old:
                continue
            old, one.old = one.old, new
            if old is None:
                continue
            one.hits += 1
            return Stop(
                WATCHPOINT,
                observer.step,
                f"watchpoint {one.number}: {one.text}: {said(old)} -> {said(new)}",
                (one.number,),
            )
        return None

    def _watched(self, one: Watchpoint, scope: Scope) -> object:
        """What a watched expression comes to; None where it does not come to anything."""
        try:
            found = one.expression.evaluate(scope)
            if isinstance(found, Array):
                return tuple(scope.elements(found))
            return tuple(cast("list[Typed]", found)) if isinstance(found, list) else found
        except InputError:
            return None

    def _init_watchpoints(self) -> None:
        for one in self.watchpoints.values():
            scope = self._scope_of(one.thread, self.observer) if self.stop.live else None
            one.old = self._watched(one, scope) if scope is not None else None

    # Looking.

    @property
    def observer(self) -> StoppingObserver:
        """The observer of the execution that there is."""
        if self._execution is None:
            raise InputError("the launch has not begun")
        return self._execution.observer

    @property
    def threads(self) -> int:
        """Threads of a block."""
        x, y, z = self.given.block
        return x * y * z

    @property
    def all_threads(self) -> int:
        """Threads of the launch."""
        x, y, z = self.given.grid
        return x * y * z * self.threads

    def batch_of(self, thread: int) -> ObservedBatch | None:
        """The batch that has a thread; None before it begins, and after it has ended."""
        if not self.stop.live:
            return None
        return self._batch(thread, self.observer)

    def _batch(self, thread: int, observer: StoppingObserver) -> ObservedBatch | None:
        for batch in observer.batches:
            geometry = batch.x.geometry
            if 0 <= thread - geometry.first * geometry.threads < batch.x.n:
                return batch if batch.alive_count else None
        return None

    def lane_of(self, thread: int, batch: ObservedBatch) -> int:
        """The lane of its batch that a thread is."""
        return thread - batch.x.geometry.first * batch.x.geometry.threads

    def where(self, thread: int) -> Here | None:
        """Where a thread is; None where it has ended, or has not begun."""
        batch = self.batch_of(thread)
        if batch is None:
            return None
        lane = self.lane_of(thread, batch)
        return next((group for group in groups(self.observer, batch) if holds(group.lanes, lane)), None)

    def here(self) -> Here:
        """Where the thread is that is looked at. Raises InputError where it has ended, or has not begun."""
        if not self.stop.live:
            raise InputError("the launch has ended; `start` begins it again, `back` goes back")
        found = self.where(self.thread)
        if found is None:
            raise InputError(f"{self.name_of(self.thread)} {self.state_of(self.thread)}")
        return found

    def state_of(self, thread: int) -> str:
        """What a thread does: "running", "ready", what it waits for, "has ended", "has not begun"."""
        found = self.where(thread)
        if found is not None:
            return found.state
        begun = any(0 <= thread - b.x.geometry.first * b.x.geometry.threads < b.x.n for b in self.observer.batches)
        return "has ended" if begun or not self.stop.live else "has not begun"

    def frames(self) -> list[tuple[Frame, int]]:
        """The activations of the thread, innermost first, each with the position in its code."""
        here = self.here()
        return frames(here.frame, here.pc)

    def scope(self, level: int | None = None) -> Scope:
        """The thread's names, in the activation `level` calls up (by default `self.level`)."""
        chain = self.frames()
        level = self.level if level is None else level
        if not 0 <= level < len(chain):
            raise InputError(f"no frame {level}: there are {len(chain)}")
        batch = self.batch_of(self.thread)
        assert batch is not None
        return Scope(self.observer, batch, chain[level][0], self.lane_of(self.thread, batch))

    def _scope_of(self, thread: int, observer: StoppingObserver) -> Scope | None:
        batch = self._batch(thread, observer)
        if batch is None:
            return None
        lane = self.lane_of(thread, batch)
        here = next((group for group in groups(observer, batch) if holds(group.lanes, lane)), None)
        return Scope(observer, batch, here.frame, lane) if here is not None else None

    def evaluate(self, text: str, level: int | None = None) -> Any:
        """What an expression comes to in the thread: a Typed, an Array, a list of Typed or a number.

        Raises InputError for what is no expression, and for names and memory that there are not.
        """
        return parse(text).evaluate(self.scope(level))

    def look_at(self, thread: int) -> None:
        """Chooses the thread that is looked at. Raises InputError for a number that there is not."""
        if not 0 <= thread < self.all_threads:
            raise InputError(f"no thread {thread}: the launch has {self.all_threads}")
        self.thread, self.level = thread, 0

    def number_of(self, block: int, thread: int) -> int:
        """The number of a thread in the launch, by its block's and its own number."""
        return block * self.threads + thread

    def block_number(self, block: Triple) -> int:
        """The number of a block: clusters are numbered one after the other."""
        cluster = self.given.cluster or (1, 1, 1)
        grid = self.given.grid
        outer = [b // c for b, c in zip(block, cluster, strict=True)]
        inner = [b % c for b, c in zip(block, cluster, strict=True)]
        counts = [g // c for g, c in zip(grid, cluster, strict=True)]
        number = outer[0] + counts[0] * (outer[1] + counts[1] * outer[2])
        rank = inner[0] + cluster[0] * (inner[1] + cluster[1] * inner[2])
        return number * cluster[0] * cluster[1] * cluster[2] + rank

    def block_place(self, number: int) -> Triple:
        """The place in the grid of a block with a number."""
        cluster = self.given.cluster or (1, 1, 1)
        w, h, d = cluster
        x, y, z = self.given.grid
        inner = unravel(number % (w * h * d), cluster)
        outer = unravel(number // (w * h * d), (x // w, y // h, z // d))
        return outer[0] * w + inner[0], outer[1] * h + inner[1], outer[2] * d + inner[2]

    def name_of(self, thread: int) -> str:
        """`block (1, 0, 0) thread (3, 0, 0)`."""
        block, own = self.position(thread)
        return f"block {block} thread {own}"

    def position(self, thread: int) -> tuple[Triple, Triple]:
        """The block and the thread's place in it."""
        for batch in self._execution.observer.batches if self._execution is not None else ():
            geometry = batch.x.geometry
            lane = thread - geometry.first * geometry.threads
            if 0 <= lane < geometry.n:
                return geometry.block_of(lane), geometry.thread_of(lane)
        return self.block_place(thread // self.threads), unravel(thread % self.threads, self.given.block)

    def _look_at(self, lanes: lane_sets.Lanes, whole_warp: bool = False) -> None:
        """Looks at one of the lanes that run: at the same thread, if it is one of them."""
        geometry = self.observer.batch.x.geometry
        first = geometry.first * geometry.threads
        own = self.thread - first
        if own >= 0 and holds(lanes, own):
            return
        places = lane_sets.positions(lanes, geometry.n)
        if whole_warp and 0 <= own < geometry.n:
            places = places[geometry.warp[places] == geometry.warp[own]]
        if places.size:
            self.thread = first + int(places[0])


class _Always:
    """A plan that never counts down: it is asked at every instruction."""

    quiet = True

    def __init__(self, inner: Plan) -> None:
        self.inner = inner

    def stops(self, observer: StoppingObserver, lanes: lane_sets.Lanes) -> Stop | None:
        found = self.inner.stops(observer, lanes)
        if isinstance(self.inner, Step):
            self.inner.count = 1
            return found if found is not None and found.kind == "step" else None
        return found


class _AtBreakpoint:
    """Stops where a breakpoint would, without counting."""

    quiet = True

    def __init__(self, session: Session) -> None:
        self.session = session

    def stops(self, observer: StoppingObserver, lanes: lane_sets.Lanes) -> Stop | None:
        place = observer.batch.frame_running.plan.function.name, observer.pc
        for one in self.session.breakpoints.values():
            if one.enabled and place in one.places and self.session.first_lane(one, observer, lanes)[0] is not None:
                return Stop(BREAKPOINT, observer.step, "", (one.number,))
        return None


def unravel(number: int, size: Triple) -> Triple:
    """x, y, z of a number that counts x first."""
    return number % size[0], number // size[0] % size[1], number // (size[0] * size[1])


def said(value: object) -> str:
    """A watched value in words."""
    return " ".join(map(str, cast("tuple[object, ...]", value))) if isinstance(value, tuple) else str(value)
