"""Special registers in every version, target and place: ptxas's verdicts, recorded in special_registers.txt."""

from __future__ import annotations

import pytest
from special_register_table import CONTEXTS, contexts, gates, move, names, read, uses, verdicts

import openptx
from openptx.check.repairs import header_edits, second_check


def refused(text: str, target: str) -> set[int]:
    """The lines in which `openptx check` finds errors."""
    found = [each for each in openptx.check(text, target=target) if each.severity == "error"]
    return {each.file.location(each.span[0])[0] for each in found}


@pytest.fixture(autouse=True)
def only_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of hundreds of errors is not checked again with fixes, which would take most of the time."""
    monkeypatch.setattr(second_check, "ROOM", 0)
    monkeypatch.setattr(header_edits, "_LONGEST", 0)


CRASH = ("@{}", "@!{}", "[{}]", "[{}+4]")
"""Taken by the assembler, whose code generator then dies: a special register as a guard or as an address."""
UNLIKE = {"mov.b16 h, {}+1;", "mov.f32 f, {}+1;", "mov.b64 q, {{}, r};", "mov.b64 q, {r, {}};"}
"""What no program has any use for: the assembler takes a special register and a constant for 16 bits and floats, and
`%is_explicit_cluster` among the halves of a word."""


def test_every_register_in_a_sample_of_versions_and_targets() -> None:
    recorded, _ = read()
    for version, target in contexts()[::18]:
        taken = verdicts((version, target), [move(name) for name in names()], refused)
        for name, right in zip(names(), taken, strict=True):
            since = recorded[name][target]
            assert right == (since is not None and version >= since), (name, version, target)


@pytest.mark.sweep
def test_every_register_in_every_version_and_target() -> None:
    recorded, _ = read()
    assert (len(contexts()), len(recorded)) == (938, len(names()))
    assert gates(refused) == recorded


def test_a_file_that_is_too_old_names_the_register_and_the_version() -> None:
    text = (
        ".version 7.0\n.target sm_80\n.address_size 64\n.entry k() { .reg .b32 r; mov.u32 r, %cluster_ctarank; ret; }"
    )
    (found,) = openptx.check(text)
    assert (found.code, found.message) == (
        "PTX0410",
        "`%cluster_ctarank` needs .target sm_90 or newer (the file says sm_80) and PTX ISA 7.8 (the file says 7.0)",
    )


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(number, id=f"{v[0]}.{v[1]}-{t}", marks=[pytest.mark.sweep] if number in (1, 2, 3, 4, 5, 6) else [])
        for number, (v, t) in enumerate(CONTEXTS)
    ],
)
def test_every_place(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    _, recorded = read()
    asked = [each for each in recorded if each not in UNLIKE and not any(word in each for word in CRASH)]
    assert len(asked) > 200
    monkeypatch.setattr("special_register_table.CONTEXTS", [CONTEXTS[number]])
    wrong = {
        statement: (row[0], recorded[statement][number])
        for statement, row in uses(refused, asked).items()
        if row[0] != recorded[statement][number]
    }
    assert wrong == {}
