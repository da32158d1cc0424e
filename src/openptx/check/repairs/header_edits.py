"""The lowest version and target that a file needs: one error at the header instead of one at each instruction that the
header is too old for."""

from __future__ import annotations

from bisect import bisect_left

from openptx.check.repairs.errors import GATES, count_by_key
from openptx.check.repairs.excerpt import excerpt
from openptx.check.unknown_targets import likely_targets
from openptx.check.unknown_targets import meant as as_meant
from openptx.diagnostics import SUGGESTION, Diagnostic, Fix, Label
from openptx.isa.targets import NEWEST, TARGETS, VERSIONS
from openptx.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from openptx.check.header import Header
    from openptx.check.repairs.errors import Errors
    from openptx.isa.targets import Target, Version
    from openptx.source import Span
    from openptx.syntax.directives import Version as VersionDirective
    from openptx.syntax.operands import Name

    CheckText = Callable[[str], list[Diagnostic]]
    Written = Callable[[Version, Target], str]

_LONGEST = 1 << 20
"""Characters of a file whose header is searched for."""
_GATES = GATES | {"target-needs-version"}
_SHOWN = 3
"""Statements that an error points to."""
_NEEDS = 24
"""The most different needs of a file: one with more is a list of instructions for many targets."""
_MOST = 6
"""Targets that are tried for one that does not exist."""
_TARGET = pattern(r"sm_[0-9]+[af]?")
_VERSION = pattern(r"(?<![\w.])([0-9])\.([0-9])(?![\w.])")
_ASSEMBLED = 75
"""The oldest target that the assembler still makes code for."""


def settle_header(header: Header, found: list[Diagnostic], check_text: CheckText) -> list[Diagnostic]:
    """The findings with one for all statements that the file's version or target is too old for, and with the version
    or target where that is missing; each if a second check proves that edit of the header."""
    if len(header.module.file.text) > _LONGEST:
        return found
    found = [_COMPLETED[each.name](header, each, check_text) if each.name in _COMPLETED else each for each in found]
    old = [each for each in found if each.name in _GATES]
    return _fold(header, found, old, check_text) if old else found


def _fold(header: Header, found: list[Diagnostic], old: list[Diagnostic], check_text: CheckText) -> list[Diagnostic]:
    stated, known_target = _directives(header), all(each.name != "target-needs-version" for each in old)
    if stated is None or (known_target and len({each.expected for each in old}) > _NEEDS):
        return found
    version, name, target = stated
    text = header.module.file.text
    start, end = version.number_span[0], name.span[1]
    between = text[version.number_span[1] : name.span[0]]

    def replacement(version: Version, target: Target) -> str:
        return f"{version[0]}.{version[1]}{between}{target.name}"

    known = count_by_key(each for each in found if each.name not in _GATES)
    lowest = _Search(text, (start, end), replacement, check_text, known).lowest(header.version, target, old)
    if lowest is None:
        return found
    (meant, machine), newer_target = lowest, lowest[1] is not target
    number = f"{meant[0]}.{meant[1]}"
    if not newer_target:
        fix = Fix(version.number_span, number, f"say `.version {number}`", SUGGESTION)
    elif meant == header.version:
        fix = Fix(name.span, machine.name, f"say `.target {machine.name}`", SUGGESTION)
    else:
        said = f"say `.version {number}` and `.target {machine.name}`"
        fix = Fix((start, end), replacement(meant, machine), said, SUGGESTION)
    if len(old) == 1:
        return [each.advising(each.help, each.fix or fix) if each is old[0] else each for each in found]
    needed = machine.name if newer_target else number
    one = _summary(header, old, fix, name.span if newer_target else version.number_span, needed)
    return sorted((one, *(each for each in found if each not in old)), key=lambda each: each.span[0])


def _directives(header: Header) -> tuple[VersionDirective, Name, Target] | None:
    """The version, the target after it, and what that is; None if the header does not say both in this order."""
    version, targets = header.stated
    if version is None or header.target is None or targets is None:
        return None
    name = next((each for each in targets.targets if each.text == header.target.name), None)
    if name is None or name.span[0] < version.number_span[1]:
        return None
    return version, name, header.target


def _summary(header: Header, old: list[Diagnostic], fix: Fix, place: Span, needed: str) -> Diagnostic:
    """The one error for all that the header is too old for."""
    file = header.module.file
    written = file.text[slice(*place)]
    by_target = written[:1] == "s"
    uses = [each for each in old if each.name != "target-needs-version"] or old
    places = sorted({place for each in uses for place in (each.span, *each.also)})
    count = len({file.location(start)[0] for start, _ in places})
    said = f".target {written}" if by_target else f".version {written}"
    users = "one line uses" if count == 1 else f"{count} lines use"
    wrong = f"`{said}` {'does not have' if by_target else 'is too old for'} what {users}"
    labels = tuple(Label(each.span, f"needs {each.expected}") for each in _distinct(uses)[:_SHOWN])
    return Diagnostic(
        "needs-target" if by_target else "needs-version", wrong, file, place,
        "not enough for the file", labels=labels, expected=needed, actual=written,
        fix=fix, also=tuple(places),
    )  # fmt: skip


def _distinct(old: list[Diagnostic]) -> list[Diagnostic]:
    """The first error of each cause."""
    return list({each.expected: each for each in reversed(old)}.values())[::-1]


def _with_version(header: Header, error: Diagnostic, check_text: CheckText) -> Diagnostic:
    """The error that the version is missing, with the lowest that the file can have."""
    text, fix = header.module.file.text, error.fix
    if fix is None or header.target is None or fix.span[0] != fix.span[1]:
        return error
    written = fix.replacement.replace("{}.{}".format(*NEWEST), "{}")
    searched = _Search(text, fix.span, lambda version, _: written.format("{}.{}".format(*version)), check_text)
    lowest = searched.lowest(header.target.since, header.target)
    if lowest is None or "{}" not in written:
        return error
    said = f".version {lowest[0][0]}.{lowest[0][1]}"
    return error.advising(error.help, Fix(fix.span, f"{said}\n", f"begin the file with `{said}`", fix.applicability))


def _with_target(header: Header, error: Diagnostic, check_text: CheckText) -> Diagnostic:
    """The error that the target is missing, with the lowest that the file can have."""
    version, targets = header.stated
    if version is None or targets is not None:
        return error
    end = version.span[1]
    searched = _Search(header.module.file.text, (end, end), lambda _, target: f"\n.target {target.name}", check_text)
    since = [each for each in TARGETS.values() if each.since <= header.version]
    first = min(since, key=lambda each: (each.number < _ASSEMBLED, abs(each.number - _ASSEMBLED), each.suffix))
    lowest = searched.lowest(header.version, first)
    if lowest is None or lowest[0] != header.version:
        return error
    said = f".target {lowest[1].name}"
    return error.advising(f"say what the file is for, such as `{said}`", Fix((end, end), f"\n{said}", f"say `{said}`"))


def _with_likely_target(header: Header, error: Diagnostic, check_text: CheckText) -> Diagnostic:
    """The error of a target that does not exist, with one that is like it and that the file can have."""
    if header.target is not None or header.stated[0] is None:
        return error
    text = header.module.file.text
    searched = _Search(text, error.span, lambda _, target: target.name, check_text)
    likely = [TARGETS[each] for each in likely_targets(text[slice(*error.span)])[:_MOST] if each in TARGETS]
    meant = next((each for each in likely if searched.fits(header.version, each)), None)
    if meant is not None:
        return as_meant(error, meant.name)
    lowest = searched.lowest(header.version, likely[0]) if likely else None
    if lowest is None or lowest[0] != header.version:
        return error
    needed = lowest[1].name
    help = " ".join((error.help or "", f"the file needs `{needed}`")).strip()
    return error.advising(help, Fix(error.span, needed, f"say `{needed}`", SUGGESTION))


_COMPLETED = {
    "missing-version": _with_version, "missing-target": _with_target, "unknown-target": _with_likely_target,
}  # fmt: skip


class _Search:
    """Looks for the lowest version and target with which a text has only errors that are known."""

    def __init__(
        self, text: str, span: Span, replacement: Written, check_text: CheckText,
        known: Errors | None = None,
    ) -> None:  # fmt: skip
        self.text, self.span, self.replacement, self.check_text, self.known = text, span, replacement, check_text, known

    def lowest(
        self, version: Version, target: Target, old: list[Diagnostic] | None = None
    ) -> tuple[Version, Target] | None:
        """These, or the next ones; `old`: the errors that the text has with them."""
        whole = self.text
        if old is None:
            old = [each for each in self._errors(whole, version, target) if each.name in _GATES]
        rows = {each.location[0] for each in _distinct(old)}
        shift = self.replacement(version, target).count("\n") if self.known is None else 0
        short = excerpt(whole, {row - shift for row in rows})
        named = " ".join(each.expected or "" for each in old)
        machine = next((each for each in _candidates(target, named) if self._fits(short, NEWEST, each)), None)
        if machine is None:
            return None
        likely = max((version, machine.since, *_named_versions(named)))
        if not self._fits(short, likely, machine):
            possible = [each for each in VERSIONS if each >= version]
            at = bisect_left(possible, True, key=lambda each: self._fits(short, each, machine))
            likely = possible[at] if at < len(possible) else NEWEST
        return (likely, machine) if self._proves(likely, machine) else None

    def fits(self, version: Version, target: Target) -> bool:
        """Whether the text has what it needs with these."""
        return self._fits(self.text, version, target)

    def _errors(self, text: str, version: Version, target: Target) -> list[Diagnostic]:
        start, end = self.span
        return self.check_text(text[:start] + self.replacement(version, target) + text[end:])

    def _fits(self, text: str, version: Version, target: Target) -> bool:
        return all(each.name not in _GATES and each.name != "removed" for each in self._errors(text, version, target))

    def _proves(self, version: Version, target: Target) -> bool:
        """Whether the whole text has only errors that were known."""
        left = [each for each in self._errors(self.text, version, target) if each.severity == "error"]
        return (
            not count_by_key(left) - self.known
            if self.known is not None
            else not any(each.name in _GATES for each in left)
        )


def _candidates(target: Target, named: str) -> Iterator[Target]:
    """A target, and those that errors name: the newer ones first."""
    yield target
    numbered = sorted(TARGETS.values(), key=lambda each: (each.number, each.suffix))
    likely = {TARGETS[each] for each in _TARGET.findall(named) if each in TARGETS} - {target}
    yield from (each for each in numbered if each in likely and each.number >= target.number)
    yield from (each for each in numbered if each in likely and each.number < target.number)


def _named_versions(named: str) -> Iterator[Version]:
    return ((int(major), int(minor)) for major, minor in _VERSION.findall(named))
