"""Declarations, headers and directives in every version, and pairs of them: `check` and ptxas give the same verdict."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import pytest
from any_statements import Context, contexts
from assembler import MISSING, PTXAS, accepted, refused_lines, target_of

import openptx

LINES = Path(__file__).with_name("directives.txt").read_text("utf-8").splitlines()
"""What a module may contain, one a line; `@` is replaced by a number, so that names differ."""
BEFORE = ".global .b32 g0; .const .b32 c0[4]; .func fn0 { ret; } .entry kern0 { exit; } .global .b32 ga[4];"
FIRST = 5
"""The line of the first of them."""
FUNCTIONS = (
    ".func f ()", ".func f", ".visible .func f ()", ".extern .func f ()", ".weak .func f ()", ".func f () .noreturn",
    ".func f () .abi_preserve 3", ".func f (.param .b32 a)", ".func f (.param .u32 a)", ".func f (.reg .b32 a)",
    ".func f (.param .b8 a[4])", ".func f (.param .align 4 .b8 a[4])", ".func (.param .b32 r) f ()",
    ".func (.reg .b32 r) f ()", ".func f (.param .b32 a, .param .b8 b[])", ".func f (.param .b32 _)", ".entry f ()",
    ".entry f", ".visible .entry f ()", ".weak .entry f ()", ".extern .entry f ()", ".entry f (.param .b32 a)",
    ".entry f (.param .u64 .ptr a)", ".entry f (.param .b64 a)", ".entry f () .maxntid 4", ".entry f () .maxnreg 40",
)  # fmt: skip
VARIABLES = tuple(
    f"{linkage}.{space} .b32 {name};"
    for linkage, space, name in product(
        ("", ".visible ", ".extern ", ".weak ", ".common "), ("global", "shared"), ("f", "f[4]", "f[]", "f<3>", "f1")
    )
)
BOTH = tuple(header + rest for header, rest in product(FUNCTIONS, (" ;", " { ret; }"))) + VARIABLES
OLD = ("sm_10", "sm_11", "sm_12", "sm_13")
"""Targets of files that are assembled for another one, and not asked about newer versions."""

pytestmark = pytest.mark.skipif(not PTXAS.exists(), reason=MISSING)


def module(context: Context, lines: list[str]) -> str:
    (major, minor), target = context
    wide = ".address_size 64" if (major, minor) >= (2, 3) else ""
    return f".version {major}.{minor}\n.target {target}\n{wide}\n{BEFORE}\n" + "\n".join(lines) + "\n"


def refused_here(text: str) -> set[int]:
    """The lines of errors, and of declarations that they point to."""
    return {
        found.file.location(start)[0]
        for found in openptx.check(text)
        if found.severity == "error"
        for start, _ in (found.span, *found.also, *(label.span for label in found.labels))
    }


def same(folder: Path, text: str) -> bool:
    return accepted(folder, text, target_of(text)) is not bool(refused_here(text))


def differences(folder: Path, context: Context) -> list[str]:
    """What the verdicts differ about; each is asked for again alone, since mistakes may hide one another."""
    lines = [line.replace("@", str(number)) for number, line in enumerate(LINES, 1)]
    text = module(context, lines)
    doubtful = refused_lines(folder, text, target_of(text)) ^ refused_here(text)
    found = [lines[line - FIRST] for line in sorted(doubtful) if line >= FIRST]
    return [f"{context}: {line}" for line in found if not same(folder, module(context, [line]))]


@pytest.mark.parametrize("context", [((9, 0), "sm_90a"), ((6, 4), "sm_75")], ids=str)
def test_directives(context: Context, tmp_path: Path) -> None:
    assert differences(tmp_path, context) == []


@pytest.mark.sweep
def test_directives_of_all_versions(tmp_path: Path) -> None:
    every = [each for each in contexts() if each[1] not in OLD or each[0] < (3, 0)]
    asked = random.SystemRandom().sample(every, 60)
    assert [found for context in asked for found in differences(tmp_path, context)] == []


def pairs(folder: Path, dice: random.Random, count: int) -> list[str]:
    """Pairs of declarations of one name on which the verdicts differ."""
    chosen = [f"{dice.choice(BOTH)} {dice.choice(BOTH)}" for _ in range(count)]
    return [pair for pair in chosen if not kept(pair) and not same(folder, module(((9, 0), "sm_90"), [pair]))]


def kept(pair: str) -> bool:
    """docs/differences-from-ptxas.md: two state spaces. A function named like one of a range is a crash."""
    return (".shared" in pair and ".global" in pair) or ("f1" in pair and (".func" in pair or ".entry" in pair))


def test_some_pairs(tmp_path: Path) -> None:
    assert pairs(tmp_path, random.Random(3), 40) == []


@pytest.mark.sweep
def test_pairs(tmp_path: Path) -> None:
    assert pairs(tmp_path, random.SystemRandom(), 1500) == []
