"""Declarations whose names are misspelt, rather than the uses: nothing uses them as they are declared."""

from __future__ import annotations

import re
from collections.abc import Callable

from openptx.check.names.scopes import Scope, around
from openptx.check.spelling import distance
from openptx.diagnostics import Diagnostic, Fix, Label
from openptx.patterns import pattern
from openptx.source import Span
from openptx.syntax.lexical import LETTER
from openptx.syntax.tree import Function

_OFTEN = 2
"""So many uses of an undeclared name are no misspellings."""
_CONTINUED = pattern(rf"%|{LETTER}", re.A)
_DIGITS = "0123456789"


def misspelt_name(about: str, name: str, declared: str, span: Span, function: Function) -> Diagnostic | None:
    """The error that the declaration of a name, at a position, is misspelt: it has no uses, and `name` has several, or
    other declarations are spelt as `name` is."""
    text = function.file.text
    if text[slice(*span)] != declared or len(_uses(declared, function)) != 1:
        return None
    used = _uses(name, function)
    if len(used) < _OFTEN and not _has_relatives(name, declared, function):
        return None
    return _diagnostic(about, name, declared, span, used[0], function)


def _has_relatives(name: str, declared: str, function: Function) -> bool:
    """Whether the other parameters of a function are called as `name`, but for a number, and `declared` is not. An only
    parameter is called as the function is, as compilers do it."""
    family, parameters = name.rstrip(_DIGITS), [each.names[0].name.text for each in function.parameters]
    if family == name or declared not in parameters:
        return False
    others = {each.rstrip(_DIGITS) for each in parameters if each != declared}
    return others == {family} if others else family == f"{function.name.text}_param_"


def misspelt_single(name: str, scope: Scope, function: Function, suits: Callable[[str], bool]) -> Diagnostic | None:
    """The error that the declaration of a register or of a variable in the body is misspelt: one edit away from `name`,
    of a kind that suits the place, and not used."""
    if len(name) > _LONG or function.body is None:
        return None
    start, prefix = function.body[0], name.rstrip(_DIGITS)  # of one register, where a range is meant
    for one in around(scope):
        for declared, meaning in one.names.items():
            near = (
                abs(len(declared) - len(name)) < 2
                and declared != prefix
                and not {*declared}.isdisjoint({*name} - {"%", "$"})
            )
            if not near or distance(declared, name, 2) > 1 or meaning.span[0] < start or not suits(declared):
                continue
            if wrong := misspelt_name("unknown-name", name, declared, meaning.span, function):
                return wrong
    return None


def is_used(name: str, span: Span, function: Function) -> bool:
    """Whether a function has a name elsewhere than in its declaration, at a position."""
    return _uses(name, function) != [span]


def misspelt_range(name: str, scope: Scope, function: Function, suits: Callable[[str], bool]) -> Diagnostic | None:
    """The error that a range of registers has a misspelt prefix: its names are not used, and those of the prefix of
    `name` are not declared. A short prefix is one edit away from many; its registers must suit the place too."""
    prefix = name.rstrip(_DIGITS)
    if len(prefix) == len(name):
        return None
    ranges = ((declared, each.span) for one in around(scope) for declared, each in one.ranges.items())
    alike = next(
        (
            (declared, span)
            for declared, span in ranges
            if _are_alike(declared, prefix)
            or (len(prefix) < _SHORT and distance(declared[:_LONG], prefix, 2) < 2 and suits(f"{declared}0"))
        ),
        None,
    )
    if alike is None or len(used := _uses(prefix, function, "[0-9]+")) < _OFTEN:
        return None
    declared, (start, _) = alike
    span = start, start + len(declared)
    if function.file.text[slice(*span)] != declared or _uses(declared, function, "[0-9]+"):
        return None
    return _diagnostic("unknown-name", prefix, declared, span, used[0], function)


def _are_alike(declared: str, prefix: str) -> bool:
    """Whether one prefix of registers may be the other, misspelt."""
    if abs(len(declared) - len(prefix)) > 1 or declared == prefix:
        return False
    if declared.lstrip("%$_").lower() == prefix.lstrip("%$_").lower():
        return True
    return _SHORT < min(len(declared), len(prefix)) < _LONG and distance(declared, prefix, 2) < 2


_SHORT = 4
"""Letters of a prefix of which none may be a mistake: `%rs` and `%rd` are different."""

_LONG = 40


def _diagnostic(about: str, name: str, declared: str, span: Span, used: Span, function: Function) -> Diagnostic:
    return Diagnostic(
        about, f"`{declared}` is declared, but `{name}` is used", function.file, span, "probably misspelt",
        labels=(Label(used, "not declared"),), fix=Fix(span, name, f"call it `{name}`"),
    )  # fmt: skip


def _uses(name: str, function: Function, number: str = "") -> list[Span]:
    """Where a function has a name, or the names of a range, in its header and its body."""
    text = function.file.text
    found = re.compile(rf"{re.escape(name)}{number}(?!{LETTER})", re.A)  # begins with letters, which are found fast
    spans = (each.span() for each in found.finditer(text, *function.span))
    return [span for span in spans if span[0] == 0 or not _CONTINUED.match(text, span[0] - 1)]
