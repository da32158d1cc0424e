"""Meanings use only modifiers that exist: an unknown name would be None and go unnoticed."""

from __future__ import annotations

import ast
from pathlib import Path

import openptx.isa
from openptx.isa.notation import INSTRUCTIONS, load
from openptx.isa.notation.forms import Modifiers, attribute
from openptx.isa.semantics.elements import unpacked

FOLDER = Path(openptx.isa.__file__).parent


def _known() -> set[str]:
    """All names that the modifiers of some form may have, and those that `with_` gives them later."""
    load()
    names = {"elements", "type", "dtype", "atype", "btype", "ctype", "rnd", "space", "vec", *dir(Modifiers)}
    for each in INSTRUCTIONS:
        names |= set(each.defaults)
        names |= {attribute(slot.name) for form in each.forms for slot in form.slots}
        # Lowering tells which part of a register an operand of a video instruction names, `a.b0`, and of `-a`.
        names |= {f"{t.name}_part" for form in each.forms for t in form.operands if t.selectors}
        names |= {f"{t.name}_minus" for form in each.forms for t in form.operands if t.minus}
    for path in FOLDER.parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "with_":
                names |= {keyword.arg for keyword in node.keywords if keyword.arg is not None}
    return names


def test_meanings_ask_for_modifiers_that_exist() -> None:
    known = _known()
    asked: dict[str, str] = {}
    for path in sorted(FOLDER.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "m":
                asked.setdefault(node.attr, f"{path.name}:{node.lineno}")
    unknown = {name: where for name, where in asked.items() if name not in known}
    assert unknown == {}
    assert len(asked) > 20


def test_every_instruction_says_how_true_it_is() -> None:
    load()
    for each in INSTRUCTIONS:
        kinds = {each.fidelity(form.least()).kind for form in each.forms} | {each.fidelity().kind}
        assert kinds <= {"exact", "bounded", "modelled", "unsupported"}, each
        if each.meaning is None:
            assert kinds == {"unsupported"}, each


def test_scalars_have_no_loop_over_elements() -> None:
    load()
    add = next(i for i in INSTRUCTIONS if i.name == "add" and any(f.match(("u16x2",)) for f in i.forms))
    assert add.meaning is not None
    matches = [m for f in add.forms for text in ("u32", "u16x2") if (m := f.match((text,))) is not None]
    found = {m.type.count: unpacked(add.meaning, m) for m in matches}
    assert found[2] is add.meaning
    assert found[1] is not add.meaning
