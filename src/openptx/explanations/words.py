"""Explains a word of PTX: a code, an instruction or opcode, a directive, a modifier, a literal, a type, a
register or a target."""

from __future__ import annotations

from collections.abc import Callable

from openptx.diagnostics.codes import every_code
from openptx.errors import InputError
from openptx.explanations.directives import SYNTAX, explain_directive
from openptx.explanations.instructions import explain_instruction
from openptx.explanations.literals import explain_literal
from openptx.explanations.modifiers import explain_modifier
from openptx.explanations.special_registers import explain_register
from openptx.explanations.tables import explain_code, explain_deviation, explain_target
from openptx.explanations.types import explain_type
from openptx.isa.notation import load
from openptx.isa.types import TYPES
from openptx.keywords import did_you_mean
from openptx.syntax.literals import number_advice

Explainer = Callable[[str], str | None]
BESIDES: dict[Explainer, tuple[Explainer, ...]] = {
    explain_code: (explain_deviation,),
    explain_directive: (explain_modifier,),
}
"""What a word may mean besides."""


def explain(word: str) -> str:
    """The explanation of a word of PTX; all of them for one that means several things; `InputError` for an unknown
    word."""
    for explainer in explainers(word):
        if (text := explainer(word)) is not None:
            others = (other(word) for other in BESIDES.get(explainer, ()))
            return "\n\n".join([text, *(other for other in others if other)])
    advice = number_advice(word) if word[:1].isdecimal() else None
    reason = f": {advice}" if advice else hint(word)
    raise InputError(
        f"`{word}` is not a code, instruction, directive, modifier, literal, type or special register{reason}"
    )


def explainers(word: str) -> list[Explainer]:
    """The explainers of a word, the likeliest first."""
    if word.upper().startswith("PTX"):
        return [explain_code]
    if word.startswith("%") or word == "WARP_SZ":
        return [explain_register]
    if word.startswith("."):
        return [explain_type, explain_directive, explain_modifier]
    if word.startswith("sm_"):
        return [explain_target]
    return [
        explain_literal,
        explain_instruction,
        explain_type,
        explain_code,
        explain_deviation,
        explain_directive,
        explain_modifier,
    ]


def hint(word: str) -> str:
    """The most similar word that has an explanation."""
    rows = every_code()
    known = [*load(), *TYPES, *SYNTAX, *(row.name for row in rows), *(row.code for row in rows)]
    return did_you_mean(word, [f".{each}" for each in known] if word.startswith(".") else known)
