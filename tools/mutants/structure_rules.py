"""Structural errors: whole directives, declarations, statements, functions and blocks moved or removed."""

from __future__ import annotations

import random
import re
from itertools import pairwise

from mutants.edit import Edit
from mutants.file_rules import file_rule
from mutants.statement_rules import statement_rule
from mutants.text import Source, Statement, Token

_FUNCTION = re.compile(r"^(?:\.(?:visible|extern|weak)\s+)*\.(?:entry|func)\b[^{};]*\{.*?^\}\n?", re.M | re.S)
_VARIABLE = re.compile(r"^\s*\.(?:visible|extern|weak|common|global|shared|const|local|param|reg)\b[^{}();]*;", re.M)
_ATTRIBUTES = ("align", "v2", "v4", "visible", "extern", "weak", "entry", "func", "global", "shared", "const", "local")


@statement_rule
def modifiers_swapped(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    parts = statement.name.split(".")
    if len(parts) < 3:
        return None
    i, j = dice.sample(range(1, len(parts)), 2)
    parts[i], parts[j] = parts[j], parts[i]
    token = statement.tokens[statement.opcode]
    return token.start, token.end, ".".join(parts)


@statement_rule
def statement_moved(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    """A copy of the instruction in front of any other line of the file."""
    whole = source.text[statement.tokens[0].start : statement.tokens[-1].end]
    lines = [match.end() for match in re.finditer(r"\n", source.text)]
    place = dice.choice(lines)
    return place, place, f"{whole}\n"


@statement_rule
def statement_cut(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    """The instruction ends early, or begins late."""
    if len(statement.tokens) < 3:
        return None
    i = dice.randrange(1, len(statement.tokens) - 1)
    first, last = statement.tokens[0], statement.tokens[-1]
    if dice.random() < 0.5:
        return statement.tokens[i].start, last.start, ""
    return first.start, statement.tokens[i].start, ""


@file_rule
def declaration_lost(dice: random.Random, source: Source) -> Edit | None:
    found = list(_VARIABLE.finditer(source.text))
    return (*dice.choice(found).span(), "") if found else None


@file_rule
def declaration_moved(dice: random.Random, source: Source) -> Edit | None:
    """A declaration stands after what uses it, or in another scope."""
    found = list(_VARIABLE.finditer(source.text))
    if not found:
        return None
    match = dice.choice(found)
    places = [each.end() for each in re.finditer(r"[;{}]\n", source.text) if each.end() >= match.end()]
    if not places:
        return None
    place = dice.choice(places)
    return match.start(), place, f"{source.text[match.end() : place]}{match[0].strip()}\n"


@file_rule
def function_moved(dice: random.Random, source: Source) -> Edit | None:
    """A function is moved after another one, so that it is called before it is declared, or duplicated."""
    found = list(_FUNCTION.finditer(source.text))
    if not found:
        return None
    if len(found) == 1 or dice.random() < 0.3:
        each = dice.choice(found)
        return each.end(), each.end(), each[0]
    i = dice.randrange(len(found) - 1)
    first, second = found[i], dice.choice(found[i + 1 :])
    return first.start(), second.end(), source.text[first.end() : second.end()] + first[0]


@file_rule
def brace_lost(dice: random.Random, source: Source) -> Edit | None:
    """The end or the beginning of a block, a list or a body is lost or doubled."""
    found = [token for token in source.directives if token.text in ("{", "}")]
    if not found:
        return None
    token = dice.choice(found)
    return token.start, token.end, dice.choice(("", token.text * 2))


@file_rule
def words_swapped(dice: random.Random, source: Source) -> Edit | None:
    """Two neighbouring words of a directive or declaration: attributes in another order."""
    found = [pair for pair in pairwise(source.directives) if _neighbours(source, *pair)]
    first = [pair for pair in found if pair[0].text[1:] in _ATTRIBUTES or pair[1].text[1:] in _ATTRIBUTES]
    if not found:
        return None
    a, b = dice.choice(first if first and dice.random() < 0.6 else found)
    return a.start, b.end, f"{b.text} {a.text}"


def _neighbours(source: Source, a: Token, b: Token) -> bool:
    return not source.text[a.end : b.start].strip() and a.text not in ";{}" and b.text not in ";{}"


@file_rule
def label_doubled(dice: random.Random, source: Source) -> Edit | None:
    if not source.labels:
        return None
    lines = [match.end() for match in re.finditer(r";\n", source.text)]
    if not lines:
        return None
    place = dice.choice(lines)
    return place, place, f"{dice.choice(source.labels)}:\n"


@file_rule
def line_moved_far(dice: random.Random, source: Source) -> Edit | None:
    """A directive moved to another place in the file, before or after its own."""
    lines = source.text.splitlines(keepends=True)
    chosen = [i for i, line in enumerate(lines) if line.lstrip()[:1] == "." and "{" not in line]
    if not chosen:
        return None
    i = dice.choice(chosen)
    place = dice.choice([j for j in range(len(lines)) if j != i])
    first, last = min(i, place), max(i, place)
    between = lines[first : last + 1]
    moved = [*between[1:], between[0]] if i < place else [between[-1], *between[:-1]]
    start = sum(map(len, lines[:first]))
    return start, start + sum(map(len, between)), "".join(moved)


@file_rule
def space_changed(dice: random.Random, source: Source) -> Edit | None:
    """A variable or parameter is declared in another space."""
    spaces = (".global", ".shared", ".local", ".const", ".param", ".reg", ".tex")
    found = [token for token in source.directives if token.text in spaces]
    if not found:
        return None
    token = dice.choice(found)
    return token.start, token.end, dice.choice([each for each in spaces if each != token.text])
