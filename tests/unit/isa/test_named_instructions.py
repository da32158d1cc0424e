"""Instructions are known by their declarations: outside of `isa`, no code compares their names."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from openptx.isa.mnemonics import MODULES

PACKAGE = Path(__file__).parents[3] / "src" / "openptx"
#    file                              why it may name an instruction
MAY = {
    "syntax/instruction_parser.py":    "the operands of `call` have a grammar of their own",
    "check/explain/opcode_errors.py":  "words for errors in conversions",
    "explanations/conversions.py": "explains conversions",
}  # fmt: skip


def names_of(node: ast.expr) -> Iterator[str]:
    """The opcodes and mnemonics in a constant, or in a collection of constants."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        for element in node.elts:
            yield from names_of(element)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.split(".")[0] in MODULES:
        yield node.value


def is_opcode(node: ast.expr) -> bool:
    """Whether an expression is named as an opcode, or as the name of an instruction."""
    text = ast.unparse(node)
    return text.rpartition(".")[2] in ("opcode", "mnemonic") or text.endswith("instruction.name")


def compared(text: str) -> list[str]:
    """The instructions that a module's comparisons name."""
    found: list[str] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Compare) and any(map(is_opcode, (node.left, *node.comparators))):
            found += [name for side in (node.left, *node.comparators) for name in names_of(side)]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and is_opcode(node.func.value):
            found += [name for argument in node.args for name in names_of(argument) if node.func.attr == "startswith"]
    return found


@pytest.mark.parametrize(
    "text",
    ["op.form.instruction.name == 'atom'", "mnemonic in ('red', 'atom')", "opcode.startswith('st.param')",
     "'cvt' != opcode"],
)  # fmt: skip
def test_what_compares_a_name_is_found(text: str) -> None:
    assert compared(text)


def test_no_instruction_is_recognised_by_its_name() -> None:
    files = {
        name: compared(path.read_text("utf-8"))
        for path in sorted(PACKAGE.rglob("*.py"))
        if not (name := path.relative_to(PACKAGE).as_posix()).startswith("isa/")
    }
    assert {name: found for name, found in files.items() if found and name not in MAY} == {}
    assert [name for name in MAY if not files[name]] == []
