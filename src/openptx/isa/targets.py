"""Targets: their names, the PTX versions that introduced them, and what a file's `.version` and `.target` allow
(11.1.2)."""

from __future__ import annotations

import re

from openptx.isa.notation.conditions import conditions
from openptx.isa.notation.forms import Form, Modifiers
from openptx.isa.notation.gates import Alternative, Gate, Version, gate
from openptx.patterns import pattern


class Target:
    """A target such as `sm_90a`: its number, and the `a` of architecture-specific or `f` of family-specific features.

    `since` is the PTX version that introduced it, `renamed` its name from PTX 9.0 on.
    """

    __slots__ = ("family", "name", "number", "renamed", "since", "suffix")

    def __init__(self, name: str, since: Version, renamed: str | None = None) -> None:
        self.name = name
        self.suffix = name[-1] if name[-1] in "af" else ""
        self.number = number_of(name)
        self.family = (110 if self.number == 101 else self.number) // 10  # Table 58
        self.since = since
        self.renamed = renamed

    def __repr__(self) -> str:
        return self.name


def number_of(name: str) -> int:
    """90 for "sm_90a", also for a target that is not listed here."""
    return int(name.removeprefix("sm_").rstrip("af"))


# fmt: off
_SINCE = (
    ("1.0", "sm_10 sm_11"),
    ("1.2", "sm_12 sm_13"),
    ("2.0", "sm_20 sm_21"),
    ("3.0", "sm_30"),
    ("3.1", "sm_35"),
    ("4.0", "sm_32 sm_50"),
    ("4.1", "sm_37 sm_52"),
    ("4.2", "sm_53"),
    ("5.0", "sm_60 sm_61 sm_62"),
    ("6.0", "sm_70"),
    ("6.1", "sm_72"),
    ("6.3", "sm_75"),
    ("7.0", "sm_80"),
    ("7.1", "sm_86"),
    ("7.4", "sm_87"),
    ("7.8", "sm_89 sm_90"),
    ("8.0", "sm_90a"),
    ("8.6", "sm_100 sm_100a sm_101 sm_101a"),
    ("8.7", "sm_120 sm_120a"),
    ("8.8", "sm_100f sm_101f sm_103 sm_103a sm_103f sm_120f sm_121 sm_121a sm_121f"),
    ("9.0", "sm_88 sm_110 sm_110a sm_110f"),
    ("9.4", "sm_107 sm_107a sm_107f"),            # measured on ptxas 13.5; PTX ISA 9.1 doesn't list it
)
# fmt: on


def _targets() -> dict[str, Target]:
    targets: dict[str, Target] = {}
    for version, names in _SINCE:
        major, minor = version.split(".")
        for name in names.split():
            renamed = name.replace("101", "110") if "101" in name else None
            targets[name] = Target(name, (int(major), int(minor)), renamed)
    return targets


TARGETS: dict[str, Target] = _targets()
"""All targets by name."""

NEWEST: Version = (9, 5)
"""The newest known PTX version, that of ptxas 13.5. The declarations follow PTX ISA 9.1 and mark what is newer."""

MINORS = {1: 5, 2: 3, 3: 2, 4: 3, 5: 0, 6: 5, 7: 8, 8: 8, 9: NEWEST[1]}
"""The last minor version of each major one."""
VERSIONS = tuple((major, minor) for major, last in MINORS.items() for minor in range(last + 1))
"""All versions, in their order."""

OPTIONS = {
    "texmode_unified": gate("PTX 1.0"),
    "texmode_independent": gate("PTX 1.5"),
    "debug": gate("PTX 3.0"),
    "map_f64_to_f32": gate("PTX 1.0, sm_10 to sm_12"),
}
"""What else a `.target` list may contain, and since when (11.1.2; measured, ptxas 13.5)."""


def target(name: object) -> Target | None:
    """The target called `name`; `compute_90` means `sm_90`. None if it does not exist, or is not a string."""
    return TARGETS.get(name.replace("compute_", "sm_")) if isinstance(name, str) else None


_MEASURED = pattern(r"[^0-9]*([0-9]{1,6})(?:.*?)([af]?)", re.A)


def assembled_target(name: str) -> Target | None:
    """The target that the assembler takes a name for: where `sm_` or `compute_` stands in it, the first number and an
    `a` or `f` at the end decide, as in `sm__80`, `sm_80x` and `_sm_90a` (measured, ptxas 13.5)."""
    match = _MEASURED.fullmatch(name) if "sm_" in name or "compute_" in name else None
    return TARGETS.get(f"sm_{int(match[1])}{match[2]}") if match is not None else None


_STATED = pattern(r"^\s*\.target\s+(sm_\w+)", re.MULTILINE)


def stated_target(text: str) -> Target | None:
    """The target that a module states, known before the module is parsed; None if it is not a target."""
    found = _STATED.search(text)
    return target(found[1]) if found else None


def satisfied(gate: Gate, version: Version, target: Target) -> bool:
    """Whether a file of this version and target may use what `gate` guards."""
    return any(_allows(alternative, version, target) for alternative in gate.alternatives)


def _allows(alternative: Alternative, version: Version, target: Target) -> bool:
    if version < alternative.since or (alternative.until is not None and version > alternative.until):
        return False
    if alternative.last is not None and target.number > alternative.last:
        return False
    return not alternative.targets or any(covers(name, target) for name in alternative.targets)


def covers(name: str, target: Target) -> bool:
    """Whether `target` has the features of the target called `name`."""
    wanted = TARGETS[name]
    if wanted.suffix == "a":
        return target.suffix == "a" and target.name.replace("101", "110") == name
    if wanted.suffix == "f":
        return target.suffix != "" and target.family == wanted.family and target.number >= _least(wanted)
    return target.number >= wanted.number


def _least(wanted: Target) -> int:
    return 101 if wanted.number == 110 else wanted.number  # sm_110 was called sm_101 before PTX 9.0


def gates(form: Form, m: Modifiers) -> list[tuple[str, Gate]]:
    """All requirements of this opcode: (what requires it, its gate). The first is the form's own."""
    found = [(f"{form.instruction.name}", form.gate)]
    for condition in conditions(form.instruction.gates):
        if condition.holds(m):
            found.append((condition.spelled_modifiers(m) or form.instruction.name, gate(condition.then)))
    return found


def unmet(form: Form, m: Modifiers, version: Version, target: Target) -> list[tuple[str, Gate]]:
    """The requirements of this opcode that the file does not meet; empty if it may be used."""
    return [(what, gate) for what, gate in gates(form, m) if not satisfied(gate, version, target)]


def wants(gate: Gate) -> str:
    """A gate as text: `.target sm_100a, sm_103a or sm_107a and PTX ISA 8.7`."""
    return ", or ".join(_in_words(alternative) for alternative in gate.alternatives)


def removal(gate: Gate, version: Version, target: Target) -> str | None:
    """Since when what `gate` guards is gone, as text; None if it is not too late for it."""
    late = [
        a
        for a in gate.alternatives
        if version >= a.since and (not a.targets or any(covers(n, target) for n in a.targets))
    ]
    until = max((a.until for a in late if a.until is not None), default=None)
    last = max((a.last for a in late if a.last is not None), default=None)
    if last is None:
        return None if until is None else f"PTX ISA has it up to {_dotted(until)}"
    return f"targets newer than sm_{last} " + (
        "do not have it" if until is None else f"have it up to PTX ISA {_dotted(until)}"
    )


def _in_words(a: Alternative) -> str:
    parts: list[str] = []
    if a.targets:
        names = [f"{n} or newer" if n[-1] != "a" else n for n in a.targets]
        parts.append(".target " + (names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"))
    if a.last is not None:
        parts.append(f"no newer than sm_{a.last}")
    if a.since > (1, 0) or not parts:
        parts.append(f"PTX ISA {_dotted(a.since)}" + ("" if a.until is None else f" to {_dotted(a.until)}"))
    elif a.until is not None:
        parts.append(f"PTX ISA {_dotted(a.until)} or older")
    return " and ".join(parts)


def _dotted(version: Version) -> str:
    return f"{version[0]}.{version[1]}"
