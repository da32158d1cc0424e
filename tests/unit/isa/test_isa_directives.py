"""Directives, pragmas and special registers, compared with the chapters of the manual that define them."""

from __future__ import annotations

import manual
import pytest

from openptx.isa.directives import ATTRIBUTES, DIRECTIVES, PRAGMAS
from openptx.isa.notation.gates import Gate
from openptx.isa.special_registers import SPECIAL_REGISTERS


def _says(gate: Gate) -> tuple[tuple[int, int], int | None]:
    (alternative,) = gate.alternatives
    return alternative.since, int(alternative.targets[0][3:]) if alternative.targets else None


# The pages say more than one thing: later additions to a directive, or a target for a part of it.
ELSEWHERE = {"11.2.1", "11.2.2", "11.3.3", "11.1.3"}


def test_every_directive_of_the_manual_is_known() -> None:
    named = manual.facts("directives")
    assert {name for name, _ in named.values() if name not in DIRECTIVES} == set()
    for number, (name, (version, target)) in named.items():
        directive = DIRECTIVES[name]
        assert directive.section == number
        if number not in ELSEWHERE and version is not None:
            assert (tuple(version), target) == _says(directive.gate), name
    print(f"{len(named)} directives of chapter 11")
    assert len(named) > 25


def test_every_pragma_of_the_manual_is_known() -> None:
    found = manual.facts("pragmas")
    assert set(found) == set(PRAGMAS)
    for name, (version, target) in found.items():
        assert (tuple(version), target) == _says(PRAGMAS[name]), name


def test_attributes() -> None:
    assert set(ATTRIBUTES) == {"managed", "unified"}


def test_every_special_register_of_the_manual_is_known() -> None:
    registers = manual.facts("special_registers")
    for name, (kind, vector) in registers.items():
        assert (SPECIAL_REGISTERS[name].type.name, SPECIAL_REGISTERS[name].vector) == (kind, vector), name
    print(f"{len(registers)} special registers")
    assert set(registers) == set(SPECIAL_REGISTERS)


@pytest.mark.parametrize(
    ("name", "since"), [("tid", ((1, 0), None)), ("clusterid", ((7, 8), 90)), ("clock64", ((2, 0), 20))]
)
def test_gates_of_special_registers(name: str, since: tuple[tuple[int, int], int | None]) -> None:
    assert _says(SPECIAL_REGISTERS[name].gate) == since
