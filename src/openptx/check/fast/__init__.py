"""Accept-only fast path through a body: one lookup a statement. The full checker reads what it does not accept: the
instructions that are in doubt, or else the whole body.

`rows` reads a body as rows of strings (`syntax.row_lexer`), `classify` knows the kind of each operand text, `symbols`
what names mean, `blocks` what ends at a `}`. `statements` reads what is no row: `calls`, lists of targets (`tables`).
`definite_assignment` proves that registers are written before they are read; `places` finds what the full checker reads
of a body that is right but for a few instructions and registers;
`barrier_uniformity` tests whether a branch may have split a warp before a barrier. `file_memo` and `block_memo` keep
declarations, calls and whole blocks that were accepted.
"""

from __future__ import annotations

from openptx.check.fast.rows import FastPath

__all__ = ["FastPath"]
