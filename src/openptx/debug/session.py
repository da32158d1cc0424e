"""A debugged launch: runs to a chosen point, inspects any thread, and goes back by running again."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from openptx.debug.assignments import Assignments
from openptx.debug.breakpoints import Breakpoint, Breakpoints
from openptx.debug.expressions import parse, read_value
from openptx.debug.lanes import (
    Activation,
    LaneGroup,
    batch_of,
    executes,
    frames,
    lane_of,
    last_thread,
    running_thread,
    where,
)
from openptx.debug.numbering import Numbering
from openptx.debug.observer import Abandoned, Decide, StoppingObserver
from openptx.debug.places import Places
from openptx.debug.plans import Continue, Entry, Goto, Plan, Scout, Step, Wanted
from openptx.debug.repeated_launch import RepeatedLaunch
from openptx.debug.scope import Scope
from openptx.debug.stops import ENTRY, EXITED, PAUSE, WATCHPOINT, Stop
from openptx.debug.values import TypedBits, bits_for
from openptx.debug.watchpoints import Watchpoint, Watchpoints, value_of
from openptx.device.textures.surface import Surface
from openptx.engines.interp import lane_sets
from openptx.errors import InputError
from openptx.launch_options import require_options, sequence_of

if TYPE_CHECKING:
    from openptx.debug.places import Place
    from openptx.errors import Triple
    from openptx.runtime import Kernel
    from openptx.runtime.options import Extent
    from openptx.trace.observer import ObservedBatch


class Session:
    """A launch that stops. `stop` says where and why; `thread` is the index in the launch of the current thread.

    `start` runs to the first instruction; the methods after it run further, and return the Stop they reached. `print`
    receives the kernel's output. Between two of these calls every thread can be inspected. `close` ends the launch, as
    does the collection of a session that nobody holds any more.
    """

    def __init__(
        self, kernel: Kernel, grid: Extent, block: Extent, args: Iterable[object] = (), *, shared_mem: int = 0,
        cluster: Extent | None = None, print: Callable[[str], object] = lambda text: None,
    ) -> None:  # fmt: skip
        require_options(shared_mem, None, None, None, None)
        self.kernel = kernel
        arguments = [*sequence_of(args)]
        self.prepared = kernel.prepare(grid, block, arguments, shared_mem, cluster)
        self.numbering = Numbering(self.prepared.grid, self.prepared.block, self.prepared.cluster or (1, 1, 1))
        self.places = Places(kernel.module.program, kernel.name)
        self.breakpoints = Breakpoints(print)
        self.watchpoints = Watchpoints()
        self._assignments = Assignments()
        self.thread = 0
        self.level = 0
        self._numbers = 0
        self._plan: Plan = Entry()
        surfaces = [argument.bytes for argument in arguments if isinstance(argument, Surface)]
        # the launch's thread lives as long as the launch, and must not keep the session alive
        decide = partial(decide_if_there, weakref.WeakMethod(self._decide))
        self._launch = RepeatedLaunch(self.prepared, surfaces, decide, print)
        weakref.finalize(self, self._launch.end).atexit = False
        self.stop = Stop(EXITED, 0, "not started")

    # Running.

    def start(self) -> Stop:
        """Starts or restarts the launch, and stops at the first instruction."""
        self._assignments.rewind(0)
        self._begin(Entry())
        self.thread = self.level = 0
        self.watchpoints.begin(self.observer if self.stop.live else None)
        return self.stop

    def cont(self) -> Stop:
        """Runs to a breakpoint, a fault or the end. At the first instruction a breakpoint there is the stop."""
        if self.stop.kind == ENTRY:
            hit = self.breakpoints.hit(self.observer, self.observer.lanes, self.thread)
            if hit is not None:
                self.stop, self.thread = hit
                return self.stop
        return self._run(Continue())

    def step(
        self, *, line: bool = False, over: bool = False, warp: bool = False, forward: bool = False, count: int = 1
    ) -> Stop:
        """Runs until the thread, or with `warp` any of its warp, reaches its next instruction, or next line.

        With `over` calls are one instruction; with `forward` it has to be later in the function's code.
        """
        lane_group = self.lane_group()
        at = self.places.line(lane_group.op) if line and lane_group.op is not None else None
        inlined = self.places.inlined(lane_group.op)
        depth = lane_group.frame.depth
        after = lane_group.pc if forward else None
        plan = Step(self.thread, self.places, depth, inlined, at, over=over, warp=warp, after=after, count=count)
        stop = self._run(plan)
        if warp and stop.live:
            self.thread = running_thread(self.observer, self.thread, whole_warp=True)
        return stop

    def finish(self) -> Stop:
        """Runs until the thread returns from the selected activation, which may be of an inlined function. Raises
        InputError in a kernel, which has no caller."""
        selected = self.frames()[self.level]
        inlined = self.places.inlined(selected.op)[selected.outward :]
        if selected.frame.parent is None and not inlined:
            raise InputError("the thread is in the kernel itself; `continue` runs to its end")
        return self._run(Step(self.thread, self.places, selected.frame.depth, inlined, out=True))

    def to_barrier(self) -> Stop:
        """Runs until the thread reaches an instruction at which threads wait for each other."""
        return self._run(Step(self.thread, self.places, self.lane_group().frame.depth, barrier=True))

    def goto(self, step: int) -> Stop:
        """Runs to a step, from the start of the launch if it is an earlier one. Raises InputError for a step below
        1."""
        if step < 1:
            raise InputError("steps are counted from 1")
        if self.stop.live and step == self.stop.step and not self.stop.error:
            return self.stop
        if not self.stop.live or step <= self.stop.step:
            self._assignments.rewind(step)
            self._begin(Goto(step))
            self.watchpoints.begin(self.observer if self.stop.live else None)
            return self.stop
        return self._run(Goto(step))

    def back(self, count: int = 1) -> Stop:
        """Goes back by `count` of the thread's instructions; to its first if there are fewer."""
        return self._back(partial(executes, thread=self.thread), deque(maxlen=count), "earlier instruction")

    def back_to_breakpoint(self) -> Stop:
        """Goes back to the previous stop at a breakpoint. Raises InputError if there are no breakpoints."""
        if not self.breakpoints:
            raise InputError("there are no breakpoints to go back to")
        at_breakpoint = partial(self.breakpoints.would_stop, thread=self.thread)
        return self._back(at_breakpoint, deque(maxlen=1), "earlier stop at a breakpoint")

    def _back(self, wanted: Wanted, found: deque[int], what: str) -> Stop:
        now = self.stop.step + (not self.stop.live)
        self._assignments.rewind(now)
        self._begin(Scout(now, wanted, found))
        if not found:
            if self.stop.live:
                self.goto(max(now, 1))
            raise InputError(f"there is no {what}")
        self.level = 0
        return self.goto(found[0])

    def interrupt(self) -> None:
        """Stops a running launch at its next instruction. May be called from any thread, and by signal handlers."""
        self._launch.interrupt()

    def close(self) -> None:
        """Ends the launch, wherever it is. Memory is left as it is then."""
        self._launch.end()
        self.stop = Stop(EXITED, self.stop.step, "closed")

    def _begin(self, plan: Plan) -> None:
        self._plan = plan
        self._stopped_at(self._launch.begin())

    def _run(self, plan: Plan) -> Stop:
        if not self.stop.live:
            raise InputError("the launch has ended; `start` begins it again, `back` goes back")
        self._plan, self.level = plan, 0
        return self._stopped_at(self._launch.resume())

    def _stopped_at(self, stop: Stop) -> Stop:
        """Selects a thread that the stop is about."""
        self.stop = stop
        if stop.kind == WATCHPOINT:
            self.thread = last_thread(self.observer, self.watchpoints[stop.breakpoints[0]].thread)
        elif stop.live and (stop.error is not None or stop.kind == PAUSE):
            self.thread = running_thread(self.observer, self.thread)
        return stop

    # Breakpoints.

    def break_at(
        self, place: str | Place, condition: str | None = None, *, thread: int | None = None, skip: int = 0,
        once: bool = False, live: bool = True, log: Callable[[Scope], str] | None = None,
    ) -> Breakpoint:  # fmt: skip
        """Stops when a thread reaches a line, a label, a function or an instruction.

        A label is looked for in the thread's function first, or in the kernel if not `live`, while the launch runs.
        Raises InputError for a place that does not exist.
        """
        where = self.where(self.thread) if live and self.stop.live else None
        function = where.frame.plan.function if where is not None else self.kernel.function
        text = place if isinstance(place, str) else self.places.describe(place)
        places = frozenset(self.places.find(place, function) if isinstance(place, str) else [place])
        checked = parse(condition) if condition else None
        self._numbers += 1
        made = Breakpoint(self._numbers, text.strip(), places, checked, thread, skip, once, log=log)
        self.breakpoints[made.number] = made
        self.breakpoints.index()
        return made

    def watch(
        self, text: str, condition: str | None = None, *, scope: Scope | None = None, skip: int = 0
    ) -> Watchpoint:
        """Stops when an expression changes: a register, memory, a whole variable.

        Names are resolved in the scope, by default the thread's. Raises InputError if it is not an expression, or has
        no value there.
        """
        expression, scope = parse(text), scope or self.scope()
        expression.evaluate(scope)
        checked = parse(condition) if condition else None
        self._numbers += 1
        function, depth = scope.frame.plan.function.name, scope.frame.depth
        made = Watchpoint(self._numbers, expression.text, expression, scope.thread, depth, function, checked, skip)
        made.old = value_of(made, scope)
        self.watchpoints[made.number] = made
        return made

    def point(self, number: int) -> Breakpoint | Watchpoint:
        """A breakpoint or watchpoint. Raises InputError for a number that does not exist."""
        found = self.breakpoints.get(number) or self.watchpoints.get(number)
        if found is None:
            raise InputError(f"no breakpoint or watchpoint {number}")
        return found

    def delete(self, number: int) -> None:
        """Removes a breakpoint or watchpoint. Raises InputError for a number that does not exist."""
        points = self.breakpoints if isinstance(self.point(number), Breakpoint) else self.watchpoints
        del points[number]
        self.breakpoints.index()

    # Decisions at each instruction, on the launch's thread.

    def _decide(self, observer: StoppingObserver, lanes: lane_sets.Lanes) -> Stop | None:
        plan = self._plan
        self._assignments.repeat(observer)
        if plan.quiet:
            return plan.stops(observer, lanes)
        if self.watchpoints and (stop := self.watchpoints.changed(observer)) is not None:
            return stop
        if (hit := self.breakpoints.hit(observer, lanes, self.thread)) is not None:
            stop, self.thread = hit
            return stop
        return plan.stops(observer, lanes)

    # Inspection.

    @property
    def observer(self) -> StoppingObserver:
        """The observer of the current execution. Raises InputError if the launch has not started."""
        return self._launch.observer

    def batch_of(self, thread: int) -> ObservedBatch | None:
        """The batch that contains a thread; None before it starts, and after it has ended."""
        return batch_of(self.observer, thread) if self.stop.live else None

    def where(self, thread: int) -> LaneGroup | None:
        """Where a thread is; None if it has exited, or has not started."""
        return where(self.observer, thread) if self.stop.live else None

    def lane_group(self) -> LaneGroup:
        """The position of the current thread. Raises InputError if it has exited or has not started."""
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
        begun = any(0 <= lane_of(thread, batch) < batch.x.n for batch in self.observer.batches)
        return "has ended" if begun or not self.stop.live else "has not begun"

    def frames(self) -> list[Activation]:
        """The activations of the thread, innermost first, those of inlined functions included."""
        lane_group = self.lane_group()
        found = list[Activation]()
        for frame, pc in frames(lane_group.frame, lane_group.pc):
            inlined = self.places.inlined(Activation(frame, pc).op)
            found += [Activation(frame, pc, outward) for outward in range(len(inlined) + 1)]
        return found

    def scope(self, level: int | None = None) -> Scope:
        """The thread's names, in the activation `level` calls up (by default `self.level`). Raises InputError if there
        are not that many calls."""
        chain = self.frames()
        level = self.level if level is None else level
        if not 0 <= level < len(chain):
            raise InputError(f"no frame {level}: there are {len(chain)}")
        batch = self.batch_of(self.thread)
        assert batch is not None
        return Scope(self.observer, batch, chain[level].frame, lane_of(self.thread, batch), chain[level].outward)

    def evaluate(self, text: str, level: int | None = None) -> Any:
        """The value of an expression in the thread: TypedBits, an Array, a list of TypedBits or a number.

        Raises InputError if it is not an expression, and for names and memory that do not exist.
        """
        return parse(text).evaluate(self.scope(level))

    # Changing.

    def assign(self, target: str, value: str, scope: Scope | None = None) -> TypedBits:
        """Assigns a value to a register, or an element of memory; returns the new value. Names are resolved in the
        scope.

        Going back to an earlier step undoes it; running again from there repeats it at its step. Raises InputError for
        targets that are not assignable, and for values that the type cannot represent.
        """
        scope = scope or self.scope()
        place = parse(target).place(scope)
        bits = bits_for(read_value(value, scope), place.type)
        if place.register is not None:
            self._change(scope, partial(Scope.set_register, register=place.register, bits=bits))
        else:
            data = place.word(scope, bits).to_bytes(max(place.type.width // 8, 1), "little")
            self._change(scope, partial(Scope.write, space=place.space, address=place.address, data=data))
        return TypedBits(bits, place.type)

    def write(self, space: str, address: int, data: bytes, scope: Scope | None = None) -> None:
        """Writes bytes of memory, as a thread sees it. Raises InputError for memory that it cannot write."""
        self._change(scope or self.scope(), partial(Scope.write, space=space, address=address, data=data))

    def _change(self, scope: Scope, put: Callable[[Scope], None]) -> None:
        self._assignments.make(self.stop.step, scope, put)
        self.watchpoints.begin(self.observer)

    def look_at(self, thread: int) -> None:
        """Selects the current thread. Raises InputError for a thread that does not exist."""
        if not 0 <= thread < self.numbering.threads:
            raise InputError(f"no thread {thread}: the launch has {self.numbering.threads}")
        self.thread, self.level = thread, 0

    def name_of(self, thread: int) -> str:
        """`block (1, 0, 0) thread (3, 0, 0)`."""
        block, own = self.position(thread)
        return f"block {block} thread {own}"

    def position(self, thread: int) -> tuple[Triple, Triple]:
        """The block and the thread's place in it."""
        for batch in self._launch.batches:
            geometry = batch.x.geometry
            lane = lane_of(thread, batch)
            if 0 <= lane < geometry.n:
                return geometry.block_of(lane), geometry.thread_of(lane)
        return self.numbering.thread_at(thread)


def decide_if_there(
    decide: weakref.WeakMethod[Decide], observer: StoppingObserver, lanes: lane_sets.Lanes
) -> Stop | None:
    """The decision of a session; Abandoned if it is gone."""
    made = decide()
    if made is None:
        raise Abandoned
    return made(observer, lanes)
