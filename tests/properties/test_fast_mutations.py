"""Damaged files: the fast path and the full checker have the same findings."""

from __future__ import annotations

import random
import re
import time

import pytest
from test_syntax_fuzz import mutated, seeds

from openptx.check import check
from openptx.check.fast.rows import FastPath
from openptx.check.repairs import second_check
from openptx.source import File
from openptx.syntax import declaration_memo

_TOKEN = re.compile(r"[%$]?[A-Za-z_][\w.$]*|\d+|[\[\]{},;+|!@-]")


def never(_: FastPath) -> bool:
    """Accepts nothing."""
    return False


def exchanged(chance: random.Random, text: str) -> str:
    """A text in which one to three tokens stand where others were: most of them still read well."""
    for _ in range(chance.randrange(1, 4)):
        tokens = list(_TOKEN.finditer(text))
        place, other = chance.choice(tokens), chance.choice(tokens)
        text = text[: place.start()] + other[0] + text[place.end() :]
    return text


def moved(chance: random.Random, text: str) -> str:
    """A text in which one to three lines are lost, doubled or exchanged."""
    lines = text.split("\n")
    for _ in range(chance.randrange(1, 4)):
        i, j = chance.randrange(len(lines)), chance.randrange(len(lines))
        match chance.randrange(3):
            case 0:
                lines[i], lines[j] = lines[j], lines[i]
            case 1:
                del lines[i]
            case _:
                lines.insert(i, lines[j])
    return "\n".join(lines)


def mutant(chance: random.Random, texts: list[str]) -> str:
    text = chance.choice(texts)
    match chance.randrange(3):
        case 0:
            return mutated(chance, text, texts)
        case 1:
            return exchanged(chance, text)
        case _:
            return moved(chance, text)


def agree(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = [str(found) for found in check(File("mutated.ptx", text))]
    with monkeypatch.context() as patch:
        patch.setattr(FastPath, "accepts", never)
        patch.setattr(declaration_memo, "_MOST", 0)
        patch.setattr(declaration_memo, "_FORMS", {})
        patch.setattr(declaration_memo, "_HEADERS", {})
        patch.setattr(declaration_memo, "_EXACT", {})
        assert usual == [str(found) for found in check(File("mutated.ptx", text))], text


def test_mutations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without fixes, for which a file is checked again; the sweep has them."""
    monkeypatch.setattr(second_check, "ROOM", 0)
    chance, texts = random.Random(2026), [text for text in seeds() if len(text) < 8_000]
    for _ in range(100):
        agree(mutant(chance, texts), monkeypatch)


@pytest.mark.sweep
def test_mutations_for_ten_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    chance, texts = random.Random(), seeds()
    end = time.monotonic() + 600
    while time.monotonic() < end:
        agree(mutant(chance, texts), monkeypatch)
