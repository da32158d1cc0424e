"""Explains instructions, and whole opcodes: the form, the meaning of each modifier, the type of each operand."""

from __future__ import annotations

from collections.abc import Iterable

from openptx.diagnostics.terminal import title
from openptx.explanations.conversions import conversion_lines
from openptx.explanations.descriptions import MANUAL, description, fidelities, find
from openptx.explanations.modifier_meanings import meaning_of
from openptx.explanations.tables import deviations_of
from openptx.isa.notation import load, resolve
from openptx.isa.notation.forms import Form, Modifiers
from openptx.isa.semantics.matrix.generations import generation
from openptx.isa.targets import TARGETS, gates, target


def explain_instruction(word: str) -> str | None:
    """An instruction, or the forms that an opcode may be."""
    mnemonic = word.split(".", 1)[0]
    declared = load().get(mnemonic)
    if declared is None:
        return None
    names = [each for each in declared if each.name == word]
    if names or word == mnemonic:
        return "\n\n".join([*(description(each) for each in names or declared), *differences(mnemonic)])
    found = resolve(word)
    if not found:
        needed = "\n".join(conversion_lines(word))
        head = f"`{word}` is not a form of `{mnemonic}`." + (f"\n\n{needed}" if needed else "")
        return "\n\n".join([head, *(description(each) for each in find(word))])
    return "\n\n".join(explain_form(word, form, m) for form, m in found)


def explain_form(opcode: str, form: Form, m: Modifiers) -> str:
    """One form of an opcode."""
    lines = [title(opcode), form.instruction.summary, "", f"    {form.text}", ""]
    parts, mnemonic = form.instruction.parts, form.instruction.mnemonic
    words = {modifier: meaning_of(modifier, mnemonic) for modifier in opcode.split(".")[1:]}
    lines += table((f".{name}", text) for name, text in words.items() if text or name not in parts)
    operands = zip(form.operands, form.types(m), strict=True)
    lines += table((each.name, f"{role(each.role)}{f', .{type.name}' if type else ''}") for each, type in operands)
    if needed := conversion_lines(opcode):
        lines += [*needed, ""]
    since: dict[str, str] = {}
    for what, gate in gates(form, m):
        since.setdefault(gate.text, "" if what == form.instruction.name else f", for {what}")
    lines += [f"since:    {text}{what}" for text, what in since.items()]
    lines += [f"results:  {fidelity_of(form, m)}", *other_generations(form, m)]
    return "\n".join([*lines, f"manual:   {MANUAL}{form.instruction.anchor}"])


def table(rows: Iterable[tuple[str, str]]) -> list[str]:
    """Names with what is said of each, and a blank line after them."""
    known = list(rows)
    width = max((len(name) for name, _ in known), default=0)
    return [*(f"  {name:<{max(width, 13)}} {text}".rstrip() for name, text in known), *([""] if known else [])]


def other_generations(form: Form, m: Modifiers) -> list[str]:
    """Results on targets of other generations than sm_90, if they differ."""
    if not form.instruction.by_generation:
        return []
    own, first = form.instruction.fidelity(m), target(form.since[1] or "sm_70")
    names = {generation(each): None for each in TARGETS.values() if first is None or each.number >= first.number}
    found = {name: form.instruction.fidelity(m.with_(generation=name)) for name in names}
    return [f"          {name}: {each.kind}, {each.text}" for name, each in found.items() if each != own]


def fidelity_of(form: Form, m: Modifiers) -> str:
    """The fidelity of the results, with the source; for approximations the allowed and the measured error."""
    found = form.instruction.fidelity(m)
    if form.instruction.meaning is None or not found.text:
        words = fidelities(form.instruction) if form.instruction.meaning is None else found.kind
    else:
        words = f"{found.kind}, {found.text}"
    open_rounding = form.instruction.algebra in ("product", "sum", "difference") and m.rnd not in m.written
    if open_rounding:
        words += ", but contracted where ptxas does that; `openptx run --contract off` rounds each operation"
    return words


def differences(mnemonic: str) -> list[str]:
    """Where the assembler deviates from the document for an instruction."""
    rows = deviations_of(mnemonic)
    if not rows:
        return []
    return ["\n".join(["where the assembler differs:", *(f"    {row.name:<24} {row.rule}" for row in rows)])]


def role(name: str) -> str:
    """The purpose of an operand, in words."""
    return {"write": "result", "read": "source", "returns": "results", "arguments": "arguments"}.get(name, name)
