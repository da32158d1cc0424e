"""Names in `.target` that no target has: the one that was probably meant."""

from __future__ import annotations

from openptx.check.spelling import distance, nearest
from openptx.diagnostics import Diagnostic, Fix
from openptx.isa.targets import OPTIONS, TARGETS, Target
from openptx.patterns import pattern
from openptx.source import File
from openptx.syntax.operands import Name

_RULE = "PTX ISA, PTX Module Directives (11.1)"
_NUMBERED = pattern(r"sm_([0-9]{1,4})[a-z]?")
_HYPHEN = pattern(r"-[0-9]++[a-z]?(?=\s)")
"""The rest of a name that a hyphen ends."""
_DIGITS = str.maketrans("oil", "011")
"""Letters that resemble digits."""


def unknown_target(file: File, name: Name, search: bool) -> Diagnostic:
    """The error of a name without meaning; names that resemble it are searched for if `search` is true."""
    hyphen = _HYPHEN.match(file.text, name.span[1])
    span = name.span[0], hyphen.end() if hyphen is not None else name.span[1]
    written = file.text[slice(*span)]
    return meant(
        Diagnostic("unknown-target", f"there is no target `{written}`", file, span, "unknown", rule=_RULE),
        next(iter(likely_targets(written)), None) if search else None,
    )


def meant(error: Diagnostic, guess: str | None) -> Diagnostic:
    """The error with the name that was probably meant."""
    if guess is None:
        return error.advising("a target is `sm_` and a number, such as `sm_90`", None)
    return error.advising(f"did you mean `{guess}`?", Fix(error.span, guess, f"say `{guess}`"))


def likely_targets(name: str) -> list[str]:
    """The names that were probably meant by one that no target has, the likeliest first: letters that resemble digits,
    one edit; then the nearest number, or name."""
    plain = name.lower().replace("-", "_").replace("compute_", "sm_")  # accepted by `nvcc -arch`
    head, mark, number = plain.partition("_")
    plain = f"{head}{mark}{number.translate(_DIGITS)}"
    begun = [each for each in TARGETS if each.startswith(f"{plain}0")]
    near = sorted(
        (each for each in TARGETS if distance(each, plain, 2) < 2), key=lambda each: (len(each) < len(plain), each)
    )
    last = _nearest_number(plain) or nearest(plain, (*TARGETS, *OPTIONS))
    known = [plain] if plain in TARGETS else []
    return list(dict.fromkeys((*known, *begun[:1], *near, *([last] if last else []))))


def misread_target(file: File, name: Name, read: Target) -> Diagnostic:
    """The warning of a name that the assembler takes for a target's."""
    message = f"the assembler takes `{name.text}` for `{read.name}`; there is no target of that name"
    fix = Fix(name.span, read.name, f"say `{read.name}`")
    return Diagnostic("document-disagrees", message, file, name.span, f"read as `{read.name}`", rule=_RULE, fix=fix)


def _nearest_number(name: str) -> str | None:
    """The target whose number is nearest to that of a name."""
    match = _NUMBERED.fullmatch(name)
    if match is None:
        return None
    return min(TARGETS, key=lambda each: abs(TARGETS[each].number - int(match[1])))
