"""Memo of small accepted bodies: one that differs from an earlier one only in the names of functions is accepted.

Wrappers and instances of templates give a file thousands of them, each of a few instructions.
"""

from __future__ import annotations

import re

from openptx.isa.mnemonics import MODULES
from openptx.patterns import pattern
from openptx.syntax.lexical import LETTER, WORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.module import ModuleChecker
    from openptx.check.names.scopes import Scope
    from openptx.syntax.tree import Function

    Key = tuple[object, ...]

_WORDS = pattern(rf"(?<!{LETTER})(?<![.%]){WORD}", re.A)
_LONGEST = 1 << 9
"""Longer bodies, in characters, are seldom alike, and next to them the costs of a function are small."""
_MOST = 1 << 12
"""How many bodies are remembered."""
_VAIN = 1 << 8
"""After so many more keys of new bodies than of known ones, the file is taken for one whose bodies all differ."""


class BodyMemo:
    """The accepted bodies of one file."""

    __slots__ = ("_known", "_vain")

    def __init__(self) -> None:
        self._known: dict[Key, int] = {}  # and how many registers they declare
        self._vain = 0  # keys of new bodies, less those of known ones

    def key(self, module: ModuleChecker, function: Function, header: Scope) -> Key | None:
        """All that the verdict on a body depends on: its text with numbers in place of the function's own name and of
        names of the module, what those mean, and the form of the header. None for a body that is not remembered."""
        start, end = function.body or (0, 0)
        if end - start > _LONGEST or function.form is None or self._vain > _VAIN or module.scope.ranges:
            return None
        text, own = module.file.text[start:end], function.name.text
        if "/" in text or '"' in text:
            return None
        words = _WORDS.findall(text)
        functions, variables = module.functions, module.scope.names
        outer = {name for name in words if name in functions or name in variables}
        meanings: list[object] = []
        for name in sorted(outer.difference((own,), header.names)):
            if name in MODULES or text.count(name) != words.count(name):
                return None
            text = text.replace(name, f"\0{len(meanings)}\0")
            meaning = variables.get(name)
            meanings += (functions[name], module.memo.shape(name, module)) if meaning is None else (meaning.kind,)
        if own in text:
            renamed = [own, *(name for name in header.names if name.startswith(own) and name != own)]
            if own in MODULES or text.count(own) != sum(map(words.count, renamed)):
                return None
            text = text.replace(own, "\1")
        return function.form, text, *meanings

    def accepts(self, key: Key, module: ModuleChecker) -> bool:
        """Whether the body with this key is certainly right."""
        registers = self._known.get(key)
        if registers is None or registers > module.memo.room:
            self._vain += 1
            return False
        self._vain -= 1
        module.memo.room -= registers
        return True

    def accept(self, key: Key, registers: int) -> None:
        """Remember a body that is right and declares so many registers."""
        if len(self._known) < _MOST:
            self._known[key] = registers
