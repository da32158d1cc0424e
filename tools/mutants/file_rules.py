"""Errors outside of instructions: a rule returns the edit, or None if it does not apply."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise

from mutants.edit import NUMBER, Edit, other
from mutants.text import Source
from mutants.vocabulary import NUMBERS, TARGETS, TYPES, VERSIONS, WORDS

OfFile = Callable[[random.Random, Source], "Edit | None"]
FILE_RULES: dict[str, OfFile] = {}


def file_rule(rule: OfFile) -> OfFile:
    """Registers a rule by its name."""
    FILE_RULES[rule.__name__.strip("_")] = rule
    return rule


@file_rule
def version_changed(dice: random.Random, source: Source) -> Edit | None:
    return _after(dice, source, ".version", VERSIONS)


@file_rule
def target_changed(dice: random.Random, source: Source) -> Edit | None:
    return _after(dice, source, ".target", TARGETS)


@file_rule
def alignment_changed(dice: random.Random, source: Source) -> Edit | None:
    return _after(dice, source, ".align", ("0", "1", "2", "3", "4", "8", "16", "128", "256", "512", "65536", "-4", "x"))


def _after(dice: random.Random, source: Source, word: str, choices: tuple[str, ...]) -> Edit | None:
    tokens = source.directives
    found = [b for a, b in pairwise(tokens) if a.text == word]
    if not found:
        return None
    token = dice.choice(found)
    return token.start, token.end, other(dice, choices, token.text)


@file_rule
def register_range(dice: random.Random, source: Source) -> Edit | None:
    tokens = source.directives
    found = [b for a, b, c in zip(tokens, tokens[1:], tokens[2:], strict=False) if a.text == "<" and c.text == ">"]
    if not found:
        return None
    token = dice.choice(found)
    return token.start, token.end, dice.choice(("0", "1", "2", "3", "-1", "1.0", "x", "100000", "4294967297", ""))


@file_rule
def declared_type(dice: random.Random, source: Source) -> Edit | None:
    found = [token for token in source.directives if token.text[1:] in TYPES]
    if not found:
        return None
    token = dice.choice(found)
    return token.start, token.end, f".{other(dice, TYPES, token.text[1:])}"


@file_rule
def declared_number(dice: random.Random, source: Source) -> Edit | None:
    """A size, an element of an initialiser, an argument of a directive."""
    found = [token for token in source.directives if NUMBER.match(token.text)]
    if not found:
        return None
    token = dice.choice(found)
    return token.start, token.end, other(dice, NUMBERS, token.text)


@file_rule
def initialiser_changed(dice: random.Random, source: Source) -> Edit | None:
    tokens = source.directives
    found = [i for i, token in enumerate(tokens) if token.text == "="]
    if not found:
        return None
    i = dice.choice(found)
    equal, first = tokens[i], tokens[i + 1]
    if first.text != "{":
        return first.start, first.end, dice.choice(("{1, 2}", "1.5", "foo", "{}", "", "-1", "generic(foo)", "1+"))
    added = dice.choice(("1, 2, ", "1.5, ", "{1}, ", "foo, ", ", "))
    return dice.choice(
        ((first.end, first.end, added), (equal.start, first.end, "= {1, 2, 3"), (equal.start, equal.end, ""))
    )


@file_rule
def line_lost_doubled_or_moved(dice: random.Random, source: Source) -> Edit | None:
    lines = source.text.splitlines(keepends=True)
    number = dice.choice([i for i, line in enumerate(lines) if _structural(line)])
    start = sum(map(len, lines[:number]))
    end = start + len(lines[number])
    match dice.randrange(3):
        case 0:
            return start, end, "\n"
        case 1:
            return start, start, lines[number]
        case _:
            other = dice.randrange(number, min(number + 40, len(lines)))
            behind = "".join(lines[number + 1 : other + 1])
            return start, end + len(behind), behind + lines[number]


def _structural(line: str) -> bool:
    """Whether it is more than an instruction on registers."""
    text = line.strip()
    return (
        text[:1] in tuple(".{}()@") or text.endswith(":") or text.startswith(("call", "bra", "ret")) or ".param" in text
    )


@file_rule
def word_changed(dice: random.Random, source: Source) -> Edit | None:
    """A word of a directive, header or label lost, doubled, followed by another, or exchanged."""
    token = dice.choice(source.directives)
    alike = [other.text for other in source.directives if other.text[0] == token.text[0]]
    choices = (
        "",
        f"{token.text} {token.text}",
        f"{token.text} {dice.choice(WORDS)}",
        dice.choice(WORDS),
        dice.choice(alike),
    )
    return token.start, token.end, dice.choice(choices)


@file_rule
def label_changed(dice: random.Random, source: Source) -> Edit | None:
    if not source.labels:
        return None
    label = dice.choice(source.labels)
    start = source.text.index(f"{label}:")
    end = start + len(label) + 1
    return (
        start,
        end,
        dice.choice(("", f"{label}x:", f"{dice.choice(source.labels)}:", f"{label}", f"{label}: {label}:", "%r1:")),
    )


@file_rule
def parameter_changed(dice: random.Random, source: Source) -> Edit | None:
    """A formal or actual parameter lost, doubled, or of another space or type."""
    tokens = source.directives
    found = [i for i, token in enumerate(tokens[:-2]) if token.text == ".param"]
    if not found:
        return None
    i = dice.choice(found)
    token, type = tokens[i], tokens[i + 1]
    end = next((t.start for t in tokens[i:] if t.text in ",;)"), type.end)
    whole = source.text[token.start : end]
    return dice.choice(
        (
            (token.start, end, ""),
            (token.start, end, f"{whole}, {whole}"),
            (
                token.start,
                token.end,
                dice.choice((".reg", ".local", ".const", "", ".param .align 3", ".param .align 8")),
            ),
            (type.start, type.end, f".{dice.choice(TYPES)}"),
            (end, end, dice.choice(("[4]", "[]", "[0]", "[100000]", "[-1]", "<3>", " = 1"))),
        )
    )
