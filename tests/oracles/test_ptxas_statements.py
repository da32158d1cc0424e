"""Random statements of every form, for every version and target: `check` and ptxas give the same verdict."""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from any_statements import Context, Statements, contexts, module
from assembler import MISSING, PTXAS, accepted, target_of

import openptx

_ERROR = re.compile(r"^ptxas (?!<builtin>)(?:\S+, )?line (\d+); (error|fatal)\s*: (.*)$", re.M)
_KNOWN = re.compile(
    # ptxas 13 assembles files for older targets with -arch=compute_75: it has doubles, and no suld.p any more
    r"sm_1[012] .*\.f64\b.*taken, here: PTX0(?:410|310)"
    r"|sm_(?:[2-5]\d|6[0-2]) (?:@!?\w+ )?suld\.p\..*refused"
    r"|(?:vote|bar|barrier)\S* f16x2_|vote\S* \S+, !?f16x2_"  # pairs of halves as predicates
    r"|sm_[12]\d (?:@!?\w+ )?\S*\.shared::cta.*taken, here: PTX0410"
    # docs/differences-from-ptxas.md: comparisons with a depth, pairs of texels and predicates before PTX 7.1, 64-bit
    # and 16-bit coordinates that are not used, constants in places of tld4's depth
    r"|(?:tex|tld4)\S* .*refused: Arguments mismatch"
    r"|(?:suld|sust|sured|tex|tld4)\S* .*the elements of `[bc]` of \S* have 32 bits"
    r"|tld4\S* .*taken, here: PTX031[25] operand `f`"
    # lists of one element of another kind of register
    r"|tcgen05\.(?:ld|st)\S*\.x1\S* .*taken, here: PTX0312"
    r"|st\.bulk\S* \S+, s32_.*taken, here: PTX0411"
    r"|st\.async\S* .*taken, here: PTX030[46]"  # without .release, since PTX 9.3
    r"|(?:suld|sust|sured)\S* .*%.*must be register or constant"
    r"|\.tensor\.\S* .*\bpred_.*taken, here: PTX0313"
    r"|testp\.f(?:32|64) .*taken, here: PTX0304"
    r"|(?:bar|barrier)\S* (?:\w+, )?0x"  # beyond 32 bits
    r"|multimem\.st\S*\.b?f16\S* [^{]*\{[-\d].*refused"  # a number in front
    r"|wmma\.mma\S*\.[su]8\S* .*f16x2_.*refused: Arguments mismatch for instruction '_mma'"
    r"|wmma\.\S* .*pred_.*refused: Arguments mismatch for instruction 'mov'"
    r"|crashes when it generates code"  # which -arch=compute_100a does not do
    r"|clusterlaunchcontrol\S*\.b128\.\S+ .*refused"
)
FIRST = 6
"""The line of the first statement."""


def refused_by_the_assembler(folder: Path, context: Context, statements: list[str]) -> dict[int, str]:
    """The statements that it refuses, and why. Some mistakes hide others: it is asked until it takes what is left."""
    left, why = list(statements), dict[int, str]()
    while True:
        file, text = folder / "k.ptx", module(context, left)
        file.write_text(text)
        command = [str(PTXAS), f"-arch=compute_{target_of(text)}", str(file), "-o", str(folder / "k.out")]
        done = subprocess.run(command, capture_output=True, check=False, text=True)
        if not done.returncode:
            return why
        found = {int(line) - FIRST: said for line, _, said in _ERROR.findall(done.stdout + done.stderr)}
        if not found:  # a line of the text that the assembler makes of a statement
            found = alone(folder, context, left, done.stderr)
        assert all(0 <= each < len(left) for each in found), done.stderr
        assert not found.keys() <= why.keys(), done.stderr
        for each, said in found.items():
            why[each] = said
            left[each] = ""


def alone(folder: Path, context: Context, left: list[str], said: str) -> dict[int, str]:
    """One of these statements that is refused by itself, found in halves."""
    here = [each for each, statement in enumerate(left) if statement]
    while len(here) > 1:
        half = here[: len(here) // 2]
        text = module(context, [statement if each in half else "" for each, statement in enumerate(left)])
        here = here[len(half) :] if accepted(folder, text, target_of(text)) else half
    return {here[0]: said}


def refused_here(context: Context, statements: list[str]) -> dict[int, str]:
    """The statements that `check` refuses, and why; those to which a finding at a declaration points as well."""
    found: dict[int, str] = {}
    for diagnostic in openptx.check(module(context, statements)):
        if diagnostic.severity == "error":
            for start, _ in (diagnostic.span, *diagnostic.also, *(label.span for label in diagnostic.labels)):
                number = diagnostic.file.location(start)[0] - FIRST
                if number >= 0:
                    found.setdefault(number, f"{diagnostic.code} {diagnostic.message}")
    return found


def differences(folder: Path, context: Context, statements: list[str]) -> Iterator[str]:
    """What the two do not agree on. Each is asked for again alone, since mistakes may hide one another."""
    theirs, ours = refused_by_the_assembler(folder, context, statements), refused_here(context, statements)
    for each in sorted(theirs.keys() ^ ours.keys()):
        again = refused_by_the_assembler(folder, context, [statements[each]])
        here = refused_here(context, [statements[each]])
        if bool(again) != bool(here):
            (major, minor), target = context
            verdict = f"refused: {again[0]}" if again else f"taken, here: {next(iter(here.values()))}"
            yield f"{major}.{minor} {target} {statements[each]}  {verdict}"


def known(difference: str) -> bool:
    """What docs/differences-from-ptxas.md lists."""
    return bool(_KNOWN.search(difference))


@pytest.mark.skipif(not PTXAS.exists(), reason=MISSING)
@pytest.mark.parametrize("context", [((9, 5), "sm_100a"), ((8, 5), "sm_90a"), ((7, 1), "sm_80")], ids=str)
def test_some_random_statements(context: Context, tmp_path: Path) -> None:
    statements = Statements(random.Random(7))
    found = list(differences(tmp_path, context, [statements.one() for _ in range(150)]))
    assert [each for each in found if not known(each)] == []


@pytest.mark.sweep
@pytest.mark.skipif(not PTXAS.exists(), reason=MISSING)
@pytest.mark.parametrize("seed", range(100))
def test_random_statements(seed: int, tmp_path: Path) -> None:
    dice = random.Random(seed)
    statements = Statements(dice)
    asked = [(context, [statements.one() for _ in range(100)]) for context in dice.sample(contexts(), 4)]
    wrong = [each for context, batch in asked for each in differences(tmp_path, context, batch)]
    assert [each for each in wrong if not known(each)] == []
