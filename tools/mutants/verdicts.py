"""The verdicts of `check` and the assembler on a mutant, and their lines."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from compilers.nvidia import TOOLKIT

import openptx
from mutants.mutant import Mutant
from openptx.isa.targets import TARGETS

PTXAS = TOOLKIT / "bin" / "ptxas"
OLDEST = 75
"""Files for older targets are assembled for this one."""

_ERROR = re.compile(r"^ptxas (?:\S+, )?line (\d+); (error|fatal)\s*: (.*)$", re.M)
_TARGET = re.compile(r"^\s*\.target\s+(sm_(\d+)[af]?)\b", re.M)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Nothing in `errors` is acceptance."""

    errors: tuple[tuple[int, str], ...]
    """Lines and messages."""

    @property
    def lines(self) -> set[int]:
        return {line for line, _ in self.errors}


def own_verdict(text: str) -> Verdict:
    """Ours."""
    found: list[tuple[int, str]] = []
    for each in openptx.check(text):
        if each.severity == "error":
            lines = {each.file.location(start)[0] for start, _ in (each.span, *each.also)}
            found += [(line, f"{each.code} {each.message}") for line in sorted(lines)]
    return Verdict(tuple(found))


def architecture(text: str, original: str) -> str:
    """What to assemble a file for: its target if that exists, else that of the file it comes from."""
    for each in (text, original):
        match = _TARGET.search(each)
        if match is not None and match[1] in TARGETS:
            return match[1][3:].replace("101", "110") if int(match[2]) >= OLDEST else str(OLDEST)
    return str(OLDEST)


def assembler(folder: Path, text: str, original: str) -> Verdict:
    """The assembler's."""
    file = folder / "mutant.ptx"
    file.write_text(text)
    command = [str(PTXAS), f"-arch=compute_{architecture(text, original)}", str(file), "-o", str(folder / "out")]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    found = [(int(line), said) for line, _, said in _ERROR.findall(done.stdout + done.stderr)]
    if done.returncode and not found:
        found = [(0, done.stderr.strip().split("\n")[0] or f"ended with {done.returncode}")]
    return Verdict(tuple(found) if done.returncode else ())


@dataclass(frozen=True, slots=True)
class Comparison:
    """A mutant with both verdicts."""

    mutant: Mutant
    ours: Verdict
    theirs: Verdict
    before: bool = False
    """Whether the verdicts differ about the file without the mistake too."""

    @property
    def agrees(self) -> bool:
        """Whether both accept or both refuse."""
        return bool(self.ours.errors) == bool(self.theirs.errors)

    @property
    def same_line(self) -> bool:
        """Whether the first error of one stands where the other has one, or ours where the mistake is."""
        if not self.ours.errors or not self.theirs.errors or 0 in self.theirs.lines:
            return True
        first = min(self.ours.lines)
        return first in self.theirs.lines or min(self.theirs.lines) in self.ours.lines or first == self.mutant.line


def compare(folder: Path, mutant: Mutant) -> Comparison:
    """Asks both."""
    text, original = mutant.text, mutant.source.text
    found = Comparison(mutant, own_verdict(text), assembler(folder, text, original))
    if found.agrees:
        return found
    before = bool(own_verdict(original).errors) != bool(assembler(folder, original, original).errors)
    return Comparison(mutant, found.ours, found.theirs, before)
