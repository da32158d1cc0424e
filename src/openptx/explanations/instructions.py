"""Explains instructions, and whole opcodes: the form, the meaning of each modifier, the type of each operand."""

from __future__ import annotations

from collections.abc import Iterable

from openptx.diagnostics.terminal import title
from openptx.explanations.conversions import conversion_lines
from openptx.explanations.descriptions import MANUAL, description, fidelities, find
from openptx.explanations.modifier_meanings import meaning_of
from openptx.explanations.tables import deviations_of
from openptx.isa.notation import Instruction, load, resolve
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
    forms: dict[Instruction, list[tuple[Form, Modifiers]]] = {}
    for form, m in found:
        forms.setdefault(form.instruction, []).append((form, m))
    return "\n\n".join(explain_opcode(word, each, own) for each, own in forms.items())


def explain_opcode(opcode: str, instruction: Instruction, forms: list[tuple[Form, Modifiers]]) -> str:
    """An opcode, and the forms of an instruction that it may be."""
    words = {modifier: meaning_of(modifier, instruction.mnemonic) for modifier in opcode.split(".")[1:]}
    modifiers = table((f".{name}", text) for name, text in words.items() if text or name not in instruction.parts)
    facts = [facts_of(form, m) for form, m in forms]
    several, alike = len(forms) > 1, all(each == facts[0] for each in facts)
    lines = [title(opcode), instruction.summary, "", *(modifiers if several else [])]
    for (form, m), own in zip(forms, facts, strict=True):
        operands = zip(form.operands, form.types(m), strict=True)
        rows = ((each.name, f"{role(each.role)}{f', .{type.name}' if type else ''}") for each, type in operands)
        lines += [f"    {form.text}", "", *([] if several else modifiers), *table(rows), *([] if alike else [*own, ""])]
    if needed := conversion_lines(opcode):
        lines += [*needed, ""]
    return "\n".join([*lines, *(facts[0] if alike else []), f"manual:   {MANUAL}{instruction.anchor}"])


def facts_of(form: Form, m: Modifiers) -> list[str]:
    """Since when a form exists, and how accurate its results are."""
    since: dict[str, str] = {}
    for what, gate in gates(form, m):
        since.setdefault(gate.text, "" if what == form.instruction.name else f", for {what}")
    lines = [f"since:    {text}{what}" for text, what in since.items()]
    return [*lines, f"results:  {fidelity_of(form, m)}", *other_generations(form, m)]


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
