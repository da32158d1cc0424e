"""Opcodes with a blank inside of their name, which is one word to the assembler: `wmma .load`, `mul .lo`."""

from __future__ import annotations

from openptx.check.problems import Candidate, Problem, rewrite
from openptx.diagnostics import SAFE
from openptx.patterns import pattern
from openptx.syntax.lexical import TRIVIA
from openptx.syntax.tree import Instruction

_BLANK = pattern(TRIVIA)


def split_name(instruction: Instruction, candidate: Candidate) -> Problem | None:
    """The error that a blank or a comment precedes a modifier that belongs to the name; before others it may stand."""
    start, end = instruction.opcode_span
    blank = _BLANK.search(instruction.file.text, start, end)
    if blank is None:
        return None
    words = instruction.file.text.count(".", start, blank.start()) + 1
    if words >= candidate.form.words_of_name(candidate.m):
        return None
    opcode = instruction.opcode
    return Problem(
        "invalid-opcode", f"no blank may stand in the name of `{opcode}`",
        label="this belongs to the name", part=opcode.split(".")[words], expected=opcode,
        rule="PTX ISA, Instruction Statements (4.3.2)", help=f"write `{opcode}`", repair=rewrite(opcode, SAFE),
    )  # fmt: skip
