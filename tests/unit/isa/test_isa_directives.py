"""Directives, pragmas and special registers against the chapters of the manual that introduce them."""

from __future__ import annotations

import re

import manual
import pytest

from openptx.isa.directives import ATTRIBUTES, DIRECTIVES, PRAGMAS
from openptx.isa.notation.gates import Gate
from openptx.isa.special_registers import SPECIAL_REGISTERS

CHAPTERS = manual.PAGES.parent


def _chapter(folder: str) -> dict[str, str]:
    pages = manual.needed(CHAPTERS / folder).glob("*.md")
    return {path.name.split("-")[0]: path.read_text() for path in pages}


def _since(page: str) -> tuple[tuple[int, int] | None, int | None]:
    """The first version and the first target that a page speaks of in its notes."""
    notes = page.partition("PTX ISA Notes")[2] or page.partition("Notes")[2]
    version = re.search(r"ntroduced in PTX ISA (?:version )?(\d+)\.(\d+)", notes)
    target = re.search(r"[Rr]equires? (?:target )?`sm_(\d+)`", notes)
    return (int(version[1]), int(version[2])) if version else None, int(target[1]) if target else None


def _says(gate: Gate) -> tuple[tuple[int, int], int | None]:
    (alternative,) = gate.alternatives
    return alternative.since, int(alternative.targets[0][3:]) if alternative.targets else None


# The pages say more than one thing: later additions to a directive, or a target for a part of it.
ELSEWHERE = {"11.2.1", "11.2.2", "11.3.3", "11.1.3"}


def test_every_directive_of_the_manual_is_known() -> None:
    pages = _chapter("11-directives")
    titles = {number: re.search(r"Directives:\.(\w+)", text) for number, text in pages.items()}
    named = {number: title[1] for number, title in titles.items() if title}
    assert {name for name in named.values() if name not in DIRECTIVES} == set()
    for number, name in named.items():
        directive = DIRECTIVES[name]
        assert directive.section == number
        version, target = _since(pages[number])
        if number not in ELSEWHERE and version is not None:
            assert (version, target) == _says(directive.gate), name
    print(f"{len(named)} directives of chapter 11")
    assert len(named) > 25


def test_every_pragma_of_the_manual_is_known() -> None:
    pages = _chapter("12-descriptions-ofpragmastrings")
    found = {name: text for text in pages.values() for name in re.findall(r'Pragma Strings:"(\w+)"', text)[:1]}
    assert set(found) == set(PRAGMAS)
    for name, text in found.items():
        version, target = _since(text)
        assert (version, target) == _says(PRAGMAS[name]), name


def test_attributes() -> None:
    assert set(ATTRIBUTES) == {"managed", "unified"}


def test_every_special_register_of_the_manual_is_known() -> None:
    names: set[str] = set()
    for text in _chapter("10-special-registers").values():
        declared = re.findall(r"^\s*\.sreg\s+(\.v4)?\s*\.(\w+)\s+(.*?)(?:;|//|$)", text, re.MULTILINE)
        assert declared
        for vector, type_name, listed in declared:
            for name in re.findall(r"%(\w+(?:<\d+>)?)(?![\w.])", listed):
                base, _, count = name.removesuffix(">").partition("<")
                for each in [f"{base}{i}" for i in range(int(count))] if count else [base]:
                    names.add(each)
                    register = SPECIAL_REGISTERS[each]
                    assert (register.type.name, register.vector) == (type_name, bool(vector)), each
    print(f"{len(names)} special registers")
    assert names == set(SPECIAL_REGISTERS)


@pytest.mark.parametrize(
    ("name", "since"), [("tid", ((1, 0), None)), ("clusterid", ((7, 8), 90)), ("clock64", ((2, 0), 20))]
)
def test_gates_of_special_registers(name: str, since: tuple[tuple[int, int], int | None]) -> None:
    assert _says(SPECIAL_REGISTERS[name].gate) == since
