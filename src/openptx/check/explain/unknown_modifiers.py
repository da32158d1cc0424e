"""Explains a modifier that no form of an instruction has: which ones are possible, and which was probably meant."""

from __future__ import annotations

from openptx.check.foreign_spellings import MODIFIERS, OMITTED, absent
from openptx.check.foreign_spellings import TYPES as NAMES_OF_TYPES
from openptx.check.problems import INSTRUCTION_SET, Problem, rewrite
from openptx.check.spelling import distance, nearest
from openptx.diagnostics import SAFE, SUGGESTION
from openptx.isa.conversions import ROUNDING
from openptx.isa.mnemonics import MODULES
from openptx.isa.notation import Instruction, resolve
from openptx.isa.types import TYPES, Type
from openptx.patterns import pattern


def unknown_modifier(
    opcode: str, mnemonic: str, strange: str, choices: set[str], instructions: list[Instruction]
) -> Problem:
    """The problem of a modifier `strange` that no form of the instruction has; `choices`: those that could stand there.
    It is repaired only if the repaired instruction is correct."""
    help = absent(mnemonic, strange, TYPES[strange].kind if strange in TYPES else None)
    if not help and (meant := _meant(opcode, strange, choices)) is not None:
        return _unknown(mnemonic, strange, *meant)
    help = help or _shapes(opcode, strange, choices)
    if strange in TYPES:
        return _unknown_type(opcode, mnemonic, strange, instructions, help)
    if strange in ROUNDING and (rounds := [way for way in ROUNDING if resolve(substituted(opcode, strange, way))]):
        return _forbidden_rounding(opcode, strange, rounds)
    help = help or _numbers(strange, choices)
    guess = _nearest(opcode, strange, choices)
    if guess in opcode.split("."):
        guess = None  # it is there already
    fixed = substituted(opcode, strange, guess) if guess else None
    fixed = fixed or (None if help else _other_mnemonic(opcode, mnemonic))
    help = help or (f"did you mean `{fixed}`?" if fixed else None)
    return _unknown(mnemonic, strange, help, fixed if fixed and help and fixed in help and resolve(fixed) else None)


def _meant(opcode: str, strange: str, choices: set[str]) -> tuple[str, str] | None:
    """Help and the opcode that was certainly meant: another spelling, or no modifier at all."""
    if (fixed := _spelt_otherwise(opcode, strange, choices)) is not None:
        return f"did you mean `{fixed}`?", fixed
    reason = OMITTED.get(strange, "its result is exact, or rounded" if strange in ("approx", "full") else None)
    if reason and resolve(fixed := opcode.replace(f".{strange}", "", 1)):
        return f"{reason}: write `{fixed}`", fixed
    return None


def _nearest(opcode: str, strange: str, choices: set[str]) -> str | None:
    """The modifier that is probably meant: the equivalent of another language's word, one that begins with `strange`
    (`.shared::cta` for `.shared`, `.global` for `.glob`), or one with nearly the same letters. If possible, one with
    which the instruction exists."""
    if (foreign := MODIFIERS.get(strange)) in choices:
        return foreign
    longer = strange if len(strange) > 2 else f"{strange}::"
    similar = sorted(choices, key=lambda choice: (not choice.startswith(longer), choice))
    fitting = (c for c in similar if c.startswith(longer) or nearest(strange, (c,)))
    return next((c for c in fitting if resolve(substituted(opcode, strange, c))), None) or nearest(strange, choices)


def _other_mnemonic(opcode: str, mnemonic: str) -> str | None:
    """The opcode with another mnemonic of the same letters with which it exists: `bra.uni` for `bar.uni`."""
    others = (name for name in MODULES if name != mnemonic and sorted(name) == sorted(mnemonic))
    return next((fixed for name in others if resolve(fixed := opcode.replace(mnemonic, name, 1))), None)


def _unknown(mnemonic: str, strange: str, help: str | None, fixed: str | None) -> Problem:
    return Problem(
        "unknown-modifier", f"`{mnemonic}` has no modifier `.{strange}`",
        label="unknown here", part=strange, actual=f".{strange}", rule=INSTRUCTION_SET, help=help,
        repair=rewrite(fixed) if fixed else None,
    )  # fmt: skip


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
    slots = (slot for each in instructions for form in each.forms for slot in form.slots if slot.typed)
    types = sorted({choice for slot in slots for choice in slot.choices}, key=_order)
    fixed = None if help else _with_type(opcode, strange, types)
    return Problem(
        "no-such-form", f"`{mnemonic}` has no `.{strange}` form",
        label=_one_of(types), part=strange, expected=" ".join(f".{name}" for name in types) or "no type",
        actual=f".{strange}", rule=INSTRUCTION_SET,
        help=help or (f"write `{fixed}`" if fixed else _conversion(opcode, TYPES[strange], types)),
        repair=rewrite(fixed) if fixed else None,
    )  # fmt: skip


def _with_type(opcode: str, strange: str, types: list[str]) -> str | None:
    """The opcode with another type in place of `strange`: of the same width, or the only one with which it exists."""
    if fixed := _spelt_otherwise(opcode, strange, set()) or sibling(opcode, strange, types):
        return fixed
    only = [fixed for other in types if resolve(fixed := substituted(opcode, strange, other))]
    return only[0] if len(only) == 1 else None


def _conversion(opcode: str, type: Type, types: list[str]) -> str | None:
    """Help for a type of which the instruction has no equivalent: compute in a wider one."""
    if not type.fundamental and type.kind == "f":
        return f"`cvt` converts values of `.{type.name}`"
    wider = next((name for width in (16, 32) if (name := f"{type.kind}{width}") in types), None)
    if type.width != 8 or wider is None:
        return None
    return (
        f"values of 8 bits are computed in wider registers: `{substituted(opcode, type.name, wider)}`; "
        f"`ld`, `st` and `cvt` take `.{type.name}`"
    )


def _one_of(types: list[str]) -> str:
    if not types or len(types) > 12:
        return "no such type here" if types else "it takes no type"
    shown = " ".join(f".{name}" for name in types)
    return f"one of {shown}" if len(types) > 1 else f"expected {shown}"


def _forbidden_rounding(opcode: str, strange: str, rounds: list[str]) -> Problem:
    legal, plain = " ".join(f".{way}" for way in rounds), substituted(opcode, strange, rounds[0])
    return Problem(
        "rounding-forbidden", f"`.{strange}` can't round `{opcode.replace(f'.{strange}', '', 1)}`",
        label=f"one of {legal}" if len(rounds) > 1 else f"expected {legal}", part=strange, expected=legal,
        actual=f".{strange}", rule=f"{INSTRUCTION_SET}, and Rounding Modifiers (6.5.2), Tables 17 and 18",
        help=f"write `{plain}`", repair=rewrite(plain, SAFE if len(rounds) == 1 else SUGGESTION),
    )  # fmt: skip


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


def substituted(opcode: str, old: str, new: str) -> str:
    parts = opcode.split(".")
    return ".".join(new if part == old else part for part in parts)


def _order(name: str) -> tuple[str, int, int, str]:
    return TYPES[name].kind, TYPES[name].width, TYPES[name].count, name


def sibling(opcode: str, name: str, types: list[str]) -> str | None:
    """The same opcode with an existing type of the same width, if possible one of the manual's: `ld.b16` for `ld.f16`,
    `neg.s32` for `neg.u32`."""
    wanted = TYPES[name]
    fixed = (
        substituted(opcode, name, other)
        for kind in ("bf" if wanted.kind == "f" else "sub")
        for other in types
        if other != name
        and (TYPES[other].kind, TYPES[other].width, TYPES[other].count) == (kind, wanted.width, wanted.count)
    )
    valid = [each for each in fixed if resolve(each)]
    return next((each for each in valid if resolve(each, "isa")), valid[0] if valid else None)
