"""Random statements of all forms but branches, memory and matrices included: the same bits or fault on both engines."""

from __future__ import annotations

import random
import re

import pytest
from any_statements import REGISTERS, Statements
from statement_kernels import differing

import openptx

MACHINES = (("sm_100a", "9.0"), ("sm_90a", "9.0"), ("sm_120a", "9.2"), ("sm_103a", "9.5"), ("sm_80", "8.0"))
NOT_ALONE = frozenset(("extended_precision", "stack", "tensor_allocation"))
"""Modules of instructions whose results depend on others: the carry, the stack, what is allocated."""

_REGISTER = re.compile(rf"\b({'|'.join(REGISTERS.split())})_\d+\b")


def record(statement: str, target: str, version: str) -> dict[str, str]:
    names = dict.fromkeys((found[0], found[1]) for found in _REGISTER.finditer(statement))
    registers = " ".join(f".reg .{type} {name};" for name, type in names)
    variables = ".global .align 16 .b8 gv[64]; .shared .align 16 .b8 sv[64];"
    return {"target": target, "version": version, "decls": f"{registers} {variables}", "stmt": statement}


def accepted(found: dict[str, str]) -> bool:
    head = f".version {found['version']}\n.target {found['target']}\n.address_size 64\n"
    text = f"{head}.entry k() {{ {found['decls']}\n{found['stmt']} }}"
    return all(d.severity != "error" for d in openptx.check(text))


def statements(seed: int, count: int) -> list[dict[str, str]]:
    """So many for one target that the checker accepts."""
    dice = random.Random(seed)
    source, machine = Statements(dice), MACHINES[seed % len(MACHINES)]
    source.instructions = [
        i for i in source.instructions if i.control is None and i.module.rpartition(".")[2] not in NOT_ALONE
    ]
    found = list[dict[str, str]]()
    while len(found) < count:
        one = record(source.one(), *machine)
        if "%clock" not in one["stmt"] and accepted(one):
            found.append(one)
    return found


def test_some_statements() -> None:
    assert differing(statements(1, 12)) == []


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(100, 300))
def test_many_statements(seed: int) -> None:
    assert differing(statements(seed, 40)) == []
