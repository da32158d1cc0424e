"""Accept-only fast path through a body: one lookup per statement. The full checker reads what it does not accept: the
doubtful instructions, or else the whole body.

`rows` reads a body as rows of strings (`syntax.row_lexer`), `classify` knows the kind of each operand text, `symbols`
the meanings of names, `blocks` what ends at a `}`. `statements` reads statements that are not rows: `calls`, branch and
call targets (`tables`). `definite_assignment` proves that registers are written before they are read;
`barrier_uniformity` proves that no branch has split a warp before a barrier. `file_memo`, `block_memo` and `body_memo`
keep accepted declarations, calls, blocks and whole small bodies. `places` finds the statements that the full checker
must read if only a few instructions are doubtful.
"""

from __future__ import annotations

from openptx.check.fast.rows import FastPath

__all__ = ["FastPath"]
