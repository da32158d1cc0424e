"""Versions and targets: the notation of gates, families, and the assembler's own table of forms."""

from __future__ import annotations

import manual
import pytest

from openptx.isa.notation import INSTRUCTIONS, load, resolve
from openptx.isa.notation.conditions import conditions
from openptx.isa.notation.gates import Gate, gate
from openptx.isa.targets import TARGETS, Target, gates, removal, satisfied, stated_target, target, unmet, wants

Version = tuple[int, int]


@pytest.mark.parametrize(
    ("text", "version", "name", "allowed"),
    [
        ("PTX 2.0, sm_20", (2, 0), "sm_20", True),
        ("PTX 2.0, sm_20", (1, 4), "sm_20", False),
        ("PTX 2.0, sm_20", (9, 1), "sm_13", False),
        ("PTX 8.6, sm_100a", (9, 0), "sm_100a", True),
        ("PTX 8.6, sm_100a", (9, 0), "sm_103a", False),
        ("PTX 8.6, sm_100f", (9, 0), "sm_103a", True),
        ("PTX 8.6, sm_100f", (9, 0), "sm_103f", True),
        ("PTX 8.6, sm_100f", (9, 0), "sm_103", False),
        ("PTX 8.6, sm_100f", (9, 0), "sm_120f", False),
        ("PTX 8.6, sm_103f", (9, 0), "sm_100a", False),
        ("PTX 8.6, sm_110f", (8, 8), "sm_101f", True),
        ("PTX 8.1, sm_89 or PTX 7.8, sm_90", (7, 8), "sm_90", True),
        ("PTX 8.1, sm_89 or PTX 7.8, sm_90", (7, 8), "sm_89", False),
        ("PTX 3.0 to 6.3, sm_30 or PTX 3.0, sm_30 to sm_62", (7, 0), "sm_61", True),
        ("PTX 3.0 to 6.3, sm_30 or PTX 3.0, sm_30 to sm_62", (6, 3), "sm_70", True),
        ("PTX 3.0 to 6.3, sm_30 or PTX 3.0, sm_30 to sm_62", (6, 4), "sm_70", False),
        ("sm_13", (1, 4), "sm_13", True),
        ("PTX 8.3", (8, 3), "sm_75", True),
    ],
)
def test_gates(text: str, version: Version, name: str, allowed: bool) -> None:
    assert satisfied(gate(text), version, TARGETS[name]) == allowed


@pytest.mark.parametrize("text", ["PTX", "8.0", "sm_", "PTX 8.0 sm90", "PTX 8.0 and sm_90"])
def test_nonsense_is_no_gate(text: str) -> None:
    with pytest.raises(ValueError, match="not a gate"):
        gate(text)


def test_targets_by_name() -> None:
    assert target("compute_90a") is TARGETS["sm_90a"]
    assert target("sm_1000") is None
    assert TARGETS["sm_101f"].renamed == "sm_110f"
    assert TARGETS["sm_107a"].since == (9, 4)


def test_what_is_asked_for_is_said_in_words() -> None:
    form, m = resolve("cvt.rs.f16x2.f32")[0]
    ((what, asked),) = unmet(form, m, (8, 5), TARGETS["sm_90"])
    assert what == "cvt"
    assert wants(asked) == ".target sm_100a, sm_103a or sm_107a and PTX ISA 8.7"
    form, m = resolve("ld.global.L2::cache_hint.u32")[0]
    assert [(what, wants(g)) for what, g in unmet(form, m, (7, 0), TARGETS["sm_75"])] == [
        (".L2::cache_hint", ".target sm_80 or newer and PTX ISA 7.4")
    ]


@pytest.mark.parametrize(
    ("text", "version", "name", "words"),
    [
        (
            "PTX 3.0 to 6.3, sm_30 or PTX 3.0, sm_30 to sm_62",
            (8, 4),
            "sm_80",
            "newer than sm_62 have it up to PTX ISA 6.3",
        ),
        ("sm_10 to sm_89", (8, 4), "sm_90", "targets newer than sm_89 do not have it"),
        ("PTX 6.0 to 6.4, sm_70", (8, 4), "sm_80", "PTX ISA has it up to 6.4"),
        ("PTX 6.0 to 6.4, sm_70", (8, 4), "sm_60", None),  # too old for it
        ("PTX 7.0, sm_90", (6, 0), "sm_80", None),
    ],
)
def test_what_has_been_removed_is_said_in_words(text: str, version: Version, name: str, words: str | None) -> None:
    found = removal(gate(text), version, TARGETS[name])
    assert (found is None) == (words is None)
    assert (words or "") in (found or "")


def test_every_table_of_conditions_reads() -> None:
    """A condition names slots or modifiers that some instruction of its module has: instructions share tables."""
    load()
    known: dict[str, set[str]] = {}
    for each in INSTRUCTIONS:
        slots = [slot for form in each.forms for slot in form.slots]
        own = known.setdefault(each.module, {"type", "dtype", "atype", "btype", "ctype", "rnd", "space", "vec"})
        own |= {slot.name for slot in slots} | {choice for slot in slots for choice in slot.choices}
    for each in INSTRUCTIONS:
        for condition in conditions(each.gates):
            assert gate(condition.then).alternatives
        for condition in (*conditions(each.gates), *conditions(each.rejects)):
            words = {name or value for term in condition.terms for name, value in term}
            assert words <= known[each.module], (each, condition.text, words - known[each.module])


def _first_version(gate: Gate, target: Target) -> Version | None:
    """The least version with which a target may use what a gate guards; None if there is none."""
    versions = [max(each.since, target.since) for each in gate.alternatives]
    return min((v for v in versions if satisfied(gate, v, target)), default=None)


def _first(opcode: str, operands: int | None, on: Target) -> Version | None:
    """The first PTX version in which some form of this opcode may be used on a target."""
    found: list[Version] = []
    for form, m in resolve(opcode):
        if operands is not None and not any(len(layout) == operands for layout in form.layouts(m)):
            continue
        versions = [_first_version(g, on) for _, g in gates(form, m)]
        if None not in versions:
            found.append(max(v for v in versions if v is not None))
    return min(found, default=None)


def _count(operands: str) -> int:
    depth, count = 0, 1
    for c in operands:
        depth += (c in "{[(") - (c in "}])")
        count += c == "," and depth == 0
    return count


# Opcodes that the table cuts short.
_WHOLE = {
    "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f": (
        "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3"
    )
}


def test_the_assemblers_table() -> None:
    """Every form on 26 targets: since which version, or never; declarations are tried elsewhere."""
    lines = (manual.DATA / "ptxas" / "gates.txt").read_text().splitlines()[2:]
    rows = cells = 0
    wrong: list[str] = []
    for line in lines:
        statement, verdicts, *_ = line.split(" | ")
        if statement.startswith("."):
            continue
        rows += 1
        opcode = statement.split()[0]
        operands = _count(statement.removesuffix(";")[len(opcode) :]) if statement.endswith(";") else None
        opcode = _WHOLE.get(opcode, opcode)
        for part in verdicts.split(" ; "):
            since, _, names = part.partition(":")
            for name in names.split():
                cells += 1
                on = TARGETS[f"sm_{name}"]
                known = {"never": None, "base": on.since}
                expected = known[since.strip()] if since.strip() in known else tuple(map(int, since.split(".")))
                if _first(opcode, operands, on) != expected:
                    wrong.append(f"{statement[:60]} on {on}: {since}")
    print(f"{rows} forms on 26 targets: {cells} cells")
    assert wrong == []
    assert (rows, cells) == (131, 3406)


@pytest.mark.parametrize(
    ("line", "name"),
    [(".target sm_90a", "sm_90a"), ("  .target\tsm_80, debug // sm_90", "sm_80"), ("// .target sm_80", None),
     ("", None), (".target sm_999", None)],
)  # fmt: skip
def test_the_target_that_a_text_states(line: str, name: str | None) -> None:
    found = stated_target(f"// of sm_75\n.version 8.0\n{line}\n")
    assert (found and found.name) == name
