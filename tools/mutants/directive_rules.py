"""Errors that exchange parts of declarations and directives, or give these another form."""

from __future__ import annotations

import random
import re

from mutants.edit import Edit, other
from mutants.file_rules import file_rule
from mutants.text import Source, Token
from mutants.vocabulary import AFFIXES, BASES, LIMITS, REGISTERS, TYPES

_REGISTER_LINE = re.compile(r"\.reg\s+(?:\.v[24]\s+)?\.\w+[^;{}]*;")
_BOUND = re.compile(r"<\d+>")


@file_rule
def registers_of_another_type(dice: random.Random, source: Source) -> Edit | None:
    """The type of a declaration of registers, or its vector width, or the form of its names."""
    found = list(_REGISTER_LINE.finditer(source.text))
    if not found:
        return None
    match = dice.choice(found)
    text = match[0]
    kind = re.search(r"\.(?!reg|v[24])\w+", text)
    assert kind is not None
    type = f".{other(dice, REGISTERS if dice.random() < 0.7 else TYPES, kind[0][1:])}"
    changed = (
        text.replace(kind[0], type, 1), text.replace(kind[0], type, 1),
        text.replace(kind[0], f".v2 {kind[0]}", 1),
        text.replace(kind[0], f".align 8 {kind[0]}", 1), _BOUND.sub("<1>", text),
        _BOUND.sub("", text), _BOUND.sub("[4]", text),
        text.replace(".reg", ".param", 1),
        text.replace(";", " = 1;"), text.replace(";", ", %mutant;"), f"{text} {text}",
    )  # fmt: skip
    return match.start(), match.end(), dice.choice(changed)


@file_rule
def declaration_form(dice: random.Random, source: Source) -> Edit | None:
    """A name of a declaration with something before or after it, or a length in another form."""
    names = [token for token in source.directives if re.match(r"[%A-Za-z_$]\w*$", token.text)]
    if not names:
        return None
    token = dice.choice(names)
    forms = (
        *AFFIXES,
        "{}[]",
        "{}[2]",
        "{}[1][2]",
        "{}[0x10]",
        "{}[2+2]",
        "{}[4U]",
        "{}<2>",
        "{}, {}2",
        "{} {}",
        "({})",
        "{{{}}}",
        "[{}]",
    )
    return token.start, token.end, dice.choice(forms).replace("{{", "{").replace("}}", "}").replace("{}", token.text)


@file_rule
def directive_number_form(dice: random.Random, source: Source) -> Edit | None:
    """A number of a directive in another base, or at a limit."""
    numbers = [token for token in source.directives if token.text.isdigit()]
    if not numbers:
        return None
    token = dice.choice(numbers)
    return token.start, token.end, dice.choice((dice.choice(BASES).format(int(token.text)), dice.choice(LIMITS)))


@file_rule
def directives_swapped(dice: random.Random, source: Source) -> Edit | None:
    """Two tokens outside of instructions, near each other, are exchanged."""
    tokens = source.directives
    i = dice.randrange(len(tokens))
    j = min(i + dice.randrange(2, 12), len(tokens) - 1)
    a, b = tokens[i], tokens[j]
    return (a.start, b.end, b.text + source.text[a.end : b.start] + a.text) if i < j else None


def _directive_starts(source: Source) -> list[Token]:
    return [token for token in source.directives if token.text[0] == "." and len(token.text) > 2]


@file_rule
def directive_added(dice: random.Random, source: Source) -> Edit | None:
    """A directive with what follows it, of any place, stands at another one."""
    found = _directive_starts(source)
    lines = [match.end() for match in re.finditer(r"[\n;{}(),]", source.text)]
    if not found or not lines:
        return None
    token = dice.choice(found)
    end = min((at for mark in "\n;{(" if (at := source.text.find(mark, token.end)) >= 0), default=token.end)
    ending = dice.choice(("", "", ";", "\n"))
    place = dice.choice(lines)
    return place, place, f" {source.text[token.start : end]}{ending} "
