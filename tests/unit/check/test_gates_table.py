"""Targets and versions: every cell of the assembler's recorded table, compared with `openptx check`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import openptx
from openptx.check.repairs import header_edits, second_check
from openptx.isa.targets import TARGETS

TABLE = Path(__file__).parents[2] / "data" / "ptxas" / "gates.txt"

Version = tuple[int, int]
_NEWEST = {6: 5, 7: 8, 8: 8, 9: 4}
VERSIONS = [(major, n) for major, last in _NEWEST.items() for n in range(last + 1) if (major, n) > (6, 0)]
"""The 28 versions since 6.1, in two of which none of the 26 targets is known yet."""

# fmt: off
WHOLE = {  # what the table cuts short, written out; in its order
    "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32":
        "{f32_a,f32_b,f32_c,f32_d}, {b32_e,b32_f}, {b32_a}, {f32_a,f32_b,f32_c,f32_d};",
    "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32":
        "{f32_a,f32_b,f32_c,f32_d}, {b32_e,b32_f}, {b32_a}, {f32_a,f32_b,f32_c,f32_d};",
    "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32":
        "{f32_a,f32_b,f32_c,f32_d}, {b32_e,b32_f,b32_g,b32_h}, {b32_a,b32_b}, {f32_a,f32_b,f32_c,f32_d};",
    "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e3m2.f32":
        "{f32_a,f32_b,f32_c,f32_d}, {b32_e,b32_f,b32_g,b32_h}, {b32_a,b32_b}, {f32_a,f32_b,f32_c,f32_d};",
    "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3":
        "{f32_a,f32_b,f32_c,f32_d}, {b32_e,b32_f,b32_g,b32_h}, {b32_a,b32_b}, {f32_a,f32_b,f32_c,f32_d}, "
        "b32_a, {b16_a, b16_b}, b32_b, {b16_a, b16_b};",
}
# fmt: on
CRASHES = {("sm_100a", (9, 0), ".reg .e2m1x4 x;")}
"""Taken by the assembler, whose code generator then crashes: `assembler-crash`, docs/differences-from-ptxas.md."""
NAME = re.compile(r"\b(?:v2)?(pred|[bfsu]\d+(?:x2)?)_[a-z]\b")


def whole(statement: str) -> str:
    """The statement of a row, to its end."""
    if statement.endswith(";"):
        return statement
    return next(f"{opcode} {rest}" for opcode, rest in WHOLE.items() if f"{opcode} {rest}".startswith(statement))


def line(statement: str) -> str:
    """A block with the statement and the registers that it names. `e2m1x4` is a type by its width alone."""
    types = {
        found[0]: f"{'.v2 ' if found[0].startswith('v2') else ''}.{found[1]}" for found in NAME.finditer(statement)
    }
    return f"{{ {' '.join(f'.reg {type} {name};' for name, type in types.items())} {statement} }}"


def rows() -> list[tuple[str, dict[str, Version | None]]]:
    """Each statement, and for each target the version that takes it first."""
    found: list[tuple[str, dict[str, Version | None]]] = []
    for row in TABLE.read_text().splitlines()[2:]:
        statement, verdicts, *_ = row.split(" | ")
        since: dict[str, Version | None] = {}
        for part in verdicts.split(" ; "):
            when, _, names = part.partition(":")
            for name in names.split():
                target = TARGETS[f"sm_{name}"]
                major, _, minor = when.strip().partition(".")
                since[target.name] = (
                    None if when.strip() == "never" else target.since if major == "base" else (int(major), int(minor))
                )
        found.append((whole(statement), since))
    return found


def disagreements(target: str, version: Version, table: list[tuple[str, dict[str, Version | None]]]) -> list[str]:
    """The statements whose verdict is not the recorded one, all in one file."""
    head = f".version {version[0]}.{version[1]}\n.target {target}\n.address_size 64\n.func kk;\n.entry k() {{\n"
    text = head + "\n".join(line(statement) for statement, _ in table) + "\nexit; }\n"
    wrong_lines: dict[int, str] = {}
    for found in openptx.check(text):
        if found.severity == "error":
            rows = {found.file.location(start)[0] for start, _ in (found.span, *found.also)}
            statements = {row for row in rows if row >= 6}  # an error of the header lists those that it is too old for
            wrong_lines.update(dict.fromkeys(statements if found.also else rows, found.message))
    refused = version < TARGETS[target].since
    if refused:
        return [] if 2 in wrong_lines else [f"{target} is taken in {version}"]
    bad = [f"{number}: {message}" for number, message in wrong_lines.items() if number < 6]
    for number, (statement, since) in enumerate(table, start=6):
        first = since[target]
        expected = first is not None and version >= first and (target, version, statement) not in CRASHES
        if expected == (number in wrong_lines):
            bad.append(f"{target} {version}: {statement} since {first}, {wrong_lines.get(number)}")
    return bad


def test_a_diagonal_of_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each target once, each version once or twice; every eighth with the search for fixes, which takes most of the
    time."""
    table = rows()
    wrong: list[str] = []
    for number, target in enumerate(table[0][1]):
        known = [version for version in VERSIONS if version >= TARGETS[target].since]
        with monkeypatch.context() as context:
            if number % 8:
                context.setattr(second_check, "ROOM", 0)
                context.setattr(header_edits, "_LONGEST", 0)
            wrong += disagreements(target, known[number % len(known)], table)
    assert wrong == []


@pytest.mark.sweep
def test_the_whole_table() -> None:
    table = rows()
    targets = list(table[0][1])
    assert (len(table), len(targets), len(VERSIONS)) == (135, 26, 28)
    assert [each for target in targets for version in VERSIONS for each in disagreements(target, version, table)] == []
