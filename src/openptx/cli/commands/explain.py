"""Explain an error code or an element of PTX: what it means, what it requires, and where the manual defines it.

openptx explain PTX0312          an error code, or its name
openptx explain fma              an instruction
openptx explain cvt.rn.f16.f32   an opcode: its form, operands and requirements
openptx explain .satfinite       a modifier
openptx explain .maxntid         a directive, a state space or a pragma
openptx explain 0f3F800000       a literal
openptx explain e4m3             a number format, or a type: .b32, f16x2
openptx explain %laneid          a special register
openptx explain sm_90a           a target
openptx explain deviations       where ptxas differs from the manual
openptx explain vector-kinds     one of these deviations
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from openptx.cli.exit_status import CLEAN
from openptx.explanations.words import explain


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `openptx explain`."""
    parser.add_argument(
        "what", nargs="+", metavar="WHAT", help="one of the above; several are explained one after the other"
    )


def run(args: Namespace) -> int:
    """Print one explanation for each word."""
    print("\n\n".join(explain(word.strip()) for word in args.what))
    return CLEAN
