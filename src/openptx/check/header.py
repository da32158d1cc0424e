"""Checks what a file says about itself: `.version`, `.target`, `.address_size` (manual 11.1)."""

from __future__ import annotations

from openptx.check.nearest import nearest
from openptx.diagnostics import Diagnostic, Fix, Label
from openptx.isa.targets import NEWEST, OPTIONS, TARGETS, target
from openptx.syntax.directives import AddressSize, Directive, Pragma, Section, SourceFile, Target, Version
from openptx.syntax.tree import Function, Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Unpack

    from openptx.diagnostics import Collector
    from openptx.diagnostics.diagnostic import Facts
    from openptx.isa.targets import Target as Machine
    from openptx.source import Span
    from openptx.syntax.operands import Name
    from openptx.syntax.tree import Module

_MINOR = {1: 5, 2: 3, 3: 2, 4: 3, 5: 0, 6: 5, 7: 8, 8: 8, 9: NEWEST[1]}
_RULE = "PTX ISA, PTX Module Directives (11.1)"


class Header:
    """The first directives of a file. `target` is None where there is none that is known."""

    __slots__ = ("collector", "module", "narrow", "target", "version")

    def __init__(self, module: Module, collector: Collector, override: str | None) -> None:
        self.module, self.collector = module, collector
        self.version: tuple[int, int] = NEWEST
        self.target: Machine | None = None
        self.narrow = True  # whether addresses have 32 bits
        self._read(override)

    def _read(self, override: str | None) -> None:
        version: Version | None = None
        targets: Target | None = None
        size: AddressSize | None = None
        unreadable = False  # a directive that was meant may stand in there; the parser has said so
        for position, item in enumerate(self.module.items):
            if isinstance(item, Unreadable):
                unreadable = True
            elif isinstance(item, Version):
                if version is not None:
                    self._repeated(item, version)
                else:
                    version = item
            elif isinstance(item, Target):
                if version is None and targets is None and not unreadable:
                    self._no_version(item.span)
                targets = targets or item
            elif isinstance(item, AddressSize):
                if size is not None:
                    self._repeated(item, size)
                size = size or item
                self._address_size(item)
            elif targets is None and not isinstance(item, (SourceFile, Section, Pragma)):
                if not unreadable:
                    self._missing(version, item.span)
                break
            if isinstance(item, Function) and position > 8:
                break
        else:
            if targets is None and not unreadable and (version or not self.module.problems):
                end = len(self.module.file.text.rstrip())
                self._missing(version, (end, end))
        if version is not None:
            self._version(version)
        if override is not None:
            self.target = target(override)
        elif targets is not None:
            self._targets(targets, version)

    def _version(self, item: Version) -> None:
        if item.minor > _MINOR.get(item.major, -1):
            newer = (item.major, item.minor) > NEWEST
            self._add(
                "unknown-version",
                f"there is no PTX ISA {item.major}.{item.minor}" + (" yet that is known here" if newer else ""),
                item,
                expected=f"up to {NEWEST[0]}.{NEWEST[1]}",
                actual=f"{item.major}.{item.minor}",
                rule=_RULE,
            )
        self.version = item.major, item.minor

    def _targets(self, item: Target, version: Version | None) -> None:
        machines: list[tuple[Name, Machine]] = []
        for name in item.targets:
            if name.text in OPTIONS:
                continue
            machine = target(name.text) if name.text.startswith("sm_") else None
            if machine is None:
                self._unknown(item, name)
            else:
                machines.append((name, machine))
        if not machines:
            return
        name, self.target = machines[0]
        if version is not None and self.version < self.target.since:
            major, minor = self.target.since
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
                    fix=Fix(version.number_span, f"{major}.{minor}", f"say `.version {major}.{minor}`"),
                )
            )
        modes = [name for name in item.targets if name.text.startswith("texmode_")]
        if len({name.text for name in modes}) > 1:
            self.collector.add(
                Diagnostic(
                    "target-conflict", f"`{modes[0].text}` and `{modes[1].text}` exclude each other", self.module.file,
                    modes[1].span, "one of them", rule=_RULE,
                )
            )  # fmt: skip

    def _unknown(self, item: Target, name: Name) -> None:
        guess = nearest(name.text, (*TARGETS, *OPTIONS))
        self.collector.add(
            Diagnostic(
                "unknown-target",
                f"there is no target `{name.text}`",
                self.module.file,
                name.span,
                "unknown",
                rule=_RULE,
                help=f"did you mean `{guess}`?" if guess else None,
                fix=Fix(name.span, guess, f"say `{guess}`") if guess else None,
            )
        )

    def _address_size(self, item: AddressSize) -> None:
        self.narrow = bool(item.values) and item.values[0].value == 32
        if item.values and item.values[0].value not in (32, 64):
            self._add("address-size", f"an address has 32 or 64 bits, not {item.values[0].value}", item, rule=_RULE)

    def _missing(self, version: Version | None, span: Span) -> None:
        if version is None:
            self._no_version(span)
        else:
            self._no_target(span)

    def _no_version(self, span: Span) -> None:
        self.collector.add(
            Diagnostic(
                "missing-version", "the file does not begin with `.version`", self.module.file,
                (span[0], min(span[0] + 1, span[1])), "expected `.version` before this", rule=_RULE,
            ),
            "missing-version",
        )  # fmt: skip

    def _no_target(self, span: Span) -> None:
        self.collector.add(
            Diagnostic(
                "missing-target", "no `.target` follows `.version`", self.module.file,
                (span[0], min(span[0] + 1, span[1])), "expected `.target` before this", rule=_RULE,
            )
        )  # fmt: skip

    def _repeated(self, item: Directive, first: Directive) -> None:
        self._add(
            "repeated-directive", f"`.{item.name}` may stand only once", item, labels=(Label(first.span, "first here"),)
        )

    def _add(self, about: str, message: str, item: Directive, **facts: Unpack[Facts]) -> None:
        self.collector.add(Diagnostic(about, message, self.module.file, item.span, **facts))
