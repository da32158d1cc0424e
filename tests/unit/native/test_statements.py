"""Statements that ptxas accepts: the same bits, or the same fault, on both engines."""

from __future__ import annotations

from collections import defaultdict
from itertools import groupby

import pytest
from ptxas_corpus import records
from statement_kernels import differing, is_comparable

PARTS = 128
"""Of the whole corpus: about 125 statements each."""


def machine(record: dict[str, str]) -> tuple[str, str]:
    return record["target"], record["version"]


def comparable() -> list[dict[str, str]]:
    return [record for record in records() if is_comparable(record) and "bra" not in record["stmt"]]


def test_statements_of_each_group() -> None:
    """The corpus's groups are rules: a table and an instruction, a kind of address, constants of an instruction."""
    plain = [record for record in comparable() if machine(record) == ("sm_100a", "9.0")]
    groups = defaultdict[str, list[dict[str, str]]](list)
    for record in plain:
        groups[record["group"]].append(record)
    sample = [record for found in groups.values() for record in found[:: len(found) // 2 + 1]]
    assert len(sample) > 80
    assert differing(sample) == []


def test_a_statement_reads_nothing_that_another_one_stored() -> None:
    registers = {"target": "sm_100a", "version": "9.0", "decls": ".reg .b32 d, p;"}
    store, load = ({**registers, "stmt": f"{each};"} for each in ("st.shared.b32 [p], d", "ld.shared.b32 d, [p]"))
    assert differing([store, load]) == []


@pytest.mark.sweep
@pytest.mark.parametrize("part", range(PARTS))
def test_all_statements_that_ptxas_accepts(part: int) -> None:
    for _, some in groupby(sorted(comparable(), key=machine)[part::PARTS], machine):
        assert differing(list(some)) == []
