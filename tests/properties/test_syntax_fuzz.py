"""Damaged modules: parsing terminates, the tree prints the text, and every diagnostic has a position in it."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from openptx.source import File
from openptx.syntax import parse
from openptx.syntax.tree import Instruction

HERE = Path(__file__).parents[1]
PIECES = [
    *"{}()[];:,.@!|+-/*\"'#\\\n\t \0=<>%$_",
    "//",
    "/*",
    "*/",
    "ret",
    ".reg",
    ".entry",
    "0x",
    "é",
    "\ufffd",
    "}" * 9,
]


def seeds() -> list[str]:
    paths = sorted((HERE / "kernels").rglob("*.ptx"))
    return [text for path in paths if len(text := path.read_text()) < 30_000]


def mutated(chance: random.Random, text: str, others: list[str]) -> str:
    """A text after one to four accidents: a loss, an insertion, an exchange, a cut, a splice, a repetition."""
    for _ in range(chance.randrange(1, 5)):
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + int(chance.expovariate(0.1)))
        match chance.randrange(6):
            case 0:
                text = text[:start] + text[end:]
            case 1:
                text = text[:start] + chance.choice(PIECES) + text[start:]
            case 2:
                text = text[:start] + "".join(chance.choices(PIECES, k=end - start)) + text[end:]
            case 3:
                text = text[:start] if chance.random() < 0.2 else text[:start] + text[end:]
            case 4:
                other = chance.choice(others)
                at = chance.randrange(len(other))
                text = text[:start] + other[at : at + 200] + text[end:]
            case _:
                text = text[:end] + text[start:end] * chance.randrange(1, 20) + text[end:]
    return text


def survives(text: str) -> None:
    module = parse(File("mutated.ptx", text))
    assert str(module) == text
    for diagnostic in module.diagnostics:
        start, end = diagnostic.span
        assert 0 <= start <= end <= len(text)
        assert diagnostic.message
        assert str(diagnostic)
    last = 0
    for item in module.items:
        assert last <= item.span[0] <= item.span[1]
        last = item.span[1]
    reported = {diagnostic.span for diagnostic in module.diagnostics}
    for statement in module.walk():
        assert 0 <= statement.span[0] <= statement.span[1] <= len(text)
        if isinstance(statement, Instruction) and statement.problem is not None:
            assert statement.problem.span in reported


def test_mutations() -> None:
    chance, texts = random.Random(2026), seeds()
    for _ in range(150):
        survives(mutated(chance, chance.choice(texts), texts))


@pytest.mark.sweep
def test_mutations_for_ten_minutes() -> None:
    chance, texts = random.Random(), seeds()
    end = time.monotonic() + 600
    while time.monotonic() < end:
        state = chance.getstate()
        text = mutated(chance, chance.choice(texts), texts)
        begun = time.process_time()
        try:
            survives(text)
        except Exception as error:
            raise AssertionError(f"from the state {hash(state)}:\n{text}") from error
        assert time.process_time() - begun < 20, text
