"""Describes an instruction: its summary, its forms in the manual's notation, since when, how accurate it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from openptx.diagnostics.terminal import title
from openptx.errors import InputError
from openptx.explanations.coverage import kinds
from openptx.isa.notation import Instruction, load
from openptx.isa.notation.forms import Form

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
    width = min(max(len(form.text) for form in each.forms), 90)
    lines = [title(each.name), each.summary]
    shared = {name: found for name, found in _choices(each.forms).items() if len(found) == 1}
    for forms in _alike(each.forms, shared):
        texts = dict.fromkeys(f"    {form.text:<{width}}  // {form.gate.text}".rstrip(" /") for form in forms)
        own = {name: found for name, found in _choices(forms).items() if name not in shared}
        lines += ["", *texts, *_definitions(own, "        ")]
    lines += ["", *_definitions(shared, "    ")] if shared else []
    return "\n".join([*lines, "", f"results: {fidelities(each)}", f"manual:  {MANUAL}{each.anchor}"])


Choices = dict[str, dict[tuple[str, ...], None]]
"""What each name in a form stands for: the modifiers to choose from, in every way that a form has it."""


def _choices(forms: Iterable[Form]) -> Choices:
    found: Choices = {}
    for form in forms:
        for slot in form.slots:
            if not slot.literal:
                found.setdefault(slot.name, {})[tuple(slot.choices)] = None
    return found


def _alike(forms: Iterable[Form], shared: Choices) -> Iterator[list[Form]]:
    """Consecutive forms in which the names that are not `shared` stand for the same."""
    together: list[Form] = []
    for form in forms:
        known, new = _choices(together), _choices([form])
        if together and any(known.get(name) != new.get(name) for name in {*known, *new} - {*shared}):
            yield together
            together = []
        together.append(form)
    yield together


def _definitions(choices: Choices, indent: str) -> list[str]:
    """`.rnd = .rn .rz .rm .rp`, for each name."""
    width = max(map(len, choices), default=0)
    return [
        f"{indent}.{name:<{width}} = {' '.join(_abbreviated(words))}"
        for name, found in choices.items()
        for words in found
    ]


def _abbreviated(words: Sequence[str]) -> Iterator[str]:
    """The modifiers, without the middle of those that differ in one number which increases steadily."""
    first = 0
    while first < len(words):
        last = _end_of_run(words, first)
        if last - first < 4:
            last = first
        yield f".{words[first]}" if last == first else f".{words[first]} .{words[first + 1]} ... .{words[last]}"
        first = last + 1


def _end_of_run(words: Sequence[str], first: int) -> int:
    """The last of the words from `first` on whose only difference is one number, each time by the same amount."""
    last, steps = first, None
    while last + 1 < len(words):
        before, after = _NUMBERS.split(words[last]), _NUMBERS.split(words[last + 1])
        if len(before) != len(after):
            break
        changed = [(i, int(b) - int(a)) for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b and i % 2]
        if before[::2] != after[::2] or len(changed) != 1 or steps not in (None, changed):
            break
        last, steps = last + 1, changed
    return last


_NUMBERS = re.compile(r"(\d+)")


def fidelities(each: Instruction) -> str:
    """The fidelity of its forms."""
    words = {"engine": "control flow, done by every engine", "unsupported": "cannot be executed yet"}
    found = dict.fromkeys(kinds(each))
    return ", ".join(words.get(kind, kind) for kind in found)
