"""Statements of compilers with one operand or modifier exchanged: `check` says of each what ptxas says."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from assembler import MISSING, PTXAS, accepted

import openptx

FILES = Path(__file__).parents[1] / "corpus" / "ptx"
HEAD = ".version 9.0\n.target sm_100a\n.address_size 64\n"
TYPES = ("b16", "b32", "b64", "u32", "s32", "u64", "f32", "f64", "f16x2", "pred")
DECLARATIONS = " ".join(f".reg .{type} {type}_<8>;" for type in TYPES)
MODULE = ".global .align 16 .b8 gv[64]; .shared .align 16 .b8 sv[64];"

_REGISTERS = re.compile(r"\.reg \.(\w+)\s+(%\w+?)<\d+>;")
_STATEMENT = re.compile(r"^\s+([a-z][\w.:]*)\s+([^;{}()]+(?:\{[^{}]*\}[^;{}()]*)*);", re.M)
_NAME = re.compile(r"%[a-z]+[a-z_]*\d+")
_ATOM = re.compile(r"\b[a-z]\w*_\d\b|\b\d+\b")


def statements() -> list[str]:
    """Statements of the corpus on registers alone, these by their types: `add.s32 b32_0, b32_1, 5;`."""
    found: set[str] = set()
    for file in sorted(FILES.glob("*.ptx")):
        text = file.read_text()
        types = {prefix: type for type, prefix in _REGISTERS.findall(text)}
        for opcode, operands in _STATEMENT.findall(text):
            names: dict[str, str] = {}
            for name in _NAME.findall(operands):
                type = types.get(name.rstrip("0123456789"), "")
                names.setdefault(name, f"{type}_{len(names) % 8}" if type in TYPES else "")
            if names and all(names.values()) and opcode.partition(".")[0] not in ("bra", "call", "brx"):
                found.add(f"{opcode} {_NAME.sub(lambda m, names=names: names[m[0]], operands)};")
    return sorted(found)


def mutated(dice: random.Random, text: str, modifiers: list[str]) -> str:
    """One operand or modifier exchanged, lost or doubled."""
    opcode, _, operands = text.partition(" ")
    parts = opcode.split(".")
    if len(parts) > 1 and dice.random() < 0.4:
        i = dice.randrange(1, len(parts))
        parts[i : i + 1] = dice.choice(([], [dice.choice(modifiers)], [parts[i], parts[i]]))
        return f"{'.'.join(parts)} {operands}"
    atoms = list(_ATOM.finditer(operands))
    if not atoms:
        return text
    atom = dice.choice(atoms)
    other = dice.choice((f"{dice.choice(TYPES)}_{dice.randrange(8)}", "1", "-3", "1.0", "gv", "sv", "%tid.x", "_"))
    return f"{opcode} {operands[: atom.start()]}{other}{operands[atom.end() :]}"


@pytest.mark.sweep
@pytest.mark.skipif(not PTXAS.exists(), reason=MISSING)
def test_mutations_of_statements(tmp_path: Path) -> None:
    dice = random.Random()
    pool = statements()
    modifiers = sorted({part for text in pool for part in text.split()[0].split(".")[1:]})
    wrong: list[str] = []
    count = 1500
    for _ in range(count):
        statement = mutated(dice, dice.choice(pool), modifiers)
        text = f"{HEAD}{MODULE}\n.entry k() {{ {DECLARATIONS}\n{statement}\nret; }}\n"
        errors = [found for found in openptx.check(text) if found.severity == "error"]
        if accepted(tmp_path, text, "100a") == bool(errors):
            wrong.append(f"{statement}  {errors[:1] or 'accepted here'}")
    # What differs on purpose is in docs/decisions/parity.md; a run of 1,500 has had at most 10.
    assert len(wrong) <= count // 75, "\n".join(wrong)
