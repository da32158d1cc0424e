"""List the instructions of PTX, the forms of one instruction, or the coverage.

Without an argument: all instructions, by section of the manual. With a mnemonic: its forms in the manual's notation,
the PTX versions and targets that have them, and how accurate their results are here. With --coverage: how many forms
are declared, executed and tested.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from openptx.cli.coverage import aligned, coverage, kinds, table
from openptx.cli.exit_status import CLEAN
from openptx.cli.terminal import paint
from openptx.errors import InputError
from openptx.isa.notation import INSTRUCTIONS, Instruction, load

MANUAL = "https://docs.nvidia.com/cuda/parallel-thread-execution/#"


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


def find(name: str) -> list[Instruction]:
    """The instructions with a mnemonic, or whose name starts an opcode; `InputError` names the nearest."""
    mnemonic, *rest = name.split(".")
    known = load()
    if mnemonic not in known:
        from difflib import get_close_matches

        near = get_close_matches(mnemonic, known, n=3)
        hint = f"; did you mean {' or '.join(f'`{each}`' for each in near)}?" if near else ""
        raise InputError(f"no instruction `{name}`{hint}")
    found = [each for each in known[mnemonic] if each.parts[1:] == tuple(rest[: len(each.parts) - 1])]
    return found or known[mnemonic]


def overview() -> str:
    """Every instruction, by section."""
    load()
    lines: list[str] = []
    section = ""
    for each in INSTRUCTIONS:
        if each.module != section:
            section = each.module
            lines += ["", paint_title(f"{each.section} {section.replace('_', ' ')}")]
        lines.append(f"  {each.name:<24} {each.summary}")
    return "\n".join(lines[1:])


def description(each: Instruction) -> str:
    """One instruction: its summary, its forms, since when, the fidelity."""
    lines = [paint_title(each.name), each.summary, ""]
    width = min(max(len(form.text) for form in each.forms), 90)
    for form in each.forms:
        lines.append(f"    {form.text:<{width}}  // {form.gate.text}".rstrip(" /"))
    lines += definitions(each)
    return "\n".join([*lines, "", f"results: {fidelities(each)}", f"manual:  {MANUAL}{each.anchor}"])


def definitions(each: Instruction) -> list[str]:
    """The definitions of names in its forms: `.rnd = .rn .rz .rm .rp`, once if forms agree."""
    found: dict[str, dict[str, None]] = {}
    for form in each.forms:
        for slot in form.slots:
            if not slot.literal:
                choices = " ".join(f".{choice}" for choice in slot.choices)
                found.setdefault(slot.name, {})[choices] = None
    return [f"    .{name} = {choices}" for name, several in found.items() for choices in several]


def fidelities(each: Instruction) -> str:
    """The fidelity of its forms."""
    words = {"engine": "control flow, done by every engine", "unsupported": "cannot be executed yet"}
    found = dict.fromkeys(kinds(each))
    return ", ".join(words.get(kind, kind) for kind in found)


def paint_title(text: str) -> str:
    """A title, bold on a terminal."""
    import sys

    return paint("bold", text, sys.stdout)
