"""Accept-only fast path through a body: one lookup a statement. Everything else goes to the full checker.

`rows` reads a body as rows of strings (`syntax.row_lexer`), `classify` knows the kind of each operand text, `symbols`
what names mean, `blocks` what ends at a `}`. `statements` reads what is no row: `calls`, lists of targets (`tables`).
`definite_assignment` proves that registers are written before they are read, `uninitialized` finds those that are not;
`barrier_uniformity` tests whether a branch may have split a warp before a barrier. `file_memo` and `block_memo` keep
declarations, calls and whole blocks that were accepted.
"""

from __future__ import annotations

from openptx.check.fast.rows import FastPath

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.function import FunctionChecker
    from openptx.check.names.scopes import Scope


def accepts(body: FunctionChecker, header: Scope) -> bool:
    """Whether a body is right for certain: a warning is all that it can still get, of a register that nothing writes.

    `header` declares its parameters. False says nothing about the body: the full checker reads it then.
    """
    return FastPath(body, header).accepts()
