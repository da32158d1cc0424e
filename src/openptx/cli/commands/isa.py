"""List the instructions of PTX, the forms of one instruction, or the coverage.

Without an argument: all instructions, by section of the manual. With a mnemonic: its forms in the manual's notation,
the PTX versions and targets that have them, and how accurate their results are here. With --coverage: how many forms
are declared, executed and tested.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from openptx.cli.exit_status import CLEAN
from openptx.diagnostics.terminal import title
from openptx.explanations.coverage import aligned, coverage, table
from openptx.explanations.descriptions import description, find
from openptx.isa.notation import INSTRUCTIONS, load


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `openptx isa`."""
    parser.add_argument("mnemonic", nargs="?", metavar="MNEMONIC", help="an instruction, such as fma or cvt.pack")
    parser.add_argument(
        "--coverage", action="store_true", help="count the forms that are declared, executed and tested"
    )


def run(args: Namespace) -> int:
    """Print a list, an instruction, or the coverage."""
    if args.coverage:
        print(aligned(table(coverage())))
    elif args.mnemonic:
        print("\n\n".join(description(instruction) for instruction in find(args.mnemonic)))
    else:
        print(overview())
    return CLEAN


def overview() -> str:
    """Every instruction, by section."""
    load()
    lines: list[str] = []
    section = ""
    for each in INSTRUCTIONS:
        if each.module != section:
            section = each.module
            lines += ["", title(f"{each.section} {section.replace('_', ' ')}")]
        lines.append(f"  {each.name:<24} {each.summary}")
    return "\n".join(lines[1:])
