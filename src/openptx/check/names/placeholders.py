"""Operands of inline assembly, `%0` of CUDA C++ and `$0` of LLVM, that no compiler has replaced by registers."""

from __future__ import annotations

import re
from functools import cached_property

from openptx.patterns import pattern
from openptx.syntax.lexical import LETTER
from openptx.syntax.tree import Function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.spelling import Suggestions

_PLACEHOLDER = pattern(r"[%$][0-9]{1,3}")
_DECLARED = pattern(rf"\.reg\b[^;]*[\s,][%$][0-9]+(?!{LETTER})", re.A)


class Placeholders:
    """The operands of inline assembly that a function contains."""

    def __init__(self, function: Function, budget: Suggestions) -> None:
        self.function, self.budget = function, budget

    def has(self, undeclared: str) -> bool:
        """Whether an undeclared name is probably one: it looks so, and no register is declared under such a name."""
        return _PLACEHOLDER.fullmatch(undeclared) is not None and not self._are_registers

    @cached_property
    def _are_registers(self) -> bool:
        return _DECLARED.search(self.function.file.text, *self.function.span) is not None

    def help(self, name: str) -> str:
        """What to write instead of those like `name`."""
        start, end = self.function.span
        found = {name}
        if self.budget.spend(end - start):
            alike = re.compile(rf"(?<!{LETTER})(?<!%){re.escape(name[0])}[0-9]{{1,3}}(?!{LETTER})", re.A)
            found.update(alike.findall(self.function.file.text, start, end))
        names = sorted(found, key=lambda each: int(each[1:]))
        which = f"`{name}` is an operand" if len(names) == 1 else f"`{names[0]}` to `{names[-1]}` are operands"
        return f"{which} of inline assembly, which its compiler replaces: write registers of this function"
