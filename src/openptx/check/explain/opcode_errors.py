"""Explains opcodes without a form: which modifier is wrong, missing or superfluous, and what was probably meant."""

from __future__ import annotations

from itertools import pairwise

from openptx.check.explain.cvt_help import explain_pair
from openptx.check.explain.missing_modifiers import ITS_FORM, half_of_order, missing_modifier, nameless
from openptx.check.explain.replacements import replaceable
from openptx.check.explain.unknown_instructions import unknown_instruction
from openptx.check.explain.unknown_modifiers import unknown_modifier
from openptx.check.operand.kinds import Kind
from openptx.check.problems import INSTRUCTION_SET, Problem, rewrite
from openptx.diagnostics import SAFE
from openptx.isa.conversions import ROUNDING
from openptx.isa.notation import Instruction, instructions_of, refused, resolve
from openptx.isa.notation.forms import Form
from openptx.isa.notation.slots import Slot
from openptx.isa.types import TYPES

MANY = 40
"""More modifiers than any instruction has."""


def explain(opcode: str, operands: tuple[Kind, ...], profile: str) -> Problem:
    """Why no form of any instruction has this opcode, and the nearest one that exists."""
    mnemonic, *modifiers = opcode.split(".")
    if len(modifiers) > MANY:
        return _too_long(mnemonic, modifiers)
    known = instructions_of(mnemonic)
    if not known:
        return unknown_instruction(mnemonic, opcode)
    if mnemonic == "cvt" and (pair := pair_of(modifiers)) is not None and not {*modifiers[:-2]} & TYPES.keys():
        found = explain_pair(modifiers, *pair)
        if found is not None:
            return found
    against = refused(opcode, profile)
    if against:
        return _refused_combination(opcode, mnemonic, modifiers, against[0][2])
    instructions = _instructions_named(known, modifiers)
    return (
        _twice(opcode, mnemonic, modifiers, instructions)
        or _exclusive_ones(opcode, modifiers, instructions)
        or _surplus_type(opcode, mnemonic, modifiers, instructions)
        or _modifier_of_no_form(opcode, mnemonic, modifiers, instructions, labelled=not operands)
        or _wrong_order(mnemonic, modifiers, known)
        or _no_form(opcode, mnemonic, modifiers, instructions)
    )


def _twice(opcode: str, mnemonic: str, modifiers: list[str], instructions: list[Instruction]) -> Problem | None:
    """A modifier that is repeated, unless another may be in one of its places: `.row.row` of an `mma`."""
    repeated = next((m for i, m in enumerate(modifiers) if m in modifiers[:i] and m not in TYPES), None)
    if repeated is None or repeated not in _modifiers_of(instructions):
        return None
    problem = _repeated_problem(opcode, repeated)
    return problem if problem.repair else replaceable(mnemonic, modifiers, instructions) or problem


def _exclusive_ones(opcode: str, modifiers: list[str], instructions: list[Instruction]) -> Problem | None:
    """Two modifiers of which a form allows one."""
    exclusive = _exclusive(modifiers, instructions)
    return None if exclusive is None else _exclusive_problem(opcode, *exclusive)


def _surplus_type(opcode: str, mnemonic: str, modifiers: list[str], instructions: list[Instruction]) -> Problem | None:
    """More types than any form has: `add.s32.u32`."""
    given = [modifier for modifier in modifiers if modifier in TYPES]
    most = max(sum(slot.typed for slot in form.slots) for each in instructions for form in each.forms)
    if len(given) <= max(most, 1):
        return None
    shorter = opcode[: opcode.rindex(f".{given[-1]}")] + opcode[opcode.rindex(f".{given[-1]}") + len(given[-1]) + 1 :]
    again = given[-1] in given[:-1] and bool(resolve(shorter))
    either = [each for each in (opcode.replace(f".{name}", "", 1) for name in given) if resolve(each)]
    return Problem(
        "no-such-form",
        f"`{opcode}` names {len(given)} types, and `{mnemonic}` takes {most or 'none'}",
        label="one too many",
        part=given[-1],
        expected=f"{most} types",
        actual=" ".join(f".{name}" for name in given),
        rule=INSTRUCTION_SET,
        help=f"write `{shorter}`"
        if again
        else f"write {' or '.join(f'`{each}`' for each in either)}"
        if either
        else f"{ITS_FORM}`{instructions[0].forms[0].text}`",
        repair=rewrite(shorter) if again else None,
    )


def _modifier_of_no_form(
    opcode: str, mnemonic: str, modifiers: list[str], instructions: list[Instruction], *, labelled: bool
) -> Problem | None:
    """A modifier that no form has. `labelled`: there is no operand, so it may be a label with a dot."""
    choices = _modifiers_of(instructions) | {part for each in instructions_of(mnemonic) for part in each.parts[1:]}
    strange = next((modifier for modifier in modifiers if modifier not in choices), None)
    if strange is None:
        return None
    if labelled and _takes_label(instructions):
        return _dotted_label(mnemonic, modifiers[-1])
    for first, second in pairwise(modifiers):
        if (whole := f"{first}_{second}") in choices and strange in (first, second):
            return _divided(mnemonic, strange, whole, opcode.replace(f".{first}.{second}", f".{whole}", 1))
    return unknown_modifier(opcode, mnemonic, strange, choices, instructions)


def _divided(mnemonic: str, strange: str, whole: str, fixed: str) -> Problem:
    """A dot within a modifier: `.expect.tx`."""
    return Problem(
        "unknown-modifier", f"`{mnemonic}` has no modifier `.{strange}`", label=f"a part of `.{whole}`", part=strange,
        expected=fixed, actual=f".{strange}", rule=INSTRUCTION_SET,
        help=f"write `{fixed}`", repair=rewrite(fixed) if resolve(fixed) else None,
    )  # fmt: skip


def _too_long(mnemonic: str, modifiers: list[str]) -> Problem:
    begin = ".".join((mnemonic, *modifiers[:4]))[:MANY]
    return Problem(
        "no-such-form", f"`{begin}...` has {len(modifiers):,} modifiers", label="no such form",
        expected=f"at most {MANY} modifiers", actual=f"{len(modifiers):,} modifiers", rule=INSTRUCTION_SET,
    )  # fmt: skip


def pair_of(modifiers: list[str]) -> tuple[str, str] | None:
    """The two types at the end of a plain or packed `cvt`."""
    if len(modifiers) < 2 or "pack" in modifiers or not set(modifiers[-2:]) <= TYPES.keys():
        return None
    return modifiers[-2], modifiers[-1]


def _choices_with_parts(slot: Slot) -> list[str]:
    return [part for choice in slot.choices for part in (choice, *choice.split("."))]


def _modifiers_of(instructions: list[Instruction]) -> set[str]:
    """All modifiers of the instructions, with the parts of dotted ones."""
    return {
        choice
        for each in instructions
        for form in each.forms
        for slot in form.slots
        for choice in _choices_with_parts(slot)
    }


def _instructions_named(instructions: list[Instruction], modifiers: list[str]) -> list[Instruction]:
    """The instructions whose name is a prefix of the opcode, or all of the mnemonic if there are none."""
    best = [each for each in instructions if list(each.parts[1:]) == modifiers[: len(each.parts) - 1]]
    return best or instructions


def _refused_combination(opcode: str, mnemonic: str, modifiers: list[str], why: str) -> Problem:
    """Modifiers that a form has, but not in combination."""
    if without := _surplus_modifier(opcode, mnemonic, modifiers, f"{INSTRUCTION_SET}: {why}"):
        return without
    return Problem(
        "no-such-form", f"`{opcode}` has modifiers that exclude each other", label="no such form",
        expected=why, actual=opcode, rule=f"{INSTRUCTION_SET}: {why}",
    )  # fmt: skip


_IDLE = ROUNDING.keys() | {"ftz", "approx", "full"}
"""Modifiers that change at most the last bit of a result: a fix may remove them."""


def _surplus_modifier(opcode: str, mnemonic: str, modifiers: list[str], rule: str) -> Problem | None:
    """The problem of an opcode that is valid without one of its modifiers. A fix never removes a modifier with a
    meaning."""
    floats = any(modifier in TYPES and TYPES[modifier].kind == "f" for modifier in modifiers)
    nothing = _IDLE | {"lo"} if floats else _IDLE  # the low half is all of a product of floats
    for i in sorted(range(len(modifiers)), key=lambda i: modifiers[i] not in nothing):
        modifier, shorter = modifiers[i], ".".join((mnemonic, *modifiers[:i], *modifiers[i + 1 :]))
        if modifier in TYPES or not resolve(shorter):
            continue
        if any(modifier in each.parts[1:] for each in instructions_of(mnemonic)):
            continue  # it would be another instruction
        idle = modifier in nothing
        if idle and all(each.until for form, _ in resolve(shorter) for each in form.gate.alternatives):
            continue  # a form of old versions, which do not have this modifier either
        return Problem(
            "modifier-forbidden", f"`.{modifier}` is not allowed in `{opcode}`",
            label=f"leave out `.{modifier}`" if idle else f"no form has `.{modifier}` together with the others",
            part=modifier, expected=shorter, actual=f".{modifier}", rule=rule,
            help=f"write `{shorter}`" if idle else f"`{shorter}` is valid, but without the effect of `.{modifier}`",
            repair=rewrite(shorter) if idle else None,
        )  # fmt: skip
    return None


def _repeated_problem(opcode: str, modifier: str) -> Problem:
    head, _, tail = opcode.rpartition(f".{modifier}")
    fixed = head + tail
    return Problem(
        "repeated-modifier", f"`.{modifier}` occurs twice in `{opcode}`", label="once is enough",
        part=modifier, repair=rewrite(fixed, SAFE) if resolve(fixed) else None,
        help=f"write `{fixed}`" if resolve(fixed) else None,
    )  # fmt: skip


def _exclusive(modifiers: list[str], instructions: list[Instruction]) -> tuple[str, str] | None:
    """Two modifiers of one kind, of which a form allows one: `.rn.rz`."""
    for each in instructions:
        for form in each.forms:
            for slot in form.slots:
                if slot.typed or slot.literal or sum(slot.choices == other.choices for other in form.slots) > 1:
                    continue
                both = [modifier for modifier in modifiers if modifier in slot.choices]
                if len(both) > 1:
                    return both[0], both[1]
    return None


def _exclusive_problem(opcode: str, first: str, second: str) -> Problem:
    fixed = opcode.replace(f".{first}", "", 1)
    return Problem(
        "repeated-modifier", f"`.{first}` and `.{second}` exclude each other in `{opcode}`",
        label="only one of them", part=second, expected=f".{first} or .{second}", actual=f".{first}.{second}",
        rule=INSTRUCTION_SET, help=f"write `{fixed}`" if resolve(fixed) else f"leave out `.{first}` or `.{second}`",
    )  # fmt: skip


def _takes_label(instructions: list[Instruction]) -> bool:
    return any(operand.role == "label" for each in instructions for form in each.forms for operand in form.operands)


def _dotted_label(mnemonic: str, name: str) -> Problem:
    """`bra .L1`, as other assemblers call their local labels."""
    return Problem(
        "unknown-modifier", f"`.{name}` is not a label: it begins with a dot", label="a modifier, after its dot",
        expected="a label", actual=f".{name}", rule=INSTRUCTION_SET,
        help=f"write `{mnemonic} ${name}`, and `${name}:` where it is defined",
    )  # fmt: skip


def _no_form(opcode: str, mnemonic: str, modifiers: list[str], instructions: list[Instruction]) -> Problem:
    """All modifiers exist, but no form combines them: suggests a form one edit away, or the nearest one."""
    without = _surplus_modifier(opcode, mnemonic, modifiers, INSTRUCTION_SET)
    if without is not None and without.repair is not None:
        return without
    found = (
        half_of_order(opcode, modifiers, instructions)
        or missing_modifier(opcode, modifiers, instructions)  # `ld.acquire` lacks its scope, rather than has a modifier
        or without
        or nameless(opcode, mnemonic, modifiers, instructions)
        or replaceable(mnemonic, modifiers, instructions)
    )
    if found is not None:
        return found
    form = max((form for each in instructions for form in each.forms), key=lambda f: _likeness(f, modifiers))
    return Problem(
        "no-such-form", f"`{mnemonic}` has no form with these modifiers together", label="no such form",
        actual=opcode, expected=form.text, rule=INSTRUCTION_SET,
        help=f"the nearest form is `{form.text}`",
    )  # fmt: skip


def _wrong_order(mnemonic: str, modifiers: list[str], instructions: list[Instruction]) -> Problem | None:
    """Valid modifiers in an order that the assembler does not accept."""
    for each in instructions:
        for form in each.forms:
            order: list[str] = []
            left = list(modifiers)
            for part in each.parts[1:]:
                if part in left:
                    left.remove(part)
                    order.append(part)
            for slot in form.slots:
                found = next((modifier for modifier in left if modifier in slot.choices), None)
                if found is not None:
                    left.remove(found)
                    order.append(found)
            fixed = ".".join((mnemonic, *order))
            if not left and resolve(fixed):
                if _spaces(order) != _spaces(modifiers):
                    return _other_direction(mnemonic, modifiers, fixed)
                return Problem(
                    "modifier-order", f"these modifiers of `{mnemonic}` must come in another order",
                    label="in another order",
                    expected=fixed, rule=INSTRUCTION_SET,
                    help=f"write `{fixed}`", repair=rewrite(fixed, SAFE),
                )  # fmt: skip
    return None


def _spaces(modifiers: list[str]) -> list[str]:
    """The state spaces among modifiers, of which the first is that of the destination."""
    return [each for each in modifiers if each.partition("::")[0] in ("global", "shared")]


def _other_direction(mnemonic: str, modifiers: list[str], fixed: str) -> Problem:
    """Two state spaces in an order that no form has: `cp.async.ca.global.shared`."""
    to, source = _spaces(modifiers)[:2]
    return Problem(
        "no-such-form", f"`{mnemonic}` has no form with these modifiers that copies from `.{source}` to `.{to}`",
        label="the destination comes first", part=to, expected=fixed, actual=f".{to}.{source}", rule=INSTRUCTION_SET,
        help=f"`{fixed}` copies to `.{source}`",
    )  # fmt: skip


def _likeness(form: Form, modifiers: list[str]) -> tuple[int, int]:
    choices = {choice for slot in form.slots for choice in slot.choices}
    return sum(modifier in choices for modifier in modifiers), -sum(not slot.optional for slot in form.slots)
