"""Explain an error code or an element of PTX: what it means, what it requires, and where the manual defines it.

openptx explain PTX0312          an error code, or its name
openptx explain fma              an instruction
openptx explain cvt.rn.f16.f32   an opcode: its form, operands and requirements
openptx explain .satfinite       a modifier
openptx explain 0f3F800000       a literal
openptx explain e4m3             a number format, or a type: .b32, f16x2
openptx explain %laneid          a special register
openptx explain sm_90a           a target
openptx explain deviations       where ptxas differs from the manual
openptx explain vector-kinds     one of these deviations
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from openptx.cli.exit_status import CLEAN
from openptx.cli.explanations.instructions import explain_instruction
from openptx.cli.explanations.literals import explain_literal
from openptx.cli.explanations.modifiers import explain_modifier
from openptx.cli.explanations.tables import explain_code, explain_deviation, explain_register, explain_target
from openptx.cli.explanations.types import explain_type
from openptx.diagnostics.codes import every_code
from openptx.errors import InputError
from openptx.isa.notation import load
from openptx.isa.types import TYPES
from openptx.keywords import did_you_mean

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    Explainer = Callable[[str], str | None]


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `openptx explain`."""
    parser.add_argument(
        "what", nargs="+", metavar="WHAT", help="one of the above; several are explained one after the other"
    )


def run(args: Namespace) -> int:
    """Print one explanation for each word."""
    print("\n\n".join(explain(word.strip()) for word in args.what))
    return CLEAN


def explain(word: str) -> str:
    """The explanation of a word of PTX, or both of a code and a deviation of one name; `InputError` for an unknown
    word."""
    for explainer in explainers(word):
        if (text := explainer(word)) is not None:
            both = explain_deviation(word) if explainer is explain_code else None
            return f"{text}\n\n{both}" if both else text
    raise InputError(f"`{word}` is not a code, instruction, modifier, literal, type or special register{hint(word)}")


def explainers(word: str) -> list[Explainer]:
    """The explainers of a word, the likeliest first."""
    if word.upper().startswith("PTX"):
        return [explain_code]
    if word.startswith("%"):
        return [explain_register]
    if word.startswith("."):
        return [explain_type, explain_modifier]
    if word.startswith("sm_"):
        return [explain_target]
    return [explain_literal, explain_instruction, explain_type, explain_code, explain_deviation, explain_modifier]


def hint(word: str) -> str:
    """The most similar word that has an explanation."""
    known = [*load(), *TYPES, *(row.name for row in every_code()), *(row.code for row in every_code())]
    return did_you_mean(word.lstrip("."), known)
