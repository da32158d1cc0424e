"""Accept-only fast path through a body: one lookup per statement. The full checker reads what it does not accept: the
doubtful instructions, or else the whole body.

`rows` reads a body as rows of strings (`syntax.row_lexer`), `statements` the statements that are not rows. `symbols` is
the symbol table, `classify` adds the kind of each operand text to it, `interned_kinds` shares these among files,
`tables` are branch and call targets. `definite_assignment` proves that registers are written before they are read;
`barrier_uniformity` proves that no branch has split a warp before a barrier. `file_memo`, `block_memo` and `body_memo`
keep accepted declarations, calls, blocks and whole small bodies; `blocks` recognises those.
"""

from __future__ import annotations

from openptx.check.fast.rows import FastPath

__all__ = ["FastPath"]
