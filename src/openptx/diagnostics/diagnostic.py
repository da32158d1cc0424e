"""Diagnostic, its parts and collections: plain slotted classes, as `check` imports them; `dataclasses` costs 14 ms."""

from __future__ import annotations

from importlib import import_module

from openptx.diagnostics.codes import Code, code
from openptx.source import File, Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    class Facts(TypedDict, total=False):
        """Optional keyword arguments of a diagnostic besides its message, for functions that forward them."""

        labels: tuple[Label, ...]
        operand: str | None
        expected: str | None
        actual: str | None
        rule: str | None
        help: str | None
        fix: Fix | None
        subject: str


class Label:
    """A second location that explains the first: `declared here`. `kind` tells repairs which (`kinds.py`)."""

    __slots__ = ("kind", "span", "text")

    def __init__(self, span: Span, text: str, kind: str = "") -> None:
        self.span, self.text, self.kind = span, text, kind

    def __repr__(self) -> str:
        return f"Label({self.span}, {self.text!r})"


SAFE = "safe"
SUGGESTION = "suggestion"


class Fix:
    """An edit of the file: replaces `span` by `replacement`. `text` describes it.

    `applicability` is `SAFE` if nothing else can have been intended, so that a tool may apply the fix without asking: a
    missing semicolon, modifiers in another order. It is `SUGGESTION` if other fixes are possible: the nearest name, a
    rounding mode.
    """

    __slots__ = ("applicability", "replacement", "span", "text")

    def __init__(self, span: Span, replacement: str, text: str, applicability: str = SUGGESTION) -> None:
        self.span = span
        self.replacement = replacement
        self.text = text
        self.applicability = applicability

    def __repr__(self) -> str:
        return f"Fix({self.span}, {self.replacement!r}, {self.text!r}, {self.applicability!r})"


class Diagnostic:
    """One finding in one file. Never raised by `check`, only collected.

    `about` is a code or its name (`"PTX0312"`, `"operand-type"`). `message` is one terse sentence: lower case,
    backquotes round PTX text, no full stop. `label` is shown beside the carets, `labels` point at other locations in
    the same file. `operand`, `expected` and `actual` are the facts for tools. `rule` cites the document: the section
    that the code names, unless a more specific one is given. `also` holds further locations of the same error.
    `kind` tells errors of one code apart (`kinds.py`). `marks`: the characters of
    which the parser expected one; `subject`: the name that it is about, where that is not what stands at `span`.
    """

    __slots__ = (
        "about", "actual", "also", "expected", "file", "fix", "help", "kind", "label", "labels", "marks", "message",
        "operand", "rule", "span", "subject",
    )  # fmt: skip

    def __init__(
        self, about: str, message: str, file: File, span: Span, label: str = "", *, labels: tuple[Label, ...] = (),
        operand: str | None = None, expected: str | None = None, actual: str | None = None, rule: str | None = None,
        help: str | None = None, fix: Fix | None = None, also: tuple[Span, ...] = (), kind: str = "",
        marks: str = "", subject: str = "",
    ) -> None:  # fmt: skip
        self.about: Code = code(about)
        self.message = message
        self.file = file
        self.span = span
        self.label = label
        self.labels = labels
        self.operand = operand
        self.expected = expected
        self.actual = actual
        self.rule = rule or self.about.rule
        self.help = help
        self.fix = fix
        self.also = also
        self.kind = kind
        self.marks = marks
        self.subject = subject
        self._move()

    def _move(self) -> None:
        """Moves the locations from a linked file to the file that they were written in. Labels in other files are
        dropped."""
        file, span = self.file.origin(self.span)
        if file is self.file:
            return
        linked, by = self.file, span[0] - self.span[0]
        self.file, self.span = file, span
        self.labels = tuple(
            Label((label.span[0] + by, label.span[1] + by), label.text, label.kind)
            for label in self.labels
            if linked.origin(label.span)[0] is file
        )
        self.also = tuple(place for at in self.also for origin, place in [linked.origin(at)] if origin is file)
        self.fix = None

    @property
    def code(self) -> str:
        """The stable code: `PTX0312`."""
        return self.about.code

    @property
    def name(self) -> str:
        """The stable name: `operand-type`."""
        return self.about.name

    @property
    def severity(self) -> str:
        """`error` or `warning`."""
        return self.about.severity

    @property
    def filename(self) -> str:
        """The name of the file that the diagnostic is about."""
        return self.file.name

    @property
    def location(self) -> tuple[int, int]:
        """Row and column of the first character, from 1."""
        return self.file.location(self.span[0])

    @property
    def end_location(self) -> tuple[int, int]:
        """Row and column just after the last character, from 1."""
        return self.file.location(self.span[1])

    @property
    def facts(self) -> list[str]:
        """Further facts for people, one line `kind: text` each."""
        return []

    def more(self) -> dict[str, object]:
        """Facts for tools of one kind of diagnostic, besides the fields that all have."""
        return {}

    def with_locations(self, also: tuple[Span, ...]) -> Diagnostic:
        """The same diagnostic with the other locations of its error."""
        found = self.advising(self.help, self.fix)
        found.also = also
        return found

    def advising(self, help: str | None, fix: Fix | None) -> Diagnostic:
        """The same diagnostic with different advice."""
        return Diagnostic(
            self.code, self.message, self.file, self.span, self.label, labels=self.labels, operand=self.operand,
            expected=self.expected, actual=self.actual, rule=self.rule, help=help, fix=fix, also=self.also,
            kind=self.kind, marks=self.marks, subject=self.subject,
        )  # fmt: skip

    def __str__(self) -> str:
        row, column = self.location
        return f"{self.filename}:{row}:{column}: {self.severity}[{self.code}] {self.message}"

    def __repr__(self) -> str:
        return f"<Diagnostic {self}>"

    def _repr_html_(self) -> str:
        return in_notebook([self])


class Diagnostics(list[Diagnostic]):
    """The result of `check`: diagnostics in text order, which a notebook shows like a terminal."""

    def _repr_html_(self) -> str:
        return in_notebook(self)


def in_notebook(diagnostics: list[Diagnostic]) -> str:
    """Diagnostics as HTML; the renderer is imported on first use, because `check` starts without it."""
    return import_module("openptx.diagnostics.render.notebook").render(diagnostics)


class Collector:
    """Collects the diagnostics of a file, and returns them in text order.

    `add(diagnostic, cause)`: a second diagnostic with an equal `cause` becomes a further location of the first.
    Pass as cause what the user would fix once: an undeclared name, an unknown opcode. Without one nothing is folded.
    """

    __slots__ = ("_also", "_found")

    def __init__(self) -> None:
        self._found: list[tuple[Diagnostic, object]] = []
        self._also: dict[object, list[Span]] = {}

    def add(self, diagnostic: Diagnostic, cause: object = None) -> None:
        """Collects a diagnostic, or adds it to the first one with the same cause."""
        if cause is None:
            self._found.append((diagnostic, None))
        elif (also := self._also.get(cause)) is not None:
            also.append(diagnostic.span)
        else:
            self._also[cause] = []
            self._found.append((diagnostic, cause))

    def again(self, cause: object, span: Span) -> bool:
        """Adds a location to the diagnostic of a cause; False if there is none yet."""
        also = self._also.get(cause)
        if also is not None:
            also.append(span)
        return also is not None

    def extend(self, diagnostics: list[Diagnostic]) -> None:
        """Adds diagnostics that another pass collected."""
        for diagnostic in diagnostics:
            self.add(diagnostic)

    def not_since(self, before: int, diagnostics: list[Diagnostic]) -> list[Diagnostic]:
        """The ones of `diagnostics` that are not among the ones collected after the first `before`."""
        known = {(found.name, found.span) for found, _ in self._found[before:]}
        return [each for each in diagnostics if (each.name, each.span) not in known] if known else diagnostics

    def since(self, before: int) -> list[Diagnostic]:
        """Those collected after the first `before`."""
        return [found for found, _ in self._found[before:]]

    def replace(self, before: int, found: list[Diagnostic]) -> None:
        """Replaces those collected after the first `before`; those that stay keep their further locations."""
        causes = {id(known): cause for known, cause in self._found[before:]}
        self._found[before:] = [(each, causes.get(id(each))) for each in found]

    def __len__(self) -> int:
        return len(self._found)

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """All of them, in text order; those at one location in the order they were found."""
        found = [d.with_locations(self._others(d, cause)) if self._also.get(cause) else d for d, cause in self._found]
        return sorted(found, key=lambda diagnostic: diagnostic.span[0])

    def _others(self, first: Diagnostic, cause: object) -> tuple[Span, ...]:
        """The further locations of a diagnostic: it may have been found again at its own."""
        return tuple(span for span in dict.fromkeys(self._also[cause]) if span != first.span)
