"""One mistake of each kind in a statement or a declaration: a rule returns the edit, or None where it does not fit."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from itertools import pairwise

from mutants.text import Source, Statement, Token
from mutants.vocabulary import NUMBERS, REGISTERS, SPACES, SPECIAL, TARGETS, TYPES, VECTORS, VERSIONS, WORDS

Edit = tuple[int, int, str]
"""A part of the text, and what stands there instead."""

OfStatement = Callable[[random.Random, Source, Statement, list[str]], "Edit | None"]
OfFile = Callable[[random.Random, Source], "Edit | None"]

STATEMENT_RULES: dict[str, OfStatement] = {}
FILE_RULES: dict[str, OfFile] = {}

_NUMBER = re.compile(r"\d[\w.]*$")
_CLOSES = {"{": "}", "[": "]", "(": ")"}


def statement_rule(rule: OfStatement) -> OfStatement:
    """Registers a rule of instructions by its name."""
    STATEMENT_RULES[rule.__name__.strip("_")] = rule
    return rule


def file_rule(rule: OfFile) -> OfFile:
    """Registers a rule of all else."""
    FILE_RULES[rule.__name__.strip("_")] = rule
    return rule


def _with_opcode(statement: Statement, parts: list[str]) -> Edit:
    token = statement.tokens[statement.opcode]
    return token.start, token.end, ".".join(parts)


def _other(dice: random.Random, choices: tuple[str, ...] | list[str], than: str) -> str:
    return dice.choice([each for each in choices if each != than] or [than])


def _exchanged(dice: random.Random, statement: Statement, choices: tuple[str, ...]) -> Edit | None:
    """One of the modifiers that are among `choices` becomes another."""
    parts = statement.name.split(".")
    places = [i for i, part in enumerate(parts) if part in choices and i]
    if not places:
        return None
    i = dice.choice(places)
    parts[i] = _other(dice, choices, parts[i])
    return _with_opcode(statement, parts)


def _registers(source: Source, statement: Statement) -> list[Token]:
    return [token for token in statement.operands if source.type_of(token.text)]


def _split(statement: Statement) -> list[tuple[int, int]]:
    """Where each operand starts and ends, the commas between them excluded."""
    found: list[tuple[int, int]] = []
    depth, begin = 0, -1
    for token in statement.operands:
        depth += (token.text in "{[(") - (token.text in "}])") if len(token.text) == 1 else 0
        if token.text == "," and not depth:
            begin = -1
        elif begin < 0:
            begin = token.start
            found.append((begin, token.end))
        else:
            found[-1] = (begin, token.end)
    return found


# Opcodes.


@statement_rule
def type_exchanged(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    return _exchanged(dice, statement, TYPES)


@statement_rule
def space_exchanged(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    return _exchanged(dice, statement, SPACES)


@statement_rule
def vector_exchanged(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    return _exchanged(dice, statement, VECTORS)


@statement_rule
def modifier_dropped(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    parts = statement.name.split(".")
    if len(parts) < 2:
        return None
    del parts[dice.randrange(1, len(parts))]
    return _with_opcode(statement, parts)


@statement_rule
def modifier_added(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    parts = statement.name.split(".")
    parts.insert(dice.randrange(1, len(parts) + 1), dice.choice(modifiers))
    return _with_opcode(statement, parts)


@statement_rule
def modifier_exchanged(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    parts = statement.name.split(".")
    if len(parts) < 2:
        return None
    i = dice.randrange(1, len(parts))
    parts[i] = _other(dice, modifiers, parts[i])
    return _with_opcode(statement, parts)


@statement_rule
def modifier_moved(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    parts = statement.name.split(".")
    if len(parts) < 3:
        return None
    i, j = dice.sample(range(1, len(parts)), 2)
    parts.insert(j, parts.pop(i))
    return _with_opcode(statement, parts)


@statement_rule
def modifier_doubled(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    parts = statement.name.split(".")
    if len(parts) < 2:
        return None
    i = dice.randrange(1, len(parts))
    return _with_opcode(statement, [*parts[:i], parts[i], *parts[i:]])


@statement_rule
def opcode_misspelt(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    name, i = statement.name, dice.randrange(len(statement.name))
    other = dice.choice(
        (name[:i] + name[i + 1 :], name[:i] + name[i] + name[i:], name[:i] + dice.choice("abx.:_1") + name[i + 1 :])
    )
    token = statement.tokens[statement.opcode]
    return token.start, token.end, other or "x"


# Operands.


@statement_rule
def register_of_another_type(
    dice: random.Random, source: Source, statement: Statement, modifiers: list[str]
) -> Edit | None:
    registers = _registers(source, statement)
    if not registers:
        return None
    token, type = dice.choice(registers), dice.choice(REGISTERS)
    start = statement.tokens[0].start
    return start, token.end, f".reg .{type} %mutant; {source.text[start : token.start]}%mutant"


@statement_rule
def register_exchanged(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    registers = _registers(source, statement)
    if not registers:
        return None
    token, prefix = dice.choice(registers), dice.choice(list(source.registers))
    name = prefix if prefix in source.text.replace(prefix + "<", "") and prefix[-1].isdigit() else f"{prefix}1"
    return token.start, token.end, name


@statement_rule
def register_undeclared(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    registers = _registers(source, statement)
    if not registers:
        return None
    token = dice.choice(registers)
    return token.start, token.end, dice.choice((f"{token.text}99999", f"{token.text}x", token.text[1:], "%q1"))


@statement_rule
def number_exchanged(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    numbers = [token for token in statement.operands if _NUMBER.match(token.text)]
    if not numbers:
        return None
    token = dice.choice(numbers)
    return token.start, token.end, _other(dice, NUMBERS, token.text)


@statement_rule
def number_for_register(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    registers = _registers(source, statement)
    if not registers:
        return None
    token = dice.choice(registers)
    return token.start, token.end, dice.choice((*NUMBERS, *SPECIAL))


@statement_rule
def operand_dropped(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    operands = _split(statement)
    if not operands:
        return None
    i = dice.randrange(len(operands))
    if len(operands) == 1:
        return *operands[0], ""
    start, end = (operands[i][0], operands[i + 1][0]) if i + 1 < len(operands) else (operands[i - 1][1], operands[i][1])
    return start, end, ""


@statement_rule
def operand_doubled(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    operands = _split(statement)
    if not operands:
        return None
    start, end = dice.choice(operands)
    return start, end, f"{source.text[start:end]}, {source.text[start:end]}"


@statement_rule
def operands_swapped(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    operands = _split(statement)
    if len(operands) < 2:
        return None
    (a, b), (c, d) = sorted(dice.sample(operands, 2))
    return a, d, source.text[c:d] + source.text[b:c] + source.text[a:b]


@statement_rule
def element_dropped(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    """The list of a vector or matrix becomes shorter or longer by one."""
    commas = _inner_commas(statement)
    if not commas:
        return None
    comma, following = dice.choice(commas)
    if dice.random() < 0.5:
        return comma.start, following.end, ""
    return comma.start, comma.start, f", {following.text}"


def _inner_commas(statement: Statement) -> list[tuple[Token, Token]]:
    tokens, found, depth = statement.operands, list[tuple[Token, Token]](), 0
    for token, following in pairwise(tokens):
        depth += (token.text == "{") - (token.text == "}")
        if token.text == "," and depth:
            found.append((token, following))
    return found


@statement_rule
def brackets_changed(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    """An address becomes a register, a register an address or a list."""
    operands = _split(statement)
    if not operands:
        return None
    start, end = dice.choice(operands)
    text = source.text[start:end]
    if text[0] in _CLOSES and text[-1] == _CLOSES[text[0]]:
        return start, end, dice.choice((text[1:-1], f"[{text[1:-1]}]", f"{{{text[1:-1]}}}", text[1:], text[:-1]))
    return start, end, dice.choice((f"[{text}]", f"{{{text}}}", f"-{text}", f"!{text}", f"{text}+4", f"{text}.x"))


@statement_rule
def address_changed(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    places = [token for token in statement.operands if token.text == "]"]
    if not places:
        return None
    start = dice.choice(places).start
    return (
        start,
        start,
        dice.choice(("+4", "+-8", "-8", "+%rd1", "+1.0", "*4", "+4294967296", "+0x10", ", %r1", "+foo")),
    )


@statement_rule
def guard_changed(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    start, opcode = statement.tokens[0].start, statement.tokens[statement.opcode].start
    names = [name if name[-1].isdigit() and len(name) > 3 else f"{name}1" for name in source.registers]
    guard = dice.choice(("", "@", "@!", "@%p1 ", "@!%p1 ", "@1 ", "@!!%p1 ", f"@{dice.choice(names or ['%p1'])} "))
    return start, opcode, guard


@statement_rule
def name_exchanged(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    """A variable, function or label becomes another, or one that is not there."""
    names = [t for t in statement.operands if re.match(r"[A-Za-z_$]", t.text) and not source.type_of(t.text)]
    if not names:
        return None
    token = dice.choice(names)
    others = [t.text for t in source.directives if re.match(r"[A-Za-z_$]{2}", t.text)][:400]
    return (
        token.start,
        token.end,
        dice.choice((f"{token.text}x", "foo", *dice.sample([*others, "foo"], 1), *source.labels[:1])),
    )


@statement_rule
def punctuation(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    marks = [token for token in statement.tokens if token.text in ",;{}[]()"]
    token = dice.choice(marks)
    return token.start, token.end, dice.choice(("", token.text * 2, dice.choice(",;{}[]()|")))


@statement_rule
def flag_changed(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    """`d|p` lost or put where none is."""
    bars = [i for i, token in enumerate(statement.tokens) if token.text == "|"]
    if bars:
        i = dice.choice(bars)
        left, right = statement.tokens[i - 1], statement.tokens[i + 1]
        return (
            left.start,
            right.end,
            dice.choice((left.text, right.text, f"{right.text}|{left.text}", f"{left.text}|_")),
        )
    operands = _split(statement)
    if not operands:
        return None
    return operands[0][1], operands[0][1], dice.choice(("|%p1", "|_", "|%r1"))


# Everything else of a file.


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
    return token.start, token.end, _other(dice, choices, token.text)


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
    return token.start, token.end, f".{_other(dice, TYPES, token.text[1:])}"


@file_rule
def declared_number(dice: random.Random, source: Source) -> Edit | None:
    """A size, an element of an initialiser, an argument of a directive."""
    found = [token for token in source.directives if _NUMBER.match(token.text)]
    if not found:
        return None
    token = dice.choice(found)
    return token.start, token.end, _other(dice, NUMBERS, token.text)


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
