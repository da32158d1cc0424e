"""Memo of accepted blocks: one that differs from an earlier one only in registers and callee is accepted, too.

Compilers put each call into its own block, with its parameters and the stores to them, and blocks from `asm` repeat
many times.
"""

from __future__ import annotations

import re

from openptx.check.fast.file_memo import RANGE, pool
from openptx.check.flow.reads_writes import writes
from openptx.check.operand import kinds
from openptx.check.operand.kinds import Kind
from openptx.isa.control import JUMPS, joins, mnemonics
from openptx.patterns import pattern
from openptx.syntax.lexical import IDENTIFIER, LETTER, WORD
from openptx.syntax.row_lexer import DECLARATION, STATEMENT_OF_BLOCK
from openptx.syntax.statement_lexer import INSTRUCTION, STATEMENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.fast.classify import OperandClassifier

    Key = tuple[object, ...]

_REGISTER = pattern(rf"(%[a-z]++[0-9]++)(?!{LETTER})", re.A)
_CALL = pattern(rf"(?:call|call\.uni)\s++(?:\([^()]*+\)\s*+,\s*+)?(?![$%])({IDENTIFIER})(?=\s*+[,;])", re.A)
_WORD = pattern(rf"(?<!{LETTER})(?<![.%]){WORD}", re.A)
_FIRST = pattern(r"(?!\[)(?:\{[^}]*+\}|\([^)]*+\))?+[^,]*+")
_MAX_RANGE = 64
"""A block that declares a range of more names is not memoised."""


class BlockMemo:
    """The common properties of all blocks of one form. `count` is the number of registers that differ between them."""

    __slots__ = ("accesses", "common", "count", "declared", "found", "last_instruction", "registers")

    def __init__(self, count: int) -> None:
        self.count = count
        self.found = 0  # how many of these registers have been found in the text
        self.declared: list[str] = []  # names that the block declares
        self.registers: list[str] = []  # declared names that are registers
        self.common: dict[str, Kind] = {}  # registers of the body with names that are the same in all of these blocks
        self.accesses: list[tuple[int, bool]] = []
        """Reads and writes in order: the number of a register (common ones come last), and whether it is written."""
        self.last_instruction: tuple[str | None, str] | None = None
        """Guard and opcode of the last instruction."""

    def add_declaration(self, text: str) -> bool:
        """Records declared registers or parameters of calls. False for anything else."""
        if not text.startswith((".reg", ".param")) or _REGISTER.search(text):
            return False
        found: list[str] = []
        for word in _WORD.finditer(text):
            numbered = RANGE.match(text, word.start())
            if numbered and (int(numbered[2]) > _MAX_RANGE or word[0][-1].isdecimal()):
                return False
            found += pool(word[0], int(numbered[2])) if numbered else [word[0]]
        self.declared += found
        self.registers += found if text.startswith(".reg") else ()
        return True

    def add_instruction(self, text: str, names: OperandClassifier) -> bool:
        """Records the registers of an instruction. False if it names anything else, jumps or synchronises."""
        match = STATEMENT.fullmatch(text)
        if match is None or match.lastindex != INSTRUCTION:
            return False
        guard, opcode, operands = match[2] or "", match[3], match[4]
        if joins(opcode) or opcode.partition(".")[0] in mnemonics(*JUMPS):
            return False
        first = _FIRST.match(operands) if writes(opcode) else None
        after = first.end() if first is not None else 0
        before, written = self._register_numbers(guard, names), self._register_numbers(operands[:after], names)
        read = self._register_numbers(operands[after:], names)
        if before is None or written is None or read is None:
            return False
        self.accesses += [(place, False) for place in before + read] + [(place, True) for place in written]
        self.last_instruction = guard or None, opcode
        return True

    def _register_numbers(self, text: str, names: OperandClassifier) -> list[int] | None:
        """The numbers of the registers that a text names; None if it names anything else."""
        found: list[int] = []
        for word in _WORD.findall(text):
            if _REGISTER.fullmatch(word):
                found.append(self.found)
                self.found += 1
            elif word not in self.declared:
                kind = names.definitions.get(word)
                if kind is None or not _plain(kind):
                    return None
                self.common.setdefault(word, kind)
                found.append(self.count + list(self.common).index(word))
        return found

    def apply(self, registers: list[str], names: OperandClassifier) -> bool:
        """Records the reads and writes of a block of this form in `names`. False if its names mean something else in
        this body."""
        if self.declared and not names.unknown(self.declared):
            return False
        if self.common:
            if any(names.definitions.get(name) is not kind for name, kind in self.common.items()):
                return False
            registers = [*registers, *self.common]
        for number, written in self.accesses:
            name = registers[number]
            if name not in names:
                if written:
                    names.mark_written((name,))
                else:
                    names[name]  # read before it is written
        names.block_names.update(self.registers)
        return True


def form_of(block: str, names: OperandClassifier) -> tuple[Key, list[str]] | None:
    """The key of a block, on which alone its verdict depends, and its registers. None if not all of these belong to the
    body, if it names a parameter of the kernel (a name that no other kernel has), or if its callee is undeclared."""
    checked = names.checked
    text, callee = _without_callee(block)
    if f"[{checked.tree.name.text}" in text:
        return None
    signature = None
    if callee:
        shape = checked.module.memo.shape(callee, checked.module)
        if shape is None:
            return None
        signature = shape, names.function(callee)
    texts = _REGISTER.split(text)
    parts, registers = [*texts], texts[1::2]
    parts[1::2] = found = list(map(names.definitions.get, registers))
    if None in found:
        return None
    same = tuple(map(registers.index, registers)) if "{" in text or "|" in text else None
    return (signature, same, *parts), registers


def block_memo(block: str, key: Key, registers: list[str], names: OperandClassifier) -> BlockMemo | None:
    """The memo of an accepted block. None if its verdict depends on more than its key."""
    if not all(_plain(each) for each in key if isinstance(each, Kind)):
        return None
    found = BlockMemo(len(registers))
    for piece in STATEMENT_OF_BLOCK.findall(_without_callee(block)[0]):
        text = piece.strip()
        if not (found.add_declaration(text) if DECLARATION.fullmatch(text) else found.add_instruction(text, names)):
            return None
    return found if found.found == len(registers) and names.read_before_written.isdisjoint(found.registers) else None


def _plain(kind: Kind) -> bool:
    """Whether this is a register that is no parameter."""
    return kind.sort in (kinds.REGISTER, kinds.VECTOR) and not kind.space


def _without_callee(block: str) -> tuple[str, str]:
    """The text of a block without the name of its callee, and that name."""
    text = block[block.index("\n") if "//" in block else 1 : -1].lstrip()
    call = text.find("call")
    if call < 0 or (match := _CALL.match(text, call)) is None:
        return text, ""
    return text[: match.start(1)] + text[match.end(1) :], match[1]
