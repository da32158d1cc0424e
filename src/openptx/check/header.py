"""Checks the header directives of a file: `.version`, `.target`, `.address_size` (manual 11.1)."""

from __future__ import annotations

from openptx.check.availability import gate_problem
from openptx.check.context import Context
from openptx.diagnostics import SAFE, SUGGESTION, Diagnostic, Fix, Label
from openptx.diagnostics.kinds import NO_DEBUG_INFORMATION
from openptx.isa.targets import MINORS, NEWEST, OPTIONS, VERSIONS, assembled_target, satisfied, target
from openptx.late import late
from openptx.syntax.directives import (
    AddressSize,
    Directive,
    Dwarf,
    Pragma,
    Section,
    SourceFile,
    Target,
    Version,
)
from openptx.syntax.tree import Function, Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Unpack

    from openptx.check.unknown_targets import misread_target, unknown_target
    from openptx.diagnostics import Collector
    from openptx.diagnostics.diagnostic import Facts
    from openptx.isa.targets import Target as Machine
    from openptx.source import Span
    from openptx.syntax.operands import Name
    from openptx.syntax.tree import Statement, SyntaxTree
else:
    misread_target = late("openptx.check.unknown_targets", "misread_target")
    unknown_target = late("openptx.check.unknown_targets", "unknown_target")

_RULE = "PTX ISA, PTX Module Directives (11.1)"
_MOST = 500
"""Findings of a file before those that get no search for the target that was meant."""
_FEW = 8
"""Items of a file among which the directives of its header are looked for."""
_NUMBERS = frozenset(10 * major + minor for major, minor in VERSIONS)
"""The versions by the number that the assembler makes of them: 8.10 is as good as 9.0 (measured, ptxas 13.5)."""
_MODES = frozenset(("texmode_unified", "texmode_independent"))


class Header:
    """The first directives of a file. `target` is None if it is unknown."""

    __slots__ = (
        "_before",
        "_later",
        "_size",
        "_targets",
        "_unreadable",
        "_version",
        "collector",
        "follows_ptxas",
        "independent_textures",
        "module",
        "short_addresses",
        "target",
        "version",
    )  # fmt: skip

    def __init__(
        self, module: SyntaxTree, collector: Collector, override: str | None, follows_ptxas: bool = True
    ) -> None:
        self.module, self.collector, self.follows_ptxas = module, collector, follows_ptxas
        self.version: tuple[int, int] = NEWEST
        self.target: Machine | None = None
        self.short_addresses = True  # whether addresses have 32 bits
        self.independent_textures = False  # whether textures have separate samplers
        self._version: Version | None = None
        self._targets: Target | None = None
        self._size: AddressSize | None = None
        self._later: list[Target] = []
        self._before: Statement | None = None  # set when no directive of the file itself may follow
        self._unreadable = False  # a directive that was meant may be inside it; the parser has reported that
        self._read()
        if self._version is not None:
            self._check_version(self._version)
        if override is not None:
            self.target = target(override)
        elif self._targets is not None:
            self._check_targets(self._targets, self._version)
        if self._targets is not None:
            self._all_options(self._targets)

    @property
    def stated(self) -> tuple[Version | None, Target | None]:
        """The directives that say the version and the target."""
        return self._version, self._targets

    def _all_options(self, first: Target) -> None:
        self._options(first, self.target)
        modes = [name.text for name in first.targets if name.text in _MODES]
        for item in self._later:
            self.later(item, modes[0] if modes else None)

    def later(self, item: Target, mode: str | None = "") -> None:
        """A `.target` after the first one, which a body may have too (measured, ptxas 13.5): its targets are no newer
        than that of the file, its mode of textures is `mode`, or the file's; None where that is still open."""
        first, named = self.target, self.target
        if not self.follows_ptxas or first is None:
            return
        for name in item.targets:
            if name.text in OPTIONS:
                continue
            machine = self._machine(name)
            if machine is not None and (self.version < machine.since or not _runs_on(machine, first)):
                self._conflict(f"`{name.text}` is another target than the file's `{first.name}`", name, "not for it")
            named = machine or named
        if mode == "":
            mode = "texmode_independent" if self.independent_textures else "texmode_unified"
        other = next((name for name in item.targets if name.text in _MODES - {mode}), None)
        if other is not None and mode is not None:
            self._conflict(f"`{other.text}` is not the mode of the file", other, f"the file has `{mode}`")
        self._options(item, named)

    def _read(self) -> None:
        """Finds the directives, and checks their order."""
        for position, item in enumerate(self.module.items):
            match item:
                case Unreadable():
                    self._unreadable = True
                case Version():
                    self._read_version(item)
                case Target():
                    self._read_target(item)
                case AddressSize():
                    self._read_size(item)
                case SourceFile() | Section() | Pragma():
                    self._before = self._before or item
                case _ if self._targets is None:
                    if not self._unreadable:
                        self._missing(self._version, item.span)
                    return
                case _:
                    self._before = self._before or item
            if isinstance(item, Function) and position > 8:
                return
        if self._targets is None and not self._unreadable and (self._version or not self.module.problems):
            end = len(self.module.file.text.rstrip())
            self._missing(self._version, (end, end))

    def _read_version(self, item: Version) -> None:
        if self._version is not None:
            self._report_repeated(item, self._version)
            return
        self._version = item
        self._first(item, self._before, "missing-version", self._unreadable)
        self._before = None

    def _read_target(self, item: Target) -> None:
        if self._targets is None:
            if self._version is None and not self._unreadable:
                self._no_version(
                    item.span, next((each for each in self.module.items[:_FEW] if isinstance(each, Version)), None)
                )
            else:
                self._first(item, self._before, "missing-target", self._unreadable)
            self._targets = item
        elif self.follows_ptxas and (self._before is not None or self._size is not None):
            self._report_repeated(item, self._targets)
        else:
            self._later.append(item)
        self.independent_textures |= any(name.text == "texmode_independent" for name in item.targets)

    def _read_size(self, item: AddressSize) -> None:
        if self._size is not None:
            self._report_repeated(item, self._size)
        elif self._before is not None and self.follows_ptxas:
            self._late(item, self._before)
        elif self._targets is None and not self._unreadable:
            self._before = item
        self._size = self._size or item
        self._address_size(item)

    def _first(self, item: Directive, before: Statement | None, about: str, unreadable: bool) -> None:
        """`.version` and `.target` precede everything else."""
        if before is not None and not unreadable:
            self.collector.add(
                Diagnostic(
                    about, f"`.{item.name}` must come before everything else in the file", self.module.file, item.span,
                    "too late", labels=(Label(before.span, "this can only follow it"),), rule=_RULE,
                    fix=_move_up(self.module, item, before.span[0]),
                ),
                about,
            )  # fmt: skip

    def _late(self, item: AddressSize, before: Statement) -> None:
        self._add(
            "misplaced-directive", "`.address_size` must directly follow `.target`", item,
            labels=(Label(before.span, "this can only follow it"),), rule=_RULE,
            fix=_move_up(self.module, item, before.span[0]),
        )  # fmt: skip

    def _check_version(self, item: Version) -> None:
        between = item.name_span[1], item.number_span[0]
        if self.follows_ptxas and self.module.file.text[slice(*between)].strip(" \t\r\f\x1a"):  # measured, ptxas 13.5
            self._add("missing-version", "only blanks may stand between `.version` and its number", item, rule=_RULE,
                      fix=Fix(between, " ", "write the number after it, in its line"))  # fmt: skip
        if self.follows_ptxas and item.minor > MINORS.get(item.major, -1) and 10 * item.major + item.minor in _NUMBERS:
            message = f"there is no PTX ISA {item.major}.{item.minor}, and the assembler accepts it"
            self._add("document-disagrees", message, item, rule=_RULE)
        elif item.minor > MINORS.get(item.major, -1):
            newer = (item.major, item.minor) > NEWEST
            last = f"{item.major}.{MINORS[item.major]}" if item.major in MINORS else f"{NEWEST[0]}.{NEWEST[1]}"
            self._add(
                "unknown-version",
                f"PTX ISA {item.major}.{item.minor} is newer than {NEWEST[0]}.{NEWEST[1]}, the newest known version"
                if newer
                else f"there is no PTX ISA {item.major}.{item.minor}",
                item,
                expected=f"up to {NEWEST[0]}.{NEWEST[1]}",
                actual=f"{item.major}.{item.minor}",
                rule=_RULE,
                fix=Fix(item.number_span, last, f"say `.version {last}`"),
            )
        self.version = item.major, item.minor

    def _check_targets(self, item: Target, version: Version | None) -> None:
        machines: list[tuple[Name, Machine]] = []
        for name in item.targets:
            if name.text in OPTIONS:
                continue
            if (machine := self._machine(name)) is not None:
                machines.append((name, machine))
        if not machines:
            if all(name.text in OPTIONS for name in item.targets):
                self._add("missing-target", "this `.target` names no architecture", item, rule=_RULE,
                          help=f"begin the list with one, such as `sm_80, {item.targets[0].text}`")  # fmt: skip
            return
        self.target = machines[-1][1]
        if self.follows_ptxas and (first := item.targets[0]).text in OPTIONS:
            self._add("missing-target", f"`{first.text}` can't come before the architecture", item, rule=_RULE,
                      help=f"write `{machines[0][0].text}` first")  # fmt: skip
        newest = max(machines, key=lambda each: each[1].since)
        if version is not None and not (self.follows_ptxas and self._is_header_only()):
            self._old_enough(*newest, version)

    def _old_enough(self, name: Name, machine: Machine, version: Version) -> None:
        """Whether the file's version has this target."""
        if self.version < machine.since:
            major, minor = machine.since
            says = f"{self.version[0]}.{self.version[1]}"
            self.collector.add(
                Diagnostic(
                    "target-needs-version",
                    f"`{name.text}` needs PTX ISA {major}.{minor}, and the file says {says}",
                    self.module.file,
                    name.span,
                    f"since {major}.{minor}",
                    labels=(Label(version.number_span, "older than the target"),),
                    expected=f"{major}.{minor}",
                    actual=says,
                    rule=_RULE,
                    fix=Fix(version.number_span, f"{major}.{minor}", f"say `.version {major}.{minor}`", SAFE),
                )
            )

    def _is_header_only(self) -> bool:
        """Whether the file consists only of its header: the assembler does not compare target and version then."""
        return all(isinstance(item, Version | Target | AddressSize) for item in self.module.items)

    def _options(self, item: Target, target: Machine | None) -> None:
        """What is allowed beside a target."""
        modes = [name for name in item.targets if name.text.startswith("texmode_")]
        if len({name.text for name in modes}) > 1:
            self._conflict(f"`{modes[0].text}` and `{modes[1].text}` exclude each other", modes[1], "one of them")
        for name in item.targets:
            since = OPTIONS.get(name.text)
            if since is None or target is None or not self.follows_ptxas:
                continue
            if not satisfied(since, self.version, target):
                context = Context(self.version, target, "ptxas")
                found = gate_problem(f"`{name.text}`", since, context)
                self.collector.add(
                    Diagnostic(
                        found.about, found.message, self.module.file, name.span, found.label, expected=found.expected,
                        actual=found.actual, rule=_RULE, help=found.help,
                    )
                )  # fmt: skip
        debug = next((name for name in item.targets if name.text == "debug"), None)
        if debug is not None and not any(isinstance(each, (Section, Dwarf)) for each in self.module.items):
            self._conflict(
                "`debug` requires debug information, and the file has none", debug, "no `.section` follows",
                help="leave `debug` out", kind=NO_DEBUG_INFORMATION,
            )  # fmt: skip

    def _conflict(self, message: str, name: Name, label: str, help: str | None = None, kind: str = "") -> None:
        self.collector.add(
            Diagnostic("target-conflict", message, self.module.file, name.span, label, rule=_RULE, help=help, kind=kind)
        )

    def _machine(self, name: Name) -> Machine | None:
        """The target of this name. The assembler reads others too: `compute_80`, as of `nvcc -arch`, and `sm__80`."""
        text = name.text
        if self.follows_ptxas and (machine := assembled_target(text)) is not None:
            if text not in (machine.name, machine.name.replace("sm_", "compute_")):
                self.collector.add(misread_target(self.module.file, name, machine))
            return machine
        machine = target(text) if text.startswith("sm_") else None
        if machine is None:
            self.collector.add(unknown_target(self.module.file, name, search=len(self.collector) < _MOST))
        return machine

    def _address_size(self, item: AddressSize) -> None:
        self.short_addresses = bool(item.values) and item.values[0].value == 32
        if item.values and item.values[0].value not in (32, 64):
            fix = Fix(item.values[0].span, "64", "say `.address_size 64`")
            message = f"an address has 32 or 64 bits, not {item.values[0].value}"
            self._add("address-size", message, item, rule=_RULE, fix=fix)

    def _missing(self, version: Version | None, span: Span) -> None:
        if version is None:
            self._no_version(self.module.items[0].span if self.module.items else span)
        else:
            self._no_target(version)

    def _no_version(self, span: Span, late: Version | None = None) -> None:
        newest = f".version {NEWEST[0]}.{NEWEST[1]}"
        begin = Fix((span[0], span[0]), f"{newest}\n", f"begin the file with `{newest}`")
        wrong = "does not begin with `.version`" if self.module.file.text.strip() else "is empty"
        self.collector.add(
            Diagnostic(
                "missing-version", f"the file {wrong}", self.module.file,
                (span[0], min(span[0] + 1, span[1])), "expected `.version` before this", rule=_RULE,
                fix=begin if late is None else _move_up(self.module, late, span[0]),
            ),
            "missing-version",
        )  # fmt: skip

    def _no_target(self, version: Version) -> None:
        self.collector.add(
            Diagnostic(
                "missing-target", "no `.target` follows `.version`", self.module.file, version.span,
                "expected `.target` after this", rule=_RULE,
                help="say what the file is for, such as `.target sm_90`",
            )
        )  # fmt: skip

    def _report_repeated(self, item: Directive, first: Directive) -> None:
        text, (start, end) = self.module.file.text, item.span
        line = text.rfind("\n", 0, start) + 1
        whole = not text[line:start].strip() and text[end : end + 1] == "\n"
        certain = SAFE if item.text == first.text else SUGGESTION
        self._add(
            "repeated-directive", f"`.{item.name}` may occur only once", item,
            labels=(Label(first.span, "first here"),),
            fix=Fix((line, end + 1) if whole else (start, end), "", "remove this one", certain),
        )  # fmt: skip

    def _add(self, about: str, message: str, item: Directive, **facts: Unpack[Facts]) -> None:
        self.collector.add(Diagnostic(about, message, self.module.file, item.span, **facts))


def _move_up(module: SyntaxTree, item: Directive, to: int) -> Fix:
    """The directive, with a `.target` after it, before what begins at `to`."""
    text, (start, end) = module.file.text, item.span
    following = next((each for each in module.items[:_FEW] if each.span[0] >= end), None)
    end = following.span[1] if isinstance(following, Target) else end
    return Fix((to, end), f"{text[start:end]}\n{text[to:start].rstrip()}", f"move `{item.text}` there")


def _runs_on(machine: Machine, other: Machine) -> bool:
    """Whether code for one target can be assembled for another."""
    if machine.suffix == "f":
        return machine.family == other.family and machine.number <= other.number
    return machine.number <= other.number and (not machine.suffix or machine.name == other.name)
