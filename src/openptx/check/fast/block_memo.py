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
from openptx.syntax.lexical import LETTER, WORD
from openptx.syntax.statement_lexer import INSTRUCTION, STATEMENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

REGISTER = pattern(rf"(%[a-z]++[0-9]++)(?!{LETTER})", re.A)
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
        if not text.startswith((".reg", ".param")) or REGISTER.search(text):
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

    def add_instruction(self, text: str, definitions: Mapping[str, Kind]) -> bool:
        """Records the registers of an instruction. False if it names anything else, jumps or synchronises."""
        match = STATEMENT.fullmatch(text)
        if match is None or match.lastindex != INSTRUCTION:
            return False
        guard, opcode, operands = match[2] or "", match[3], match[4]
        if joins(opcode) or opcode.partition(".")[0] in mnemonics(*JUMPS):
            return False
        first = _FIRST.match(operands) if writes(opcode) else None
        after = first.end() if first is not None else 0
        before = self._register_numbers(guard, definitions)
        written = self._register_numbers(operands[:after], definitions)
        read = self._register_numbers(operands[after:], definitions)
        if before is None or written is None or read is None:
            return False
        self.accesses += [(place, False) for place in before + read] + [(place, True) for place in written]
        self.last_instruction = guard or None, opcode
        return True

    def _register_numbers(self, text: str, definitions: Mapping[str, Kind]) -> list[int] | None:
        """The numbers of the registers that a text names; None if it names anything else."""
        found: list[int] = []
        for word in _WORD.findall(text):
            if REGISTER.fullmatch(word):
                found.append(self.found)
                self.found += 1
            elif word not in self.declared:
                kind = definitions.get(word)
                if kind is None or not is_plain(kind):
                    return None
                self.common.setdefault(word, kind)
                found.append(self.count + list(self.common).index(word))
        return found


def is_plain(kind: Kind) -> bool:
    """Whether this is a register that is no parameter."""
    return kind.sort in (kinds.REGISTER, kinds.VECTOR) and not kind.space
