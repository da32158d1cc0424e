"""Compares the values stored by machine code and by our lowered functions, and shrinks programs that differ."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import openptx
from contraction.expressions import Expression, forget
from contraction.listing import Listing, assemble, listings
from contraction.lowered import Lowered
from contraction.machine import Machine, Unreadable
from contraction.programs import CLASSES, Program, module, write
from contraction.steps import run
from openptx.program import Function

TOGETHER = 50
"""Kernels of a file."""

TRIALS = (3, 12, 5, 10, 0, 15)
"""Which comparisons hold: a bit for each of four."""


class Difference(NamedTuple):
    program: Program
    where: tuple[int, ...]  # offsets
    cause: str
    theirs: str
    ours: str


def compare(folder: Path, programs: list[Program], target: str) -> Iterator[Difference | None]:
    """For each program what differs, if anything does."""
    text = module(programs, target)
    theirs, ours = listings(assemble(folder, text, target)), openptx.load(text)
    for n, program in enumerate(programs):
        yield difference(program, theirs[f"k{n}"], ours[f"k{n}"].function, target)


def difference(program: Program, listing: Listing, function: Function, target: str) -> Difference | None:
    forget()
    for trial in TRIALS if "setp" in program.text or "@" in program.text or "selp" in program.text else TRIALS[:1]:
        try:
            theirs, lowered = run(Machine(listing, target, trial)), Lowered(function, trial)
            lowered.run()
        except Unreadable as reason:
            return Difference(program, (), f"unreadable: {reason}", "", "")
        ours = lowered.stored
        where = tuple(sorted(k for k in theirs.keys() | ours.keys() if theirs.get(k) is not ours.get(k)))
        if where:
            rules = frozenset[str]().union(*(lowered.rules.get(k, frozenset()) for k in where))
            return Difference(program, where, named(rules), *shown_apart(theirs.get(where[0]), ours.get(where[0])))
    return None


UNNAMED = "unnamed"


def named(rules: frozenset[str]) -> str:
    """Why our result is not certain, if a rule says so."""
    doubtful = sorted(rule for rule in rules if "among" in rule)
    return ", ".join(doubtful) if doubtful else UNNAMED


def shown_apart(theirs: Expression | None, ours: Expression | None) -> tuple[str, str]:
    """Two different expressions, from the place on where they differ; arguments may be in another order."""
    while theirs is not None and ours is not None and theirs.name == ours.name:
        one = [a for a in theirs.args if a not in ours.args]
        other = [a for a in ours.args if a not in theirs.args]
        if not (len(one) == len(other) == 1 and isinstance(one[0], Expression) and isinstance(other[0], Expression)):
            break
        theirs, ours = one[0], other[0]
    return shown(theirs), shown(ours)


def shown(e: Expression | None, depth: int = 6) -> str:
    if e is None:
        return "nothing"
    if not depth:
        return "..."
    args = ", ".join(
        shown(a, depth - 1) if isinstance(a, Expression) else str(a) for a in e.args if a not in ("", "f32")
    )
    return f"{e.name}({args})"


def differing(folder: Path, kind: str, seed: int, count: int, target: str) -> Iterator[Difference]:
    """Those of this many programs of a class that differ."""
    rng = random.Random(f"{seed} {kind}")
    while count > 0:
        programs = [write(rng, kind) for _ in range(min(TOGETHER, count))]
        count -= TOGETHER
        yield from (found for found in compare(folder, programs, target) if found is not None)


# Smaller programs.

_REGISTER = re.compile(r"\b[iv]\d+\b")
WITHOUT_MAX = frozenset(kind for kind, made in CLASSES.items() if made.type != "f32")
_LABEL = re.compile(r"\bL\d+\b")


def reduce(folder: Path, found: Difference, target: str) -> Difference:
    """The program with as few statements as still differ for the same reason."""
    while True:
        for smaller in batches(list(candidates(found.program))):
            still = [d for d in results(folder, smaller, target) if d is not None and alike(d, found)]
            if still:
                found = still[0]
                break
        else:
            return found


def alike(a: Difference, b: Difference) -> bool:
    return a.cause == b.cause or (UNNAMED not in (a.cause, b.cause) and ":" not in a.cause + b.cause)


def results(folder: Path, programs: list[Program], target: str) -> list[Difference | None]:
    try:
        return list(compare(folder, programs, target))
    except (ValueError, openptx.Error):
        if len(programs) == 1:
            return [None]
        return [each for program in programs for each in results(folder, [program], target)]


def batches(programs: list[Program]) -> Iterator[list[Program]]:
    for at in range(0, len(programs), TOGETHER):
        yield programs[at : at + TOGETHER]


def candidates(program: Program) -> Iterator[Program]:
    """Programs without some lines, the largest cuts first; what a removed statement writes is one of its operands."""
    lines = program.lines
    for label in dict.fromkeys(_LABEL.findall(program.text)):
        yield from without(program, {n for n, line in enumerate(lines) if re.search(rf"\b{label}\b", line)})
    size = len(lines) // 2
    while size:
        for at in range(0, len(lines), size):
            yield from without(program, set(range(at, min(at + size, len(lines)))))
        size //= 2
    for n, line in enumerate(lines):
        if (
            not line.startswith("st")
            and "max" not in line
            and program.kind not in WITHOUT_MAX
            and line.count(",") == 2
            and "bra" not in line
        ):
            yield Program(program.kind, (*lines[:n], re.sub(r"^(@!?\w )?\w+\S*", r"\1max.f32", line), *lines[n + 1 :]))


def without(program: Program, removed: set[int]) -> Iterator[Program]:
    """Without lines; their results become their first or second operand."""
    if any(_LABEL.search(program.lines[n]) for n in removed):
        labels = {label for n in removed for label in _LABEL.findall(program.lines[n])}
        removed = removed | {n for n, line in enumerate(program.lines) if labels & set(_LABEL.findall(line))}
    if len(removed) >= len(program.lines):
        return
    for place in (1, 2):
        yield Program(program.kind, renamed(program.lines, removed, place))


def renamed(lines: tuple[str, ...], removed: set[int], place: int) -> tuple[str, ...]:
    """The lines that stay, with an operand in the place of what a removed one wrote, unless another writes it too."""
    names: dict[str, str] = {}
    for n in sorted(removed):
        registers = _REGISTER.findall(lines[n])
        if len(registers) > 1 and not lines[n].startswith(("st", "@")):
            names[registers[0]] = resolved(registers[min(place, len(registers) - 1)], names)
    kept = [line for n, line in enumerate(lines) if n not in removed]
    for line in kept:
        if not line.startswith("st"):
            names.pop(next(iter(_REGISTER.findall(line)), ""), None)
    return tuple(_REGISTER.sub(lambda match: names.get(match[0], match[0]), line) for line in kept)


def resolved(name: str, names: dict[str, str]) -> str:
    while name in names:
        name = names[name]
    return name
