"""Bodies without findings are remembered where another version of the file will be checked, and nowhere else."""

from __future__ import annotations

import pytest

import openptx
from openptx.check import accepted_bodies

RIGHT = ".version 8.0\n.target sm_80\n.entry k() { ret; }\n.entry l() { ret; }\n"


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []

    def add(_: object, key: tuple[int, str], registers: int) -> None:
        found.append(key[1])

    monkeypatch.setattr(accepted_bodies.AcceptedBodies, "add", add)
    return found


def test_a_right_file_keeps_none(added: list[str]) -> None:
    assert not openptx.check(RIGHT)
    assert not added


def test_the_second_check_of_a_wrong_file_keeps_them(added: list[str]) -> None:
    assert len(openptx.check(RIGHT.replace("l() { ret; }", "l() { rett; }"))) == 1
    assert added
