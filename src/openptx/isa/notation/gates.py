"""Gates: the versions and targets that something needs, `PTX 8.1, sm_89 or PTX 7.8, sm_90`."""

from __future__ import annotations

import re

from openptx.patterns import pattern

Version = tuple[int, int]

_ALTERNATIVE = pattern(
    r"""
    (?: PTX \s (\d+)\.(\d+) (?: \s to \s (\d+)\.(\d+) )? )?      # PTX 6.0, or a range: PTX 3.0 to 6.3
    ,? \s*
    ( (?: sm_\d+[af]? \s* )* ) (?: \s* to \s sm_(\d+) )?         # sm_90, sm_100a sm_103a, or a range: sm_30 to sm_62
    $""",
    re.VERBOSE,
)


class Alternative:
    """One way to satisfy a gate: PTX versions from `since` to `until`, on any of `targets` (empty: on all).

    `sm_90` stands for itself and everything newer, up to `last` if there is one; `sm_100a` for exactly that target;
    `sm_100f` for the architecture-specific and family-specific targets of its family, from sm_100 on.
    """

    __slots__ = ("last", "since", "targets", "until")

    def __init__(self, since: Version, until: Version | None, targets: tuple[str, ...], last: int | None) -> None:
        self.since = since
        self.until = until
        self.targets = targets
        self.last = last


class Gate:
    """The versions and targets that an instruction form, a modifier or a special register needs."""

    __slots__ = ("alternatives", "text")

    def __init__(self, text: str, alternatives: tuple[Alternative, ...]) -> None:
        self.text = text
        self.alternatives = alternatives

    def __repr__(self) -> str:
        return f"Gate({self.text!r})"


ALWAYS = Gate("PTX 1.0", (Alternative((1, 0), None, (), None),))
_GATES: dict[str, Gate] = {"": ALWAYS}


def gate(text: str) -> Gate:
    """The gate that `text` describes; equal texts give the same object. Raises ValueError for anything else."""
    known = _GATES.get(text)
    if known is None:
        known = _GATES[text] = Gate(text, tuple(_alternative(part.strip()) for part in text.split(" or ")))
    return known


def _alternative(text: str) -> Alternative:
    match = _ALTERNATIVE.match(text)
    if match is None:
        raise ValueError(f"not a gate: {text!r}")
    major, minor, last_major, last_minor, targets, last = match.groups()
    since = (int(major), int(minor)) if major else (1, 0)
    until = (int(last_major), int(last_minor)) if last_major else None
    return Alternative(since, until, tuple(targets.split()), int(last) if last else None)
