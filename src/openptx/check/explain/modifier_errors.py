"""Explains a modifier that an opcode lacks, or does not have: which ones are possible, and which was probably meant."""

from __future__ import annotations

from openptx.check.foreign_spellings import MODIFIERS, OMITTED, absent
from openptx.check.foreign_spellings import TYPES as NAMES_OF_TYPES
from openptx.check.problems import Problem, rewrite
from openptx.check.spelling import distance, nearest
from openptx.diagnostics import SAFE, SUGGESTION
from openptx.isa.conversions import ROUNDING
from openptx.isa.notation import Instruction, resolve
from openptx.isa.notation.forms import Form
from openptx.isa.notation.slots import Slot
from openptx.isa.types import TYPES
from openptx.patterns import pattern

_RULE = "PTX ISA, Instruction Set (9.7)"


def unknown_modifier(
    opcode: str, mnemonic: str, strange: str, choices: set[str], instructions: list[Instruction]
) -> Problem:
    """The problem of a modifier `strange` that no form of the instruction has; `choices`: those that could stand there.
    It is repaired only if the repaired instruction is correct."""
    help = absent(mnemonic, strange, TYPES[strange].kind if strange in TYPES else None)
    if not help and (fixed := _spelt_otherwise(opcode, strange, choices)) is not None:
        return _unknown(mnemonic, strange, f"did you mean `{fixed}`?", fixed)
    if not help and strange in OMITTED and resolve(fixed := opcode.replace(f".{strange}", "", 1)):
        return _unknown(mnemonic, strange, f"{OMITTED[strange]}: write `{fixed}`", fixed)
    if strange in ("approx", "full") and resolve(fixed := opcode.replace(f".{strange}", "", 1)):
        return _unknown(mnemonic, strange, f"its result is exact, or rounded: write `{fixed}`", fixed)
    help = help or _shapes(opcode, strange, choices) or (None if strange in TYPES else _numbers(strange, choices))
    guess = next(
        (c for c in sorted(choices) if nearest(strange, (c,)) and resolve(substituted(opcode, strange, c))), None
    )
    longer = strange if len(strange) > 2 else f"{strange}::"
    qualified = (c for c in sorted(choices) if c.startswith(longer))  # `.shared` for `.shared::cta`, `.glob`
    guess = next((c for c in qualified if resolve(substituted(opcode, strange, c))), guess)
    foreign = MODIFIERS.get(strange)
    guess = foreign if foreign in choices else guess or nearest(strange, choices)
    fixed = substituted(opcode, strange, guess) if guess else None
    if strange in TYPES:
        return _unknown_type(opcode, mnemonic, strange, instructions, help)
    if strange in ROUNDING and (rounds := [way for way in ROUNDING if resolve(substituted(opcode, strange, way))]):
        return _forbidden_rounding(opcode, strange, rounds)
    help = help or (f"did you mean `{fixed}`?" if fixed else None)
    return _unknown(mnemonic, strange, help, fixed if fixed and help and fixed in help and resolve(fixed) else None)


def _unknown(mnemonic: str, strange: str, help: str | None, fixed: str | None) -> Problem:
    return Problem(
        "unknown-modifier",
        f"`{mnemonic}` has no modifier `.{strange}`",
        label="unknown here",
        part=strange,
        actual=f".{strange}",
        rule=_RULE,
        help=help,
        repair=rewrite(fixed) if fixed else None,
    )


_VECTOR = pattern(r"([a-z]+[0-9]*?)x?([248])")


def _spelt_otherwise(opcode: str, strange: str, choices: set[str]) -> str | None:
    """The opcode with a modifier that is written in capitals, or with a vector's type as other languages write it:
    `.f32x4` and `.float4` are `.v4.f32`."""
    if strange.lower() in choices and resolve(fixed := substituted(opcode, strange, strange.lower())):
        return fixed
    vector = _VECTOR.fullmatch(strange)
    if vector is None:
        return None
    fixed = substituted(opcode, strange, f"v{vector[2]}.{NAMES_OF_TYPES.get(vector[1], vector[1])}")
    return fixed if resolve(fixed) else None


def _numbers(strange: str, choices: set[str]) -> str | None:
    """Help for a number that no modifier has: the modifiers with other numbers, if several are as near."""
    if strange.isdigit():
        widths = sorted(choice for choice in choices if choice in TYPES and choice[1:] == strange)
        return f"write one of {' '.join(f'`.{choice}`' for choice in widths)}" if len(widths) > 1 else None
    plain = _DIGITS.sub("", strange)
    alike = sorted(choice for choice in choices if choice != plain and _DIGITS.sub("", choice) == plain != strange)
    near = min((distance(strange, choice, len(strange) + 1) for choice in alike), default=0)
    if sum(distance(strange, choice, len(strange) + 1) == near for choice in alike) < 2:
        return None
    return f"write one of {' '.join(f'`.{choice}`' for choice in alike)}"


_DIGITS = pattern(r"[0-9]+")


def _unknown_type(
    opcode: str, mnemonic: str, strange: str, instructions: list[Instruction], help: str | None
) -> Problem:
    types = sorted(
        {c for each in instructions for f in each.forms for s in f.slots if s.typed for c in s.choices}, key=_order
    )
    only = [c for c in types if resolve(substituted(opcode, strange, c))]
    vector = _spelt_otherwise(opcode, strange, set())
    swap = None if help else vector or sibling(opcode, strange, types) or (only[0] if len(only) == 1 else None)
    swap = substituted(opcode, strange, swap) if swap in only else swap
    if swap is None and not TYPES[strange].fundamental and TYPES[strange].kind == "f":
        help = help or f"`cvt` converts values of `.{strange}`"
    elif swap is None and TYPES[strange].width == 8:
        wider = next((c for c in (f"{TYPES[strange].kind}16", f"{TYPES[strange].kind}32") if c in types), None)
        help = help or (wider and _widened(opcode, strange, wider))
    return Problem(
        "no-such-form",
        f"`{mnemonic}` has no `.{strange}` form",
        label=_one_of(types),
        part=strange,
        expected=" ".join(f".{name}" for name in types) or "no type",
        actual=f".{strange}",
        rule=_RULE,
        help=help or (f"write `{swap}`" if swap else None),
        repair=rewrite(swap) if swap else None,
    )


def _one_of(types: list[str]) -> str:
    if not types or len(types) > 12:
        return "no such type here" if types else "it takes no type"
    shown = " ".join(f".{name}" for name in types)
    return f"one of {shown}" if len(types) > 1 else f"expected {shown}"


def _forbidden_rounding(opcode: str, strange: str, rounds: list[str]) -> Problem:
    legal, plain = " ".join(f".{way}" for way in rounds), substituted(opcode, strange, rounds[0])
    return Problem(
        "rounding-forbidden",
        f"`.{strange}` can't round `{opcode.replace(f'.{strange}', '', 1)}`",
        label=f"one of {legal}" if len(rounds) > 1 else f"expected {legal}",
        part=strange,
        expected=legal,
        actual=f".{strange}",
        rule=f"{_RULE}, and Rounding Modifiers (6.5.2), Tables 17 and 18",
        help=f"write `{plain}`",
        repair=rewrite(plain, SAFE if len(rounds) == 1 else SUGGESTION),
    )


_SHAPE = pattern(r"m([0-9]+)n([0-9]+)k([0-9]+)")


def _shapes(opcode: str, strange: str, choices: set[str]) -> str | None:
    """Help for a matrix shape that does not exist: the nearest ones."""
    wanted = _SHAPE.fullmatch(strange)
    if wanted is None:
        return None
    sizes = [tuple(map(int, match.groups())) for choice in choices if (match := _SHAPE.fullmatch(choice))]
    right = [size for size in sizes if resolve(substituted(opcode, strange, "m{}n{}k{}".format(*size)))] or sizes
    size = tuple(map(int, wanted.groups()))
    near = sorted(right, key=lambda other: (sum(abs(a - b) for a, b in zip(size, other, strict=True)), other))[:2]
    shown = " and ".join("`.m{}n{}k{}`".format(*other) for other in sorted(near))
    return f"the nearest {'shapes are' if len(near) > 1 else 'shape is'} {shown}" if near else None


def _widened(opcode: str, narrow: str, wide: str) -> str:
    return (
        f"values of 8 bits are computed in wider registers: `{substituted(opcode, narrow, wide)}`; "
        f"`ld`, `st` and `cvt` take `.{narrow}`"
    )


def substituted(opcode: str, old: str, new: str) -> str:
    parts = opcode.split(".")
    return ".".join(new if part == old else part for part in parts)


def _order(name: str) -> tuple[str, int, int, str]:
    return TYPES[name].kind, TYPES[name].width, TYPES[name].count, name


def sibling(opcode: str, name: str, types: list[str]) -> str | None:
    """The same opcode with an existing type of the same width: `ld.b16` for `ld.f16`, `neg.s32` for `neg.u32`."""
    wanted = TYPES[name]
    for kind in "bf" if wanted.kind == "f" else "sub":
        for other in types:
            near = TYPES[other]
            if (near.kind, near.width, near.count) != (kind, wanted.width, wanted.count) or other == name:
                continue
            if resolve(substituted(opcode, name, other)):
                return substituted(opcode, name, other)
    return None


MOST = 14
"""The maximum number of choices shown."""


def missing_modifier(opcode: str, modifiers: list[str], instructions: list[Instruction]) -> Problem | None:
    """A required modifier is missing: the form that lacks the fewest."""
    forms = [
        (form, modifiers[len(each.parts) - 1 :])
        for each in instructions
        if list(each.parts[1:]) == modifiers[: len(each.parts) - 1]
        for form in each.forms
    ]
    lacking = [(lacks, form) for form, own in forms if (lacks := _lacks(form, own))]
    if not lacking:
        return None
    lacks, form = min(lacking, key=lambda found: len(found[0]))
    slot = lacks[0]
    choices = _choices(slot, [each[0] for each, _ in lacking if len(each) == len(lacks)])
    every = {choice for each, _ in lacking if len(each) == len(lacks) for choice in each[0].choices}
    rounding = not every.isdisjoint(ROUNDING) and every <= _ROUNDED
    if rounding:
        name, tail = form.instruction.name, _tail(opcode, form)
        choices = [each for each in (*ROUNDING, "approx", "full") if resolve(f"{name}.{each}{tail}")] or choices
    what = "a type" if slot.typed else f"`.{choices[0]}`" if len(choices) == 1 else "one of its modifiers"
    if rounding:
        what = "a rounding modifier"
    shown = " ".join(f".{choice}" for choice in choices[:MOST]) + " ..." * (len(choices) > MOST)
    fixed = _completed(form, modifiers, slot, choices)
    if rounding and resolve(inserted := f"{form.instruction.name}.{choices[0]}{_tail(opcode, form)}"):
        fixed = inserted
    return Problem(
        "missing-type" if slot.typed else "rounding-required" if rounding else "missing-modifier",
        f"`{opcode}` needs {what}",
        label=f"one of {shown}" if len(choices) > 1 else f"expected {shown}",
        expected=shown,
        actual="none",
        rule=_RULE,
        help=f"write `{fixed}`{', or one of the others' * (len(choices) > 1)}"
        if fixed
        else f"its form is `{form.text}`",
        repair=rewrite(fixed, SUGGESTION if len(choices) > 1 else SAFE)
        if fixed and (len(choices) == 1 or _USUAL & {*fixed.split(".")}.difference(modifiers))
        else None,
    )


_USUAL = {"lo", "global", "rn", "rzi"}
"""What is nearly always meant where one of several modifiers is missing; no other choice is made for the user."""


_ROUNDED = ROUNDING.keys() | {"approx", "full"}


def _choices(slot: Slot, others: list[Slot]) -> list[str]:
    """The choices for a slot, in this form and in others that lack the same one."""
    found = dict.fromkeys(slot.choices)
    for other in others:
        if other.name == slot.name or (other.typed and slot.typed):
            found |= dict.fromkeys(other.choices)
    return list(found)


def nameless(opcode: str, mnemonic: str, modifiers: list[str], instructions: list[Instruction]) -> Problem | None:
    """The rest of a name is missing: `mbarrier.b64`, `suld.1d.b32.trap`."""
    if any(list(each.parts[1:]) == modifiers[: len(each.parts) - 1] for each in instructions):
        return None
    choices = list(dict.fromkeys(each.parts[1] for each in instructions))
    if any(choice in modifiers for choice in choices):
        return None
    fitting = [fixed for choice in choices if resolve(fixed := ".".join((mnemonic, choice, *modifiers)))]
    shown = " ".join(f".{choice}" for choice in choices)
    return Problem(
        "missing-modifier",
        f"`{opcode}` needs the rest of its name after `{mnemonic}`"
        if len(choices) > 1
        else f"`{opcode}` needs {shown}",
        label=f"one of {shown}" if len(choices) > 1 else f"expected {shown}",
        expected=shown,
        actual="none",
        rule=_RULE,
        help=f"write `{fitting[0]}`{', or one of the others' * (len(fitting) > 1)}" if fitting else None,
        repair=rewrite(fitting[0], SUGGESTION if len(fitting) > 1 else SAFE) if fitting else None,
    )


def _lacks(form: Form, modifiers: list[str]) -> list[Slot]:
    """The mandatory slots of a form that these modifiers leave empty; none if the modifiers do not fit."""
    left = list(form.slots)
    for modifier in modifiers:
        slot = next((s for s in left if modifier in s.choices), None)
        if slot is None:
            return []
        left.remove(slot)
    return [slot for slot in left if not slot.optional]


def _tail(opcode: str, form: Form) -> str:
    return opcode[len(form.instruction.name) :]


def _completed(form: Form, modifiers: list[str], slot: Slot, choices: list[str]) -> str | None:
    """The opcode with the missing modifier: `.lo` or `.global` if it is possible, because that is nearly always
    meant."""
    choice = next((each for each in ("lo", "global") if each in choices), choices[0])
    own = modifiers[len(form.instruction.parts) - 1 :]
    before = [m for s in form.slots[: form.slots.index(slot)] for m in own if m in s.choices]
    after = [m for m in own if m not in before]
    fixed = ".".join((form.instruction.name, *before, choice, *after))
    return fixed if not slot.typed and resolve(fixed) else None
