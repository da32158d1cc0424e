"""Registers of a function that lack their declarations: one finding for those that one declaration may have named."""

from __future__ import annotations

from collections import defaultdict

from openptx.check.names.scopes import split_number
from openptx.diagnostics import Diagnostic, Fix, Label
from openptx.diagnostics.kinds import UNDECLARED
from openptx.patterns import pattern

_DECLARED = pattern(r"\.reg (\.\w+) ([^;]+)")
_MOST = 16
"""Names that are declared together."""
_NAMED = 3
"""Names that a message has, before it counts the others."""


def one_declaration(found: list[Diagnostic]) -> list[Diagnostic]:
    """The findings of a body, in which the undeclared registers of one type are one finding. Those for which no type
    was found belong to the others, where these have one type."""
    lacking = [each for each in found if each.kind == UNDECLARED]
    groups: dict[str, list[Diagnostic]] = defaultdict(list)
    for each in lacking:
        groups[type_of(each)].append(each)
    unknown = groups.pop("", [])
    if len(groups) != 1:
        unknown = []
    merged: set[int] = set()
    for type, group in groups.items():
        every = sorted((*group, *unknown), key=lambda each: each.span[0])
        if 1 < len(every) <= _MOST:
            _merge(type, every)
            merged.update(id(each) for each in every[1:])
    return [each for each in found if id(each) not in merged]


def type_of(error: Diagnostic) -> str:
    """The type that the fix of an undeclared register declares it with, or nothing."""
    match = _DECLARED.search(error.fix.replacement) if error.fix is not None else None
    return match[1] if match is not None else ""


def _merge(type: str, errors: list[Diagnostic]) -> None:
    """Makes the first of several errors the one about all of them."""
    first = errors[0]
    declared: list[str] = []
    for each in errors:
        match = _DECLARED.search(each.fix.replacement) if each.fix is not None else None
        declared.append(match[2] if match is not None else _name(each))
    written = f".reg {type} {', '.join(_ranges(declared))};"
    first.message = f"{_listed([_name(each) for each in errors])} are not declared"
    first.labels = (*first.labels, *(Label(each.span, "not declared either") for each in errors[1:]))
    first.help = f"declare them: `{written}`"
    start = next(each.fix.span[0] for each in errors if each.fix is not None)
    first.fix = Fix((start, start), f"\n    {written}", "declare them")


def _name(error: Diagnostic) -> str:
    return error.file.text[slice(*error.span)].partition(".")[0]


def _listed(names: list[str]) -> str:
    *others, last = (f"`{name}`" for name in names)
    if len(others) > _NAMED:
        return f"{', '.join(others[:_NAMED])} and {len(names) - _NAMED} other names"
    return f"{', '.join(others)} and {last}"


def _ranges(names: list[str]) -> list[str]:
    """The names, with a range for those that have the numbers from 0 on."""
    numbers: dict[str, list[int]] = defaultdict(list)
    for name in names:
        prefix, number = split_number(name)
        if number is not None:
            numbers[prefix].append(number)
    ranges = {
        prefix: f"{prefix}<{len(found)}>"
        for prefix, found in numbers.items()
        if len(found) > 1 and sorted(found) == [*range(len(found))]
    }
    return list(dict.fromkeys(ranges.get(split_number(name)[0], name) for name in names))
