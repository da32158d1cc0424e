"""What an undeclared name was probably meant to be: a known name, a special register, a float."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from openptx.check.foreign_spellings import REGISTERS
from openptx.check.names.scopes import Scope, around, split_number
from openptx.check.spelling import Suggestions, nearest
from openptx.diagnostics import Diagnostic, Fix, Label
from openptx.diagnostics.kinds import BEYOND_RANGE
from openptx.isa.special_registers import SPECIAL_REGISTERS
from openptx.patterns import pattern

_CASES = 50_000
"""What a comparison of all names without regard to capital letters takes from the file's budget."""
_DIGITS = pattern(r"[0-9]+")
_BITS = pattern(r"[A-Fa-f](?:[0-9A-Fa-f]{7}|[0-9A-Fa-f]{15})")
"""The bits of a float without the `0f` or `0d` before them."""
_ALIKE = str.maketrans("lIoO", "1100")
_LONGEST = 100
"""The characters of a name whose number is looked for in ranges, at most."""
_INFINITY = "write its bits: `0f7F800000` for `.f32`, `0d7FF0000000000000` for `.f64`"
_FOREIGN = {
    "inf": _INFINITY,
    "infinity": _INFINITY,
    "nan": "write its bits: `0f7FFFFFFF` for `.f32`, `0d7FFFFFFFFFFFFFFF` for `.f64`",
    "true": "a predicate is set by a number or a comparison: `mov.pred p, 1;`, `setp.ne.u32 p, a, 0;`",
    "false": "a predicate is set by a number or a comparison: `mov.pred p, 0;`, `setp.ne.u32 p, a, 0;`",
    "null": "the null address is the number 0",
    "nullptr": "the null address is the number 0",
}
"""Words that mean a constant in other languages, and what to write for it."""


def unknown_name(
    name: str, found: Diagnostic, scope: Scope, functions: Iterable[str], suggestions: Suggestions,
    suits: Callable[[str], bool],
) -> Diagnostic:  # fmt: skip
    """The diagnostic about an unknown name, with the name probably meant, which must `suit` the place."""
    span = found.span
    if (outside := _outside_of_range(name, found, scope)) is not None:
        return outside
    if (help := _FOREIGN.get(name.lower())) is not None:
        found.help = help
        return found
    if _BITS.fullmatch(name):
        found.help = f"the bits of a float begin with `0f` or `0d`: `0{'f' if len(name) == 8 else 'd'}{name}`"
        return found
    base, dot, field = name.partition(".")
    word = base.lstrip("%")
    special = guess = _special(word)
    if guess is None and not dot:
        guess = _alike(name, scope, functions, suggestions, suits)
    if guess is None and name[0] == "%":
        special = nearest(word, SPECIAL_REGISTERS, suits=lambda each: suits(f"%{each}"))
        guess = special and f"%{special}"
    is_special = special is not None and name[0] == "%"
    field = field.lower() if field in ("X", "Y", "Z") else field
    guess = guess and (guess.partition(".")[0] if dot else guess) + dot + field
    return Diagnostic(
        "unknown-special-register" if is_special else "unknown-name",
        f"there is no special register `{name}`" if is_special else f"`{name}` is not declared", found.file, span,
        found.label,
        help=f"did you mean `{guess}`?" if guess else None, fix=Fix(span, guess, f"write `{guess}`") if guess else None,
    )  # fmt: skip


def _alike(
    name: str, scope: Scope, functions: Iterable[str], suggestions: Suggestions, suits: Callable[[str], bool]
) -> str | None:
    """The known name that differs in capital letters, or else the nearest one."""
    if suggestions.spend(_CASES):
        lower = name.lower()
        same = next((each for each in _known_names(scope, name) if each.lower() == lower and suits(each)), None)
        if same is not None:
            return same
    return suggestions.nearest(
        name, lambda: (*_known_names(scope, name), *functions),
        suits=lambda each: misspelt(each, name) and suits(each),
    )  # fmt: skip


def misspelt(known: str, name: str) -> bool:
    """Whether a name may be a misspelt known one: another number is another name."""
    return _DIGITS.sub("0", known) != _DIGITS.sub("0", name)


def _outside_of_range(name: str, found: Diagnostic, scope: Scope) -> Diagnostic | None:
    """The diagnostic about a name whose number is too large for its range, or whose range has no names."""
    span = found.span
    prefix, number = split_number(name)
    for each in around(scope):
        known = each.ranges.get(prefix)
        if known is not None and number is not None:
            last = (known.count or 1) - 1
            return Diagnostic(
                "unknown-name", f"`{name}` is not declared", found.file, span, "beyond the range",
                labels=(Label(known.span, f"`{prefix}0` to `{prefix}{last}` are declared here"),),
                help=f"declare more of them: `{prefix}<{number + 1}>`", kind=BEYOND_RANGE,
            )  # fmt: skip
        for start, known in each.ranges.items():
            if start[-1].isdecimal() and name.startswith(start) and name[len(start) :].isdecimal():
                return Diagnostic(
                    "unknown-name", f"`{name}` is not declared", found.file, span, f"a number after `{prefix}`",
                    labels=(Label(known.span, "no name is in this range, since its prefix ends in a digit"),),
                    help=f"end the prefix in another character: `{start}_<{known.count}>` declares `{start}_0`",
                )  # fmt: skip
    return None


def _special(word: str) -> str | None:
    """The special register, or the constant, that a CUDA word or a misspelt component means."""
    plain = word.lower().replace("_", "")
    if plain == "warpsize":
        return "WARP_SZ"
    if (known := REGISTERS.get(plain) or REGISTERS.get(plain.removesuffix("id"))) or (known := _exact(word)):
        return f"%{known}"
    base = _exact(word[:-1].rstrip("_")) or REGISTERS.get(plain[:-1])
    if base is not None and word[-1] in "xyz" and SPECIAL_REGISTERS[base].vector:
        return f"%{base}.{word[-1]}"
    return None


def _exact(word: str) -> str | None:
    return next((each for each in (word, word.lower()) if each in SPECIAL_REGISTERS), None)


def _known_names(scope: Scope, name: str) -> list[str]:
    """The names that are visible in a scope; for a range the one with the number of `name`, where `l` may be a 1."""
    digits = name[len(name.rstrip("0123456789lIoO")) :].translate(_ALIKE) if len(name) < _LONGEST else ""
    return [
        known
        for each in around(scope)
        for known in (
            *each.names,
            *(f"{prefix}{int(digits)}" for prefix, r in each.ranges.items() if digits and int(digits) < (r.count or 0)),
        )
    ]
