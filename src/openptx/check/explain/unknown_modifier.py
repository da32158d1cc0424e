"""Explains a modifier that an instruction does not have, with the one that was probably meant."""

from __future__ import annotations

from openptx.check.foreign_spellings import TYPES as FOREIGN
from openptx.check.foreign_spellings import absent
from openptx.check.problems import Problem, rewrite
from openptx.check.spelling import nearest
from openptx.diagnostics import SAFE, SUGGESTION
from openptx.isa.conversions import ROUNDING
from openptx.isa.notation import Instruction, resolve
from openptx.isa.types import TYPES
from openptx.patterns import pattern

_RULE = "PTX ISA, Instruction Set (9.7)"


def unknown_modifier(
    opcode: str, mnemonic: str, strange: str, choices: set[str], instructions: list[Instruction]
) -> Problem:
    help = absent(mnemonic, strange, TYPES[strange].kind if strange in TYPES else None) or _shapes(
        opcode, strange, choices
    )
    guess = next(
        (c for c in sorted(choices) if nearest(strange, (c,)) and resolve(substituted(opcode, strange, c))), None
    )
    qualified = (c for c in sorted(choices) if c.startswith(f"{strange}::"))  # `.shared` for `.shared::cta`
    guess = next((c for c in qualified if resolve(substituted(opcode, strange, c))), guess)
    foreign = FOREIGN.get(strange)
    guess = foreign if foreign in choices else guess or nearest(strange, choices)
    fixed = substituted(opcode, strange, guess) if guess else None
    if strange in TYPES:
        return _unknown_type(opcode, mnemonic, strange, instructions, help)
    if strange in ROUNDING and (rounds := [way for way in ROUNDING if resolve(substituted(opcode, strange, way))]):
        return _forbidden_rounding(opcode, strange, rounds)
    return Problem(
        "unknown-modifier",
        f"`{mnemonic}` has no modifier `.{strange}`",
        label="unknown here",
        part=strange,
        actual=f".{strange}",
        rule=_RULE,
        help=help or (f"did you mean `{fixed}`?" if fixed else None),
        repair=rewrite(fixed) if fixed and not help and resolve(fixed) else None,
    )


def _unknown_type(
    opcode: str, mnemonic: str, strange: str, instructions: list[Instruction], help: str | None
) -> Problem:
    types = sorted(
        {c for each in instructions for f in each.forms for s in f.slots if s.typed for c in s.choices}, key=_order
    )
    swap = None if help else _sibling(opcode, strange, types)
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


def _sibling(opcode: str, name: str, types: list[str]) -> str | None:
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
