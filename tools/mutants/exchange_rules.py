"""Errors that exchange parts of instructions: operands and modifiers take each other's place or another form."""

from __future__ import annotations

import random
import re

from mutants.edit import NUMBER, Edit
from mutants.operand_text import operand_spans
from mutants.statement_rules import statement_rule
from mutants.text import Source, Statement
from mutants.vocabulary import AFFIXES, BASES, LIMITS

_ADDRESSES = (
    "[{}]",
    "{}",
    "[{}+0]",
    "[{} - 4]",
    "[{}+4+4]",
    "[4+{}]",
    "[[{}]]",
    "[{}, 0]",
    "[({})]",
    "[{}][0]",
    "{}[0]",
    "[{}+0x7fffffff]",
    "[{}+2147483648]",
    "[-{}]",
    "[{}+1U]",
    "[{}+(4)]",
    "[{}.x]",
    "[ {} ]",
    "[{}+%laneid]",
    "[0]",
    "[]",
    "[{},{{0,0}}]",
    "generic({})",
)
"""Forms of an address, around what stands between the brackets."""


def _random_statement(dice: random.Random, source: Source, near: Statement) -> Statement:
    """Another instruction of the file, most often one nearby."""
    statements = source.statements
    if dice.random() < 0.3:
        return dice.choice(statements)
    i = statements.index(near)
    return dice.choice(statements[max(i - 8, 0) : i + 9])


@statement_rule
def tokens_swapped(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    """A token of this instruction and one of another are exchanged."""
    a, b = dice.choice(statement.tokens), dice.choice(_random_statement(dice, source, statement).tokens)
    first, second = sorted((a, b), key=lambda token: token.start)
    if first is second:
        return None
    return first.start, second.end, second.text + source.text[first.end : second.start] + first.text


@statement_rule
def operand_of_another(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    """An operand becomes that of another instruction."""
    mine, theirs = operand_spans(statement), operand_spans(_random_statement(dice, source, statement))
    if not mine or not theirs:
        return None
    return *dice.choice(mine), source.text[slice(*dice.choice(theirs))]


@statement_rule
def operand_moved(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    """An operand moves to another place, or a copy of it."""
    spans = operand_spans(statement)
    if len(spans) < 2:
        return None
    texts = [source.text[slice(*span)] for span in spans]
    i, j = dice.sample(range(len(texts)), 2)
    moved = texts[i] if dice.random() < 0.3 else texts.pop(i)
    texts.insert(j, moved)
    return spans[0][0], spans[-1][1], ", ".join(texts)


@statement_rule
def operand_of_another_kind(
    dice: random.Random, source: Source, statement: Statement, modifiers: list[str]
) -> Edit | None:
    """A register becomes a list, a sum, a pair; an address a register; a constant a name."""
    spans = operand_spans(statement)
    if not spans:
        return None
    start, end = dice.choice(spans)
    text = source.text[start:end].strip("{}[]")
    first = text.partition(",")[0].strip()
    names = [token.text for token in source.directives if re.match(r"[A-Za-z_$]\w+$", token.text)] or ["foo"]
    choices = (
        f"{{{first}}}", f"{{{first}, {first}}}", f"{{{first}, _}}", f"{first}|{first}", f"({first})",
        f"!{first}", f"-{first}",
        f"{first}+1", f"[{first}]", "_", "1", "0f00000000", dice.choice(names), f"[{dice.choice(names)}]",
        "%tid.x", "WARP_SZ",
        "{}", f"{{{{{first}}}}}", f"{{{first}}}, {{{first}}}",
    )  # fmt: skip
    return start, end, dice.choice(choices)


@statement_rule
def immediate_at_limit(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    numbers = [token for token in statement.operands if NUMBER.match(token.text) or source.type_of(token.text)]
    if not numbers:
        return None
    token = dice.choice(numbers)
    return token.start, token.end, dice.choice(LIMITS)


@statement_rule
def number_in_another_base(
    dice: random.Random, source: Source, statement: Statement, modifiers: list[str]
) -> Edit | None:
    numbers = [token for token in statement.operands if token.text.isdigit()]
    if not numbers:
        return None
    token = dice.choice(numbers)
    return token.start, token.end, dice.choice(BASES).format(int(token.text))


@statement_rule
def address_form(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    spans = [span for span in operand_spans(statement) if source.text[span[0]] == "["]
    if not spans:
        return None
    start, end = dice.choice(spans)
    return start, end, dice.choice(_ADDRESSES).format(source.text[start + 1 : end - 1])


@statement_rule
def affix_changed(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    """Something before or after a name."""
    names = [token for token in statement.operands if re.match(r"[%A-Za-z_$]", token.text)]
    if not names:
        return None
    token = dice.choice(names)
    return token.start, token.end, dice.choice(AFFIXES).format(token.text)


@statement_rule
def guard_added(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    """A guard, right or wrong, before the statement, inside of it, or on a label or declaration before it."""
    predicates = [name for name, type in source.registers.items() if type == "pred"]
    prefix = dice.choice(predicates) if predicates else "%p"
    guard = dice.choice(
        ("@{}1 ", "@!{}1 ", "@{}1 @{}1 ", "@ {}1 ", "@!{}1, ", "@{}1: ", "{}1 ", "@({}1) ", "@{{{}1}} ", "@-{}1 ")
    )
    token = statement.tokens[0] if dice.random() < 0.7 else dice.choice(statement.tokens)
    return token.start, token.start, guard.replace("{}", prefix)


@statement_rule
def bracket_kind(dice: random.Random, source: Source, statement: Statement, modifiers: list[str]) -> Edit | None:
    """A pair of brackets becomes another pair, or surrounds other tokens."""
    tokens = statement.operands
    if len(tokens) < 2:
        return None
    i, j = sorted(dice.sample(range(len(tokens)), 2))
    left, right = dice.choice(("{}", "[]", "()", "<>"))
    marks = [t for t in range(len(tokens)) if tokens[t].text in ("{", "[", "(")]
    if marks and dice.random() < 0.6:
        i = dice.choice(marks)
        closing = {"{": "}", "[": "]", "(": ")"}[tokens[i].text]
        ends = [t for t in range(i, len(tokens)) if tokens[t].text == closing]
        if ends:
            between = source.text[tokens[i].end : tokens[ends[0]].start]
            return tokens[i].start, tokens[ends[0]].end, left + between + right
    return tokens[i].start, tokens[j].end, left + source.text[tokens[i].start : tokens[j].end] + right


@statement_rule
def modifiers_of_a_relative(
    dice: random.Random, source: Source, statement: Statement, modifiers: list[str]
) -> Edit | None:
    """The opcode's modifiers become those of another instruction of the file, or only their second half."""
    others = [each for each in source.statements if each.name != statement.name and "." in each.name]
    alike = [each for each in others if each.mnemonic == statement.mnemonic]
    if not others or "." not in statement.name:
        return None
    relative = dice.choice(alike if alike and dice.random() < 0.6 else others)
    mine, theirs = statement.name.split("."), relative.name.split(".")
    i, j = dice.randrange(1, len(mine) + 1), dice.randrange(1, len(theirs))
    token = statement.tokens[statement.opcode]
    return token.start, token.end, ".".join(mine[:i] + theirs[j:])


@statement_rule
def mnemonic_of_a_relative(
    dice: random.Random, source: Source, statement: Statement, modifiers: list[str]
) -> Edit | None:
    """Another instruction's mnemonic with these modifiers and operands."""
    mnemonics = sorted({each.mnemonic for each in source.statements} - {statement.mnemonic})
    if not mnemonics:
        return None
    token = statement.tokens[statement.opcode]
    return token.start, token.start + len(statement.mnemonic), dice.choice(mnemonics)
