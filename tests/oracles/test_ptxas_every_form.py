"""Every form with each modifier, version by version: `check` and ptxas give the same verdict."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from any_statements import Context
from assembler import MISSING, PTXAS
from every_form import ValidStatements, versions
from test_ptxas_statements import differences, known, refused_by_the_assembler, refused_here

from openptx.isa.types import TYPES

_BATCH = 250
_SAMPLE = 100


def batches(statements: list[str]) -> list[list[str]]:
    return [statements[i : i + _BATCH] for i in range(0, len(statements), _BATCH)]


@pytest.mark.skipif(not PTXAS.exists(), reason=MISSING)
@pytest.mark.parametrize("context", [((9, 5), "sm_100a"), ((9, 0), "sm_90a")], ids=str)
def test_some_of_them(context: Context, tmp_path: Path) -> None:
    dice = random.Random(5)
    statements = ValidStatements(dice)
    statements.instructions = dice.sample(statements.instructions, 20)
    found = [statement for _, statement in statements.all()]
    asked = dice.sample(found, min(_SAMPLE, len(found)))
    assert [each for each in differences(tmp_path, context, asked) if not known(each)] == []


@pytest.mark.sweep
@pytest.mark.skipif(not PTXAS.exists(), reason=MISSING)
@pytest.mark.parametrize("target", ["sm_75", "sm_80", "sm_90a", "sm_100a", "sm_120a"])
def test_at_the_versions_that_bring_something_new(target: str, tmp_path: Path) -> None:
    asked: dict[Context, list[str]] = {}
    for instruction, statement in ValidStatements(random.Random(1)).all():
        for version in versions(instruction, target):
            asked.setdefault((version, target), []).append(statement)
    wrong = [
        each
        for context, statements in asked.items()
        for batch in batches(statements)
        for each in differences(tmp_path, context, batch)
    ]
    assert [each for each in wrong if not known(each)] == []


@pytest.mark.sweep
@pytest.mark.skipif(not PTXAS.exists(), reason=MISSING)
@pytest.mark.parametrize("context", [((9, 0), "sm_100a"), ((8, 0), "sm_90a"), ((9, 5), "sm_120a")], ids=str)
def test_with_each_two_of_their_modifiers(context: Context, tmp_path: Path) -> None:
    asked = [statement for _, statement in ValidStatements(random.Random(1)).all(pairs=True)]
    wrong = [each for batch in batches(asked) for each in differences(tmp_path, context, batch)]
    assert [each for each in wrong if not known(each)] == []


@pytest.mark.sweep
@pytest.mark.skipif(not PTXAS.exists(), reason=MISSING)
@pytest.mark.parametrize("context", [((9, 0), "sm_90a"), ((9, 0), "sm_100a"), ((9, 5), "sm_107a")], ids=str)
@pytest.mark.parametrize("modifier", ["b2", "pred", "surfref", "finite", "rank", "b8x16", "acc::f16", "u2"])
def test_with_a_modifier_that_others_have(modifier: str, context: Context, tmp_path: Path) -> None:
    """One statement for each combination of types; the modifier stands before the types, and at the end."""
    by_types: dict[tuple[str, ...], str] = {}
    for instruction, statement in ValidStatements(random.Random(1)).all():
        types = (each for each in modifiers_of(statement) if each in TYPES)
        by_types.setdefault((instruction.name, *types), statement)
    valid = taken_by_both(tmp_path, context, list(by_types.values()))
    asked = [changed for statement in valid for changed in with_modifier(statement, modifier)]
    wrong = [each for batch in batches(asked) for each in differences(tmp_path, context, batch)]
    assert [each for each in wrong if not known(each)] == []


def modifiers_of(statement: str) -> list[str]:
    return statement.split(" ")[0].rstrip(";").split(".")[1:]


def with_modifier(statement: str, modifier: str) -> list[str]:
    opcode, modifiers = statement.split(" ")[0].rstrip(";"), modifiers_of(statement)
    first = next((i for i, each in enumerate(modifiers) if each in TYPES), len(modifiers))
    found = [[*modifiers[:i], modifier, *modifiers[i:]] for i in {first, len(modifiers)}]
    return [".".join((opcode.split(".")[0], *each)) + statement.removeprefix(opcode) for each in found]


def taken_by_both(folder: Path, context: Context, statements: list[str]) -> list[str]:
    found: list[str] = []
    for batch in batches(statements):
        refused = refused_by_the_assembler(folder, context, batch).keys() | refused_here(context, batch).keys()
        found += [statement for i, statement in enumerate(batch) if i not in refused]
    return found
