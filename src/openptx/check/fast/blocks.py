"""Recognises blocks like accepted ones, and records their reads and writes."""

from __future__ import annotations

import re

from openptx.check.fast.block_memo import REGISTER, BlockMemo, is_plain
from openptx.check.operand.kinds import Kind
from openptx.patterns import pattern
from openptx.syntax.lexical import IDENTIFIER
from openptx.syntax.row_lexer import DECLARATION, STATEMENT_OF_BLOCK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.fast.classify import OperandClassifier
    from openptx.check.fast.file_memo import FileMemo

    Key = tuple[object, ...]

_CALL = pattern(rf"(?:call|call\.uni)\s++(?:\([^()]*+\)\s*+,\s*+)?(?![$%])({IDENTIFIER})(?=\s*+[,;])", re.A)


def form_of(block: str, names: OperandClassifier, memo: FileMemo) -> tuple[Key, list[str]] | None:
    """The key of a block, on which alone its verdict depends, and its registers. None if not all of these belong to the
    body, if it names a parameter of the kernel (a name that no other kernel has), or if its callee is undeclared."""
    checked = names.checked
    text, callee = _without_callee(block)
    if f"[{checked.tree.name.text}" in text:
        return None
    signature = None
    if callee:
        shape = memo.shape(callee)
        if shape is None:
            return None
        signature = shape, names.function(callee)
    texts = REGISTER.split(text)
    parts, registers = [*texts], texts[1::2]
    parts[1::2] = found = list(map(names.definitions.get, registers))
    if None in found:
        return None
    same = tuple(map(registers.index, registers)) if "{" in text or "|" in text else None
    return (signature, same, *parts), registers


def block_memo(block: str, key: Key, registers: list[str], names: OperandClassifier) -> BlockMemo | None:
    """The memo of an accepted block. None if its verdict depends on more than its key."""
    if not all(is_plain(each) for each in key if isinstance(each, Kind)):
        return None
    found = BlockMemo(len(registers))
    for piece in STATEMENT_OF_BLOCK.findall(_without_callee(block)[0]):
        text = piece.strip()
        is_declaration = DECLARATION.fullmatch(text) is not None
        if not (found.add_declaration(text) if is_declaration else found.add_instruction(text, names.definitions)):
            return None
    return found if found.found == len(registers) and names.read_before_written.isdisjoint(found.registers) else None


def _without_callee(block: str) -> tuple[str, str]:
    """The text of a block without the name of its callee, and that name."""
    text = block[block.index("\n") if "//" in block else 1 : -1].lstrip()
    call = text.find("call")
    if call < 0 or (match := _CALL.match(text, call)) is None:
        return text, ""
    return text[: match.start(1)] + text[match.end(1) :], match[1]


def apply(memo: BlockMemo, registers: list[str], names: OperandClassifier) -> bool:
    """Records the reads and writes of a block of this form in `names`. False if its names mean something else in
    this body."""
    if memo.declared and not names.unknown(memo.declared):
        return False
    if memo.common:
        if any(names.definitions.get(name) is not kind for name, kind in memo.common.items()):
            return False
        registers = [*registers, *memo.common]
    for number, written in memo.accesses:
        name = registers[number]
        if name not in names:
            if written:
                names.mark_written((name,))
            else:
                names[name]  # read before it is written
    names.block_names.update(memo.registers)
    return True
