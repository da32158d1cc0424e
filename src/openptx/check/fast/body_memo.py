"""Memo of small accepted bodies: one that differs from an earlier one only in comments, in names of the header and the
module, and in names of its own that begin with `$` or `_`, as labels and variables of compilers do, is accepted.

Wrappers and instances of templates give a file thousands of them, each of a few instructions.
"""

from __future__ import annotations

import re

from openptx.isa.mnemonics import MODULES
from openptx.patterns import pattern
from openptx.syntax.lexical import COMMENT, LETTER, WORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.fast.file_memo import FileMemo
    from openptx.check.names.scopes import Scope
    from openptx.check.operand.kinds import Kind
    from openptx.source import File
    from openptx.syntax.tree import Function

    Key = tuple[object, ...]

_WORDS = pattern(rf"(?<!{LETTER})(?<![.%])({WORD})", re.A)
_COMMENT = pattern(COMMENT)
_MAX_LENGTH = 1 << 9
"""Longer bodies, in characters, are rarely alike, and the overhead of a function is small in comparison."""
_MAX_BODIES = 1 << 12
"""The maximum number of memoised bodies."""
_MAX_MISSES = 1 << 8
"""The memo is disabled for the rest of a file when its misses outnumber its hits by this many."""


def _is_in_range(name: str, text: str) -> bool:
    """Whether a name may belong to a range that a text declares: `p1` to `p<9>`, but not to `%p<9>`."""
    range = f"{name.rstrip('0123456789')}<"
    return text.count(range) > text.count(f"%{range}")


class BodyMemo:
    """The accepted bodies of one file."""

    __slots__ = ("_file", "_functions", "_known", "_memo", "_misses", "_scope")

    def __init__(self, file: File, scope: Scope, functions: dict[str, Kind], memo: FileMemo) -> None:
        self._file, self._scope, self._functions, self._memo = file, scope, functions, memo
        self._known: dict[Key, int] = {}  # the number of registers that each body declares
        self._misses = 0  # minus hits

    def key(self, function: Function) -> Key | None:
        """Everything that the verdict on a body depends on: its text with numbers in place of names of the header, of
        the module and of its own, the meanings of these, and the form of the header. None for a body that is not
        memoised."""
        start, end = function.body or (0, 0)
        if end - start > _MAX_LENGTH or function.form is None or self._misses > _MAX_MISSES or self._scope.ranges:
            return None
        text = self._file.text[start:end]
        if '"' in text:
            return None
        if "/" in text:
            text = _COMMENT.sub(" ", text)
        parts: list[object] = [*_WORDS.split(text)]
        functions, variables = self._functions, self._scope.names
        numbers = {name: number for number, name in enumerate(function.formals)}
        numbers.setdefault(function.name.text, -1)
        meanings: list[object] = []
        for place, word in enumerate(parts[1::2]):
            assert isinstance(word, str)
            number = numbers.get(word)
            if number is None:
                if word in variables:
                    meanings.append(variables[word].kind)
                elif word in functions:
                    meanings += functions[word], self._memo.shape(word)
                elif word[0] in "$_" and len(word) > 1:  # no opcode begins like that
                    meanings.append(None)
                else:
                    continue
                number = numbers[word] = -1 - len(meanings)
            if word in MODULES:
                return None
            parts[2 * place + 1] = number
        if "<" in text and any(_is_in_range(name, text) for name in numbers):
            return None
        return function.form, *parts, *meanings

    def accepts(self, key: Key) -> bool:
        """Whether the body with this key is certainly correct."""
        registers = self._known.get(key)
        if registers is None or registers > self._memo.register_budget:
            self._misses += 1
            return False
        self._misses -= 1
        self._memo.register_budget -= registers
        return True

    def accept(self, key: Key, registers: int) -> None:
        """Memoises a correct body that declares this many registers."""
        if len(self._known) < _MAX_BODIES:
            self._known[key] = registers
