"""Errors in an instruction: a rule returns the edit, or None if it does not apply."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from itertools import pairwise

from mutants.edit import NUMBER, Edit, other
from mutants.operand_text import operand_spans
from mutants.text import Source, Statement, Token
from mutants.vocabulary import NUMBERS, REGISTERS, SPACES, SPECIAL, TYPES, VECTORS

OfStatement = Callable[[random.Random, Source, Statement, list[str]], "Edit | None"]
STATEMENT_RULES: dict[str, OfStatement] = {}
_CLOSES = {"{": "}", "[": "]", "(": ")"}


def statement_rule(rule: OfStatement) -> OfStatement:
    """Registers a rule by its name."""
    STATEMENT_RULES[rule.__name__.strip("_")] = rule
    return rule


def _with_opcode(statement: Statement, parts: list[str]) -> Edit:
    token = statement.tokens[statement.opcode]
    return token.start, token.end, ".".join(parts)


def _exchanged(dice: random.Random, statement: Statement, choices: tuple[str, ...]) -> Edit | None:
    """One of the modifiers that are among `choices` becomes another."""
    parts = statement.name.split(".")
    places = [i for i, part in enumerate(parts) if part in choices and i]
    if not places:
        return None
    i = dice.choice(places)
    parts[i] = other(dice, choices, parts[i])
    return _with_opcode(statement, parts)


def _registers(source: Source, statement: Statement) -> list[Token]:
    return [token for token in statement.operands if source.type_of(token.text)]


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
    parts[i] = other(dice, modifiers, parts[i])
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
    numbers = [token for token in statement.operands if NUMBER.match(token.text)]
    if not numbers:
        return None
    token = dice.choice(numbers)
    return token.start, token.end, other(dice, NUMBERS, token.text)


@statement_rule
def number_for_register(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    registers = _registers(source, statement)
    if not registers:
        return None
    token = dice.choice(registers)
    return token.start, token.end, dice.choice((*NUMBERS, *SPECIAL))


@statement_rule
def operand_dropped(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    operands = operand_spans(statement)
    if not operands:
        return None
    i = dice.randrange(len(operands))
    if len(operands) == 1:
        return *operands[0], ""
    start, end = (operands[i][0], operands[i + 1][0]) if i + 1 < len(operands) else (operands[i - 1][1], operands[i][1])
    return start, end, ""


@statement_rule
def operand_doubled(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    operands = operand_spans(statement)
    if not operands:
        return None
    start, end = dice.choice(operands)
    return start, end, f"{source.text[start:end]}, {source.text[start:end]}"


@statement_rule
def operands_swapped(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    operands = operand_spans(statement)
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
    operands = operand_spans(statement)
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
    operands = operand_spans(statement)
    if not operands:
        return None
    return operands[0][1], operands[0][1], dice.choice(("|%p1", "|_", "|%r1"))
