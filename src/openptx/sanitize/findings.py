"""A finding: a diagnostic of an execution, with its thread and the other access or cause."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from openptx.diagnostics import Diagnostic, Label
from openptx.errors import Triple
from openptx.source import File, Span

# fmt: off
CODES = {
    "race": ("data-race", "equal-value-race", "tolerated-race", "missing-proxy-fence", "shared-memory-lifetime"),
    "init": ("undefined-value", "undefined-output", "unwritten-copy"),
    "sync": ("unequal-barriers", "skipped-barrier", "early-exit", "ended-lane", "inactive-lane", "mbarrier-misuse",
             "endless-wait", "unfinished-copy", "multiplication-order", "tensor-memory-not-freed"),
    "mem":  ("variable-bounds", "non-coherent-read", "foreign-local-address", "device-memory-leak"),
}
"""The codes of each kind of finding, by name."""
# fmt: on
KINDS = tuple(CODES)
LAST_LINE = 1 << 31
MOST_RELATED = 4
"""How many findings of the same cause the text of one names."""
_KIND_OF = {code: kind for kind, codes in CODES.items() for code in codes}


@dataclass(frozen=True, slots=True)
class Site:
    """A statement as a thread executed it. `file` and `line` are of the program that the PTX was made from, if `.loc`
    says so; `source` is the position as text."""

    span: Span
    text: str
    file: str
    line: int
    source: str
    inlined: tuple[str, ...] = ()
    block: Triple | None = None
    thread: Triple | None = None
    program: str = ""  # the text of that line, if its file can be read

    def as_json(self) -> dict[str, object]:
        return {
            "statement": self.text,
            "line": self.line,
            "source": self.source,
            "block": list(self.block) if self.block is not None else None,
            "thread": list(self.thread) if self.thread is not None else None,
        }

    @property
    def opcode(self) -> str:
        """The instruction with its modifiers, without its predicate and operands."""
        return re.sub(r"^@\S+\s+", "", self.text).partition(" ")[0]

    @property
    def thread_text(self) -> str:
        found = [f"block {self.block}"] if self.block is not None else []
        found += [f"thread {self.thread}"] if self.thread is not None else []
        return ", ".join(found)


@dataclass(frozen=True, slots=True)
class Race:
    """What tells whether two races have one cause.

    `place` is the variable or array, `apart` the smallest unit that contains both threads (an index of
    `races.reports.APART`, -1 if one is no thread), `lines` the first and last line of the two accesses in `file`.
    `cure` is what would prevent it, with `{lines}` for the place, and `orders` whether it orders the accesses.
    `too_narrow`: both are strong, but a scope does not include both threads. `lock` is the variable or array of the
    lock that would order the two. `meet` is whether a barrier of the warp or block between the accesses is the cure.
    `wait` is the position of the wait that has left the copy which is one of them under way. `text` are the positions
    of the two in the PTX, in one function, where `lines` are one line, which says nothing about their order. `again`:
    the earlier access is at the last of the lines, the later one at the first, in the next iteration of a loop.
    `same_store`: threads store to one place by one statement.
    """

    place: str
    apart: int
    file: str
    lines: tuple[int, int]
    cure: str
    orders: bool
    too_narrow: bool
    lock: str = ""
    meet: bool = False
    wait: str = ""
    text: tuple[int, int] = (0, 0)
    again: bool = False
    same_store: bool = False

    @property
    def explains(self) -> bool:
        """Whether it explains other races: a scope, or a lock that is given back by a plain store, orders nothing."""
        return self.too_narrow or self.lock == self.place

    @property
    def in_block(self) -> bool:
        """Whether a barrier of the block could order the two."""
        return self.apart <= 1

    @property
    def at_a_place(self) -> bool:
        """Whether the cure is one statement between the two accesses, such as a barrier."""
        return "{lines}" in self.cure

    def like(self, other: Race) -> bool:
        """Whether one order would be missing in both, if it were missing at one place."""
        alike = self.cure == other.cure or self.too_narrow or other.too_narrow
        by_one_barrier = self.meet and other.meet
        by_one_order = alike and self.apart == other.apart
        return self.orders and self.file == other.file and (by_one_barrier or by_one_order)

    @property
    def between(self) -> tuple[int, int]:
        """The lines between which something must order the two; to the last line of the loop, which is not known."""
        return (self.lines[1], LAST_LINE) if self.again else self.lines

    def precedes_same(self, other: Race) -> bool:
        """Whether one barrier directly before the later accesses orders both: they are at one line, in the same
        iteration of a loop or in the next."""
        return (
            self.meet
            and other.meet
            and self.again != other.again
            and (self.file, self.place, self.apart, self.cure) == (other.file, other.place, other.apart, other.cure)
            and self.later == other.later
        )

    @property
    def later(self) -> int:
        """The line of the later access."""
        return self.lines[0] if self.again else self.lines[1]

    def cure_before(self, line: int) -> str:
        """The help, for a place directly before a line of a loop."""
        return self.cure.replace("{lines}", f"directly before line {line}, in the loop")

    def cure_between(self, low: int, high: int, next: int = 0) -> str:
        """The help, for a place between two lines, or between a line and line `next` of the next iteration."""
        if high == LAST_LINE:
            where = f"after line {low}, before the next iteration of the loop reaches line {next or self.lines[0]}"
        else:
            where = f"between lines {low} and {high}" if low != high else f"around line {low}"
        return self.cure.replace("{lines}", where)


class Finding(Diagnostic):
    """A defect of an execution, found by `openptx.sanitize`. `kind` is race, init, sync or mem, by default that of the
    code; `count` how often this was seen.

    `line` and `source` are the position in the source program (without `.loc`: in the PTX), `block` and `thread` the
    first thread involved. `other` is the other access of a race, or the statement that is the cause. `notes` are facts,
    a line each: registers, addresses, why nothing orders the two. `related` are findings of the same cause. `mbarriers`
    are those that get a wrong number of arrivals, are waited for in vain, or signal the end of a copy that races: each
    by the first thread of its batch and its offset. `leads_to` tells whether another finding follows from the wrong
    value that this one is about. `unwritten` is the variable or array that an undefined value comes from.
    """

    __slots__ = (
        "count",
        "follows",
        "idiom",
        "kernel",
        "kind",
        "leads_to",
        "mbarriers",
        "notes",
        "other",
        "race",
        "related",
        "site",
        "unwritten",
    )

    def __init__(
        self, about: str, message: str, file: File, site: Site, *, kernel: str, kind: str = "", label: str = "",
        other: Site | None = None, other_label: str = "", notes: tuple[str, ...] = (), help: str | None = None,
    ) -> None:  # fmt: skip
        labels = (Label(other.span, other_label),) if other is not None and other.span != site.span else ()
        super().__init__(about, message, file, site.span, label, labels=labels, help=help)
        self.kind = kind or _KIND_OF[about]
        self.kernel, self.site, self.other = kernel, site, other
        self.notes = notes
        self.race: Race | None = None
        self.related: list[Finding] = []
        self.mbarriers: set[tuple[int, int]] = set()
        self.leads_to: Callable[[Finding], bool] | None = None
        self.unwritten = ""
        self.count = 1
        self.follows = False  # from another finding of its cause, if there is one
        self.idiom = False  # reported only on request: see `Options.strict`

    @property
    def line(self) -> int:
        """The line in the source program; without `.loc`, that of the PTX."""
        return self.site.line

    @property
    def source(self) -> str:
        """`kernel.cu:12:3`: the position of that line."""
        return self.site.source

    @property
    def block(self) -> Triple | None:
        """The block of the first thread involved, as `%ctaid`."""
        return self.site.block

    @property
    def thread(self) -> Triple | None:
        """The first thread involved, as `%tid`."""
        return self.site.thread

    @property
    def lines(self) -> set[int]:
        """All source lines that the finding and those related to it name."""
        own = {self.line, *([self.other.line] if self.other is not None else [])}
        return own.union(*(each.lines for each in self.related))

    @property
    def kinds(self) -> set[str]:
        """The kinds of the finding and of those related to it."""
        return {self.kind, *(each.kind for each in self.related)}

    @property
    def facts(self) -> list[str]:
        """The threads and positions, as lines of text."""
        executor = f"kernel `{self.kernel}`" + (f", {self.site.thread_text}" if self.site.thread_text else "")
        lines = [f"by: {executor}", f"source: {describe(self.site)}"]
        lines += [f"inlined: {each}" for each in self.site.inlined]
        if self.other is not None:
            lines.append(f"other: `{self.other.text}`, {describe(self.other)}")
            if self.other.thread_text:
                lines.append(f"by: {self.other.thread_text}")
        lines += self.notes
        also = list(dict.fromkeys(each.one_line for each in self.related))
        lines += [f"also: {each}" for each in also[:MOST_RELATED]]
        if len(also) > MOST_RELATED:
            lines.append(f"also: {len(also) - MOST_RELATED} more findings of this cause")
        return [*lines, *([f"seen: {self.count} times"] if self.count > 1 else [])]

    @property
    def one_line(self) -> str:
        """The finding as a related one: what, and where."""
        where = [self.site.source, *([self.other.source] if self.other is not None else [])]
        return f"{self.severity}[{self.code}] {self.message}: {', '.join(dict.fromkeys(where))}"

    def more(self) -> dict[str, object]:
        """The JSON fields besides those of every diagnostic."""
        return {
            "kind": self.kind,
            "kernel": self.kernel,
            "block": list(self.block) if self.block is not None else None,
            "thread": list(self.thread) if self.thread is not None else None,
            "line": self.line,
            "source": self.source,
            "count": self.count,
            "notes": list(self.notes),
            "other": self.other.as_json() if self.other is not None else None,
            "related": [{"code": each.code, "message": each.message, **each.more()} for each in self.related],
        }


def describe(site: Site) -> str:
    """The position in the source program, with the text of its line."""
    return f"{site.source}: {site.program}" if site.program else site.source
