"""Judges calls against the signature of what they call (manual 7, 9.7.12.5)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.functions import FunctionChecker
    from openptx.check.scopes import Scope
    from openptx.syntax.tree import Instruction


def judge_call(checker: FunctionChecker, instruction: Instruction, scope: Scope) -> None:
    """Whether a call's arguments and results fit the function or the prototype."""
