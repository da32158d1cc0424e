"""Finds reads of memory that no path has written, in the LLVM text of a kernel: a must-be-written analysis.

What is followed: stack slots (registers `%r`, masks `%m`, `%live`, counters, values of a warp), the fields of a warp's
frame, and the arguments of called functions. A slot has what its *warp* wrote: where another warp runs on (`warp`,
`following`, `again`), slots are as unwritten as in the beginning, and a frame has what was written where the warp
stopped. Whoever continues elsewhere finds the frame as the exit has left it: the generic version at `enter`, and the
interpreter.

Lanes wait at a block only if its mask is not zero, and dispatches ask. So for each mask, too, it is followed what is
written if that is not zero.

    made, problems = unwritten_of_kernel(...)   the kernel, its generic version, and what the interpreter will read
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from openptx.device.image import Image
from openptx.engines.native import abi
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.deopt.frame_state import FrameState
from openptx.engines.native.pipeline import LoweredKernel, lower_kernel
from openptx.engines.native.settings import Options
from openptx.program import Function, Program

_TYPE = r"(ptr|double|float|half|i\d+|<\d+ x \w+>)"
_DEFINED = re.compile(r"^(%[\w.]+) = (.*)$")
_LOAD = re.compile(rf"load (?:volatile )?{_TYPE}, ptr (%[\w.]+)(?:, |$)")
_STORE = re.compile(rf"^store (?:volatile )?{_TYPE} (.*), ptr (%[\w.]+)(?:, |$)")
_FIELD = re.compile(r"getelementptr i8, ptr (%[\w.]+), i64 (\d+)$")
_NAME = re.compile(r"%[\w.]+")
_OTHERWISE = re.compile(r"select <\d+ x i1> \S+, <.*, <\d+ x \w+> (%[\w.]+)$")
_CALLED = re.compile(r"call i32 @(function\d+)\(ptr %w, ptr %in")
_LABELS = re.compile(r"label %([\w.]+)")
_NEW_WARP = re.compile(r"(?:warp|following\d+|again\d+)$")
_RESUMED, _ENTERED = re.compile(r"resume(\d+)$"), re.compile(r"enter(\d+)$")
_AGAIN = re.compile(r"br label %again(\d+)$")
_OF_WARP = re.compile(r"%(?:r\d+|m\d+|live|turns|tries)(?:\.[ab])?$")
_BITS = {"ptr": 64, "double": 64, "float": 32, "half": 16}

EVERY = -1
"""All slots, as a set of bits."""

Stop = tuple[str, int]
"""Whether a warp leaves for the interpreter (deoptimize) or not (stop), and its resume position."""

Slot = tuple[str, int, int]
"""The name of what it lies in, offset, bits. Registers and masks are whole: 0 and 0."""


class Branch(NamedTuple):
    """A block's last line, where it asks whether one of some masks is not zero."""

    masks: frozenset[str]
    yes: str
    no: str


class Step(NamedTuple):
    """What a line does with a slot."""

    kind: str  # read, kept (a read for lanes that may wait), write, zero (a write), stop, deoptimize (with this
    # resume position), call (of a function)
    slot: Slot
    line: str


class State(NamedTuple):
    """Slots that are written, as bits; and those that are if a mask is not zero."""

    written: int
    unless_zero: Mapping[str, int]

    def known_if(self, masks: Iterable[str]) -> int:
        """Slots that are written if one of the masks is not zero."""
        known = EVERY
        for mask in masks:
            known &= self.unless_zero.get(mask, self.written)
        return known

    def written_if_any_waits(self, slots: int) -> bool:
        """Whether slots are written if lanes wait at one of some blocks: those are the lanes that need them."""
        return any(known != EVERY and known & slots == slots for known in self.unless_zero.values())

    def with_written(self, more: int) -> State:
        return State(self.written | more, {mask: slots | more for mask, slots in self.unless_zero.items()})

    def with_mask(self, masks: Iterable[str], slots: int) -> State:
        return State(self.written, {**self.unless_zero, **dict.fromkeys(masks, slots)})

    def met(self, other: State) -> State:
        masks = {*self.unless_zero, *other.unless_zero}
        found = {mask: self.known_if((mask,)) & other.known_if((mask,)) for mask in masks}
        return State(self.written & other.written, found)


class FunctionText:
    """One function: its blocks and what each does with slots."""

    def __init__(self, text: str) -> None:
        head, *lines = text.splitlines()
        found = re.search(r"@([\w.]+)\(", head)
        assert found is not None
        self.name = found[1]
        self.lines: dict[str, list[str]] = {"entry": []}
        block = self.lines["entry"]
        for line in lines:
            if line.endswith(":"):
                block = self.lines.setdefault(line[:-1], [])
            elif line and line != "}" and not line.startswith(";"):
                block.append(line)
        self.whole: set[str] = set()
        """Slots that are one value."""
        self.masks: dict[str, frozenset[str]] = {}
        """By name of an i1, a word or a mask: the masks whose union it is, or whether that is not zero."""
        self.places: dict[str, tuple[str, int]] = {"%frame": ("frame", 0), "%frames": ("frames", 0)}
        """What names point to: a thing and an offset in it."""
        self.places |= {name: (name, 0) for name in ("%arguments", "%in")}
        self.frame_size = 1 << 62
        for block in self.lines.values():
            for line in block:
                if (given := _DEFINED.match(line)) is not None:
                    self.find_place(*given.groups())
                    self.find_mask(*given.groups())
        uses = Counter(name for block in self.lines.values() for line in block for name in _NAME.findall(line))
        selected = {found[1] for block in self.lines.values() for line in block if (found := _OTHERWISE.search(line))}
        self.blended = {name for name in selected if uses[name] == 2}
        """Values that only lanes keep which do not execute: whatever they are."""
        self.branches = {label: branch for label in self.lines if (branch := self.branch(label)) is not None}
        self.goals = {label: self.goals_of(block) for label, block in self.lines.items()}
        self.bit: dict[Slot, int] = {}
        self.steps = {label: list(self.steps_of(block)) for label, block in self.lines.items()}
        self.stops: dict[Stop, int] = {}
        """What of the frame was written wherever the warp stops there."""

    def find_place(self, name: str, text: str) -> None:
        if text.startswith("alloca"):
            if not text.startswith("alloca [") and name != "%here":  # whose address alone is read
                self.whole.add(name)
        elif name == "%place":
            self.frame_size = int(text.rsplit(" ", 1)[1]) or 1 << 62
        elif text.startswith("load ptr, ptr %frame.slot"):
            self.places[name] = ("frame", 0)
        elif (at := _FIELD.match(text)) is not None and at[1] in self.places:
            thing, offset = self.places[at[1]]
            self.places[name] = (thing, offset + int(at[2]))

    def find_mask(self, name: str, text: str) -> None:
        if (load := _LOAD.match(text)) is not None and re.match(r"%m\d+", load[2]):
            self.masks[name] = frozenset((load[2],))
        elif re.match(r"or |bitcast |icmp ne i32 %[\w.]+, 0", text):
            sources = [self.masks.get(source) for source in _NAME.findall(text)]
            if all(sources):
                self.masks[name] = frozenset[str]().union(*(s for s in sources if s))

    def goals_of(self, block: list[str]) -> list[str]:
        return list(dict.fromkeys(_LABELS.findall(block[-1]))) if block else []

    def branch(self, label: str) -> Branch | None:
        found = re.match(r"br i1 (%[\w.]+), label %([\w.]+), label %([\w.]+)", (self.lines[label] or [""])[-1])
        if found is None or found[1] not in self.masks or found[2] == found[3]:
            return None
        return Branch(self.masks[found[1]], found[2], found[3])

    def slot(self, name: str, t: str) -> Slot | None:
        if name in self.whole:
            return name, 0, 0
        thing, offset = self.places.get(name, ("", 0))
        if thing == "frame" and offset < self.frame_size and (offset == abi.LIVE or offset >= abi.SAVED):
            return thing, offset, bits(t)
        return (thing, offset, bits(t)) if thing in ("%in", "%arguments") else None

    def steps_of(self, block: list[str]) -> Iterator[Step]:
        deoptimizes = f"ret i32 {abi.DEOPTIMIZED}" in block
        leaves = (
            deoptimizes or f"ret i32 {abi.SIDE_EXIT}" in block
        )  # with what only waiting lanes need, if there are any
        for line in block:
            if line.split(" ", 1)[0] in self.blended:
                continue
            text = found[2] if (found := _DEFINED.match(line)) else line
            for kind, slot in self.steps_in(text):
                if kind == "stop" and deoptimizes:
                    kind = "deoptimize"
                if leaves and kind == "read" and re.match(r"%r\d+", slot[0]):
                    continue
                if leaves and kind == "read" and slot[0] == "frame":
                    kind = "kept"
                if kind in ("read", "kept", "write", "zero"):
                    self.bit.setdefault(slot, len(self.bit))
                yield Step(kind, slot, line)

    def steps_in(self, text: str) -> Iterator[tuple[str, Slot]]:
        if text.startswith("alloca "):
            return
        if (load := _LOAD.match(text)) is not None:
            if (slot := self.slot(load[2], load[1])) is not None:
                yield "read", slot
        elif (store := _STORE.match(text)) is not None:
            t, value, place = store.groups()
            resumes = self.places.get(place) == ("frame", abi.RESUME)
            if resumes or (place == "%came" and value.isdigit() and value != "0"):
                yield "stop", ("", int(value), 0)
            if (slot := self.slot(place, t)) is not None:
                yield "zero" if value == "zeroinitializer" else "write", slot
        elif (called := _CALLED.search(text)) is not None:
            yield "call", (called[1], 0, 0)
        elif (again := _AGAIN.match(text)) is not None:
            yield "stop", ("", int(again[1]), 0)
        else:
            yield from (("read", (name, 0, 0)) for name in _NAME.findall(text) if name in self.whole)

    def bits_of(self, slots: Iterable[Slot]) -> int:
        found = 0
        for slot in slots:
            found |= 1 << self.bit.setdefault(slot, len(self.bit))
        return found

    def slots_of(self, written: int, thing: str) -> frozenset[Slot]:
        return frozenset(slot for slot, i in self.bit.items() if written >> i & 1 and slot[0] == thing)

    # The analysis

    def analyse(self, entered: Mapping[int, Iterable[Slot]], needed: Mapping[str, frozenset[Slot]]) -> list[str]:
        """Reads of what has not been written. `entered`: what frames have where the generic version begins;
        `needed`: the arguments that functions read."""
        for slots in needed.values():
            self.bits_of(("%in", *slot[1:]) for slot in slots)
        self.entered = {at: self.bits_of(slots) for at, slots in entered.items()}
        self.of_frame = self.bits_of(slot for slot in self.bit if slot[0] == "frame")
        self.of_warp = self.bits_of(slot for slot in self.bit if _OF_WARP.match(slot[0])) | self.of_frame
        self.values = self.bits_of(slot for slot in self.bit if slot[0].endswith(".slot"))
        self.needed = needed
        before = {"entry": State(0, {})}
        work = ["entry"]
        while work:
            label = work.pop()
            state, stops, _ = self.through(label, before[label])
            for at, written in stops:
                joined = written & self.stops.get(at, EVERY) & self.of_frame
                if self.stops.get(at) != joined:
                    self.stops[at] = joined
                    work += [f"resume{at[1]}"] if f"resume{at[1]}" in before else []
            for goal in self.goals[label]:
                arrives = self.along(label, goal, state)
                joined = arrives.met(before[goal]) if goal in before else arrives
                if before.get(goal) != joined:
                    before[goal] = joined
                    work.append(goal)
        return [problem for label, state in before.items() for problem in self.through(label, state)[2]]

    def along(self, label: str, goal: str, state: State) -> State:
        """A state on an edge, where a branch has told that some masks are zero, or that one of them is not."""
        branch = self.branches.get(label)
        if branch is not None:
            zero = goal == branch.no
            state = state.with_mask(branch.masks, EVERY) if zero else state.with_written(state.known_if(branch.masks))
        own = goal.replace("block", "%m")  # the last candidate is not asked: lanes are there if they are nowhere else
        return state.with_written(state.known_if((own,))) if own in self.whole else state

    def begun(self, label: str, state: State) -> State:
        """What is written where a block begins, after what changes there."""
        if _NEW_WARP.match(label):
            return State(state.written & ~self.of_warp, {})
        if found := _RESUMED.match(label):
            frame = self.stops.get(("stop", int(found[1])), self.of_frame)
        elif found := _ENTERED.match(label):
            frame = self.entered.get(int(found[1]), 0)
        elif label == "begin":
            frame = 0
        else:
            return state
        kept = {  # a mask that is zero stays zero, whatever the frame has
            mask: slots if slots == EVERY else slots & ~self.of_frame | frame
            for mask, slots in state.unless_zero.items()
        }
        return State(state.written & ~self.of_frame | frame, kept)

    def through(self, label: str, before: State) -> tuple[State, list[tuple[Stop, int]], list[str]]:
        """What is written after a block, where warps stop in it, and what is read in it that was not written."""
        here, stops, problems = 0, list[Stop](), list[str]()
        state = self.begun(label, before)
        passes_on = self.values if _NEW_WARP.match(label) else 0
        for kind, slot, line in self.steps[label]:
            bit = 1 << self.bit[slot] if slot in self.bit else 0
            if kind in ("write", "zero"):
                state = state.with_written(bit)
                here |= bit
                if slot[0].startswith("%m"):
                    state = state.with_mask((slot[0],), EVERY if kind == "zero" else state.written)
            elif kind in ("stop", "deoptimize"):
                stops.append((kind, slot[1]))
            elif kind == "kept" and state.written_if_any_waits(bit):
                continue
            else:
                wanted = self.bits_of(("%in", *s[1:]) for s in self.needed.get(slot[0], ())) if kind == "call" else bit
                if wanted & ~state.written & ~passes_on:
                    problems.append(f"@{self.name}, {label}: {slot} is not written before `{line}`")
        # Values of the warp before may be read, but are not left to this one.
        state = State(state.written & ~(passes_on & ~here), state.unless_zero)
        return state, [(at, state.written) for at in stops], problems


def bits(t: str) -> int:
    """The size of a value of a type of LLVM."""
    if t.startswith("<"):
        count, element = t[1:-1].split(" x ")
        return int(count) * bits(element)
    return _BITS[t] if t in _BITS else int(t[1:])


def unwritten(
    text: str, entered: Mapping[int, Iterable[Slot]] | None = None
) -> tuple[list[str], dict[Stop, frozenset[Slot]]]:
    """What is read unwritten in the functions of a text, and what of a frame is written where the kernel stops."""
    found = [FunctionText(each[0]) for each in re.finditer(r"^define .*?^}$", text, re.MULTILINE | re.DOTALL)]
    needed = {f.name: frozenset(s for s in f.bit if s[0] == "%arguments") for f in found}
    problems, stops = list[str](), dict[Stop, frozenset[Slot]]()
    for f in found:
        problems += [p for p in f.analyse(entered or {}, needed) if "('%arguments'" not in p]
        if f.name in ("kernel", "slow"):
            stops = {at: f.slots_of(written, "frame") for at, written in f.stops.items()}
    return problems, stops


def undefined_values(text: str) -> list[str]:
    """Lines that use `undef`, or `poison` elsewhere than where a vector or structure begins to be made; and lines that
    use a vector some of whose elements were not inserted."""
    problems: list[str] = []
    partial: dict[str, int] = {}  # how many elements are left out
    for line in text.splitlines():
        name, _, code = line.strip().partition(" = ")
        moves = code.startswith(("insertelement", "shufflevector", "insertvalue"))
        unwanted = "undef" in line or ("poison" in line and not moves)
        if unwanted or (not moves and any(used in partial for used in _NAME.findall(code or line))):
            problems.append(line)
        if line.startswith("define"):
            partial.clear()
        elif made := re.match(r"insertelement <(\d+) x \w+> (\S+),", code):
            left = int(made[1]) - 1 if made[2] == "poison" else partial.get(made[2], 1) - 1
            if left:
                partial[name] = left
    return problems


def left_for_interpreter(states: Mapping[int, FrameState], stops: Mapping[Stop, Iterable[Slot]]) -> Iterator[str]:
    """What the interpreter reads of frames that was not written there."""
    for at, state in states.items():
        found = stops.get(("deoptimize" if at < 0 else "stop", at))
        if found is None:
            continue
        offsets = {offset for _, offset, _ in found}
        wanted = [r.offset for r in state.cells if r.known is None]
        wanted += [abi.SAVED + 4 * i for i in range(len(state.waiting) + 1)] if at < 0 else []
        yield from (f"the interpreter at {at}: frame + {o} is not written" for o in wanted if o not in offsets)


def unwritten_of_kernel(
    program: Program, function: Function, image: Image, options: Options
) -> tuple[LoweredKernel, list[str]]:
    """A kernel's text, and all that is wrong with it and with its generic version."""
    made = lower_kernel(program, function, image, options)
    metadata = made.metadata
    problems, stops = unwritten(made.text)
    problems += [problem for text in (made.text, *(f.text for f in made.shared)) for problem in undefined_values(text)]
    problems += left_for_interpreter(metadata.frame_states, stops)
    if metadata.exits:
        plain = options._replace(lane_facts=False, speculates=False)
        try:
            slow = lower_kernel(program, function, image, plain, metadata.exits, metadata.globals, ())
        except UnsupportedByJit:  # the interpreter continues
            return made, problems
        given = {at: stops[stop] for at in metadata.exits if (stop := ("stop", -2 - at)) in stops}
        more, after = unwritten(slow.text, given)
        problems += [f"generic version: {p}" for p in more]
        problems += [f"generic version: {p}" for p in left_for_interpreter(slow.metadata.frame_states, after)]
    return made, problems
