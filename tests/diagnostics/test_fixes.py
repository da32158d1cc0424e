"""Every fix is applied: NVIDIA's assembler accepts the result, and the statement keeps its meaning."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from assembler import MISSING, PTXAS, target_of
from findings import Finding, findings

import openptx
from openptx.diagnostics import Diagnostic
from openptx.diagnostics.edits import edits_of

_LINE = re.compile(r"line (\d+); (?:error|fatal)")
_OPCODE = re.compile(r"\s*(?:@!?[%$\w]+\s+)?([A-Za-z_]\w*)([.\w:]*)")
IGNORED = frozenset(("rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi", "ftz", "approx", "full"))
"""Modifiers that a fix may take away: without them the instruction does the same, or rounds as it always does."""


def fixable() -> list[Finding]:
    found = [finding for finding in findings() if any(diagnostic.fix for diagnostic in finding.found)]
    assert len(found) > 130
    return found


def apply(text: str, found: list[Diagnostic]) -> str:
    """The text with every fix of these diagnostics in it, also in the places where a mistake is repeated."""
    edits = {edit for diagnostic in found for edit in edits_of(diagnostic)}
    for (start, end), replacement in sorted(edits, reverse=True):
        text = text[:start] + replacement + text[end:]
    return text


def test_nothing_is_found_where_a_fix_was_applied() -> None:
    for finding in fixable():
        left = openptx.check(apply(finding.text, finding.found), profile=finding.profile)
        unfixed = {diagnostic.message for diagnostic in finding.found if not diagnostic.fix}
        wrong = [str(d) for d in left if d.severity == "error" and d.message not in unfixed]
        assert wrong == [], finding.origin


@pytest.mark.skipif(not PTXAS.exists(), reason=MISSING)
def test_the_assembler_takes_what_was_fixed(tmp_path: Path) -> None:
    """All of the file where every mistake has a fix, else the lines of the fixes."""
    for finding in fixable():
        refused = errors(apply(finding.text, finding.found), tmp_path)
        if all(diagnostic.fix for diagnostic in finding.found if diagnostic.severity == "error"):
            assert refused == "", finding.origin
            continue
        rows = {int(each) for each in _LINE.findall(refused)}
        for diagnostic in finding.found:
            if diagnostic.fix:
                assert diagnostic.location[0] not in rows, finding.origin


def errors(text: str, folder: Path) -> str:
    """What the assembler says against a text; nothing where it takes it."""
    file = folder / "k.ptx"
    file.write_text(text, encoding="utf-8", errors="surrogateescape")
    command = [str(PTXAS), f"-arch=compute_{target_of(text)}", str(file), "-o", str(folder / "k.out")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""


def test_an_opcode_keeps_its_meaning() -> None:
    """A fix of an opcode adds, orders or replaces modifiers; what it takes away says nothing."""
    for finding in fixable():
        for diagnostic in finding.found:
            fix = diagnostic.fix
            if fix is None or fix.span != diagnostic.span or diagnostic.name == "unknown-instruction":
                continue
            before, after = _OPCODE.match(finding.text[slice(*fix.span)]), _OPCODE.match(fix.replacement)
            if before is None or after is None or not after[2]:
                continue
            old, new = before[2].split(".")[1:], after[2].split(".")[1:]
            assert before[1].lower() == after[1], finding.origin
            needed = [modifier for modifier in set(old) if modifier.lower() not in IGNORED]
            assert len(new) >= len(needed), finding.origin
