"""Describes an instruction: its summary, its forms in the manual's notation, since when, how accurate it is."""

from __future__ import annotations

from openptx.diagnostics.terminal import title
from openptx.errors import InputError
from openptx.explanations.coverage import kinds
from openptx.isa.notation import Instruction, load

MANUAL = "https://docs.nvidia.com/cuda/parallel-thread-execution/#"


def find(name: str) -> list[Instruction]:
    """The instructions with a mnemonic, or whose name starts an opcode; `InputError` names the nearest."""
    mnemonic, *rest = name.split(".")
    known = load()
    if mnemonic not in known:
        from difflib import get_close_matches

        lower = mnemonic.lower()
        near = [lower] if lower in known else get_close_matches(mnemonic, known, n=3)
        hint = f"; did you mean {' or '.join(f'`{each}`' for each in near)}?" if near else ""
        raise InputError(f"no instruction `{name}`{hint}")
    found = [each for each in known[mnemonic] if each.parts[1:] == tuple(rest[: len(each.parts) - 1])]
    return found or known[mnemonic]


def description(each: Instruction) -> str:
    """One instruction: its summary, its forms, since when, the fidelity."""
    lines = [title(each.name), each.summary, ""]
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
