"""A finding: a diagnostic of an execution, with its thread and the other access or cause."""

from __future__ import annotations

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
_KIND_OF = {code: kind for kind, codes in CODES.items() for code in codes}


@dataclass(frozen=True, slots=True)
class Site:
    """A statement as a thread executed it. `line` is in the program that the PTX was made from, if `.loc` says so."""

    span: Span
    text: str
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
    def thread_text(self) -> str:
        found = [f"block {self.block}"] if self.block is not None else []
        found += [f"thread {self.thread}"] if self.thread is not None else []
        return ", ".join(found)


class Finding(Diagnostic):
    """A defect of an execution, found by `openptx.sanitize`. `kind` is race, init, sync or mem, by default that of the
    code; `count` how often this was seen.

    `line` and `source` are the position in the source program (without `.loc`: in the PTX), `block` and `thread` the
    first thread involved. `other` is the other access of a race, or the statement that is the cause. `notes` are facts,
    a line each: registers, addresses, why nothing orders the two.
    """

    __slots__ = ("count", "idiom", "kernel", "kind", "notes", "other", "site")

    def __init__(
        self, about: str, message: str, file: File, site: Site, *, kernel: str, kind: str = "", label: str = "",
        other: Site | None = None, other_label: str = "", notes: tuple[str, ...] = (), help: str | None = None,
    ) -> None:  # fmt: skip
        labels = (Label(other.span, other_label),) if other is not None and other.span != site.span else ()
        super().__init__(about, message, file, site.span, label, labels=labels, help=help)
        self.kind = kind or _KIND_OF[about]
        self.kernel, self.site, self.other = kernel, site, other
        self.notes = notes
        self.count = 1
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
        """All source lines that the finding names."""
        return {self.line, *([self.other.line] if self.other is not None else [])}

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
        return [*lines, *([f"seen: {self.count} times"] if self.count > 1 else [])]

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
        }


def describe(site: Site) -> str:
    """The position in the source program, with the text of its line."""
    return f"{site.source}: {site.program}" if site.program else site.source


class Collector:
    """The findings of a launch, one per cause."""

    def __init__(self, strict: bool = False) -> None:
        self._found: dict[object, Finding] = {}
        self._strict = strict
        self.limits: list[str] = []
        """What was not watched, and why."""
        self.stuck = False
        """Whether threads wait forever: in another order they may continue, and race."""

    def count_if_known(self, key: object) -> bool:
        """Whether a cause has a finding already, of which this is counted as another occurrence."""
        found = self._found.get(key)
        if found is not None:
            found.count += 1
        return found is not None

    def add(self, key: object, finding: Finding) -> None:
        self._found[key] = finding

    def get(self, key: object) -> Finding | None:
        """The finding of a cause; None if it has none."""
        return self._found.get(key)

    @property
    def unexplained_wait(self) -> bool:
        """Whether threads got stuck, and no known race may be the reason."""
        return self.stuck and not any(finding.kind == "race" for finding in self._found.values())

    @property
    def findings(self) -> list[Finding]:
        """Errors first, each kind in text order."""
        found = [finding for finding in self._found.values() if self._strict or not finding.idiom]
        return sorted(found, key=lambda f: (f.severity != "error", f.span, f.kind))
