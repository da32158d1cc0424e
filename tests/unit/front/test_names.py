"""Names are terms of the field, not private words or abbreviations."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

# fmt: off
#    private          say instead
PRIVATE = {
    "aside":          "in a cold block",
    "brain":          "bf16",
    "brains":         "bf16",
    "crime":          "violation",
    "dear":           "cost",
    "dearest":        "costliest",
    "deed":           "violation",
    "departures":     "side exits",
    "disappoints":    "disables speculation",
    "dry":            "analysing",
    "everybody":      "all lanes, or all threads",
    "everyone":       "all lanes, or all threads",
    "giver":          "sender",
    "handover":       "deoptimisation",
    "here":           "what is at this place: the block, the lanes, the position",
    "hurries":        "emits the fast copy",
    "impatient":      "stops soon",
    "nobody":         "no lanes, no thread",
    "olds":           "results",
    "patience":       "a limit, in its unit",
    "seldom":         "in a cold block",
    "taker":          "receiver",
    "there":          "what is at that place: an address, a group, what exists",
    "told":           "reported",
    "ways":           "modes, paths",
    "whose":          "owner",
    "wish":           "what is asked for",
    "wishes":         "what is asked for",
}
# fmt: on
PROSE = re.compile(r'"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|#.*')
MENTION = re.compile(rf"\b_*(?:{'|'.join(PRIVATE)})_*\b", re.IGNORECASE)
"""Which files to parse: those with such a word outside of texts and comments."""
JSON_KEYS = {("src/openptx/recording/difference.py", "here")}
"""What users read under this name."""


def declared(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The names that a file gives to modules' contents, attributes, parameters and variables."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.attr


@pytest.mark.parametrize("folder", ["src", "tools"])
def test_no_name_is_a_private_word(folder: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: `{name}`; say {PRIVATE[name.strip('_').lower()]}"
        for path in sorted(ROOT.joinpath(folder).rglob("*.py"))
        if MENTION.search(PROSE.sub("", text := path.read_text("utf-8")))
        for line, name in declared(ast.parse(text))
        if name.strip("_").lower() in PRIVATE and (str(path.relative_to(ROOT)), name) not in JSON_KEYS
    ]
    assert not found, "\n".join(found)
