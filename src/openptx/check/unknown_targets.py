"""Names in `.target` that no target has: the one that was probably meant."""

from __future__ import annotations

from openptx.check.spelling import nearest
from openptx.diagnostics import Diagnostic, Fix
from openptx.isa.targets import OPTIONS, TARGETS, Target
from openptx.patterns import pattern
from openptx.source import File
from openptx.syntax.operands import Name

_RULE = "PTX ISA, PTX Module Directives (11.1)"
_NUMBERED = pattern(r"sm_([0-9]{1,4})[a-z]?")


def unknown_target(file: File, name: Name, search: bool) -> Diagnostic:
    """The error of a name without meaning; names that resemble it are searched for if `search` is true."""
    plain = name.text.lower().replace("compute_", "sm_")  # accepted by `nvcc -arch`
    guess = plain if plain in TARGETS else None
    if guess is None and search:
        guess = _nearest_number(plain) or nearest(plain, (*TARGETS, *OPTIONS))
    return Diagnostic(
        "unknown-target", f"there is no target `{name.text}`", file, name.span, "unknown", rule=_RULE,
        help=f"did you mean `{guess}`?" if guess else "a target is `sm_` and a number, such as `sm_90`",
        fix=Fix(name.span, guess, f"say `{guess}`") if guess else None,
    )  # fmt: skip


def misread_target(file: File, name: Name, read: Target) -> Diagnostic:
    """The warning of a name that the assembler takes for a target's."""
    message = f"the assembler takes `{name.text}` for `{read.name}`; there is no target of that name"
    fix = Fix(name.span, read.name, f"say `{read.name}`")
    return Diagnostic("document-disagrees", message, file, name.span, f"read as `{read.name}`", rule=_RULE, fix=fix)


def _nearest_number(name: str) -> str | None:
    """The target that a number is the beginning of, or whose number is nearest to it."""
    match = _NUMBERED.fullmatch(name)
    begun = next((each for each in TARGETS if each.startswith(f"{name}0")), None)
    return (
        begun or min(TARGETS, key=lambda each: abs(TARGETS[each].number - int(match[1]))) if match is not None else None
    )
