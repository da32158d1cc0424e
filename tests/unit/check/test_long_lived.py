"""A process that checks any number of files, such as the language server: what it remembers has a limit."""

from __future__ import annotations

from weakref import ref

import pytest

from openptx.check import check
from openptx.check.forms import verdicts
from openptx.check.operand import kinds
from openptx.isa.types import TYPES
from openptx.source import File

HEAD = ".version 8.5\n.target sm_80\n.address_size 64\n"


def findings(number: int) -> list[str]:
    body = f".local .b8 x[{number}]; .reg .b64 a; mov.u64 a, x; st.local.u8 [a+{number}], 1; add.f32 a, a, {number};"
    return [str(found) for found in check(File("k.ptx", f"{HEAD}.entry k() {{ {body} ret; }}\n"))]


def test_kinds_that_nothing_refers_to_are_forgotten() -> None:
    forgotten = ref(kinds.variable("b8", "local", 12_345, 1, (12_345,), 1, "an array"))
    assert forgotten() is None
    kept = kinds.register(TYPES["b32"])
    assert kinds.register(TYPES["b32"]) is kept


def test_composed_kinds_have_a_limit() -> None:
    register = kinds.register(TYPES["b32"])
    kept = kinds.composed(kinds.LIST, (register,) * 70)
    again = [kinds.composed(kinds.LIST, (kinds.integer(1 << n % 60),) * (n // 60 + 1)) for n in range(20_000)]
    assert kinds.composed(kinds.LIST, (register,) * 70) is kept
    assert kinds.composed(kinds.LIST, (kinds.integer(1),)) is again[0]
    assert kinds.composed.cache_info().currsize <= 1 << 14


def test_verdicts_are_replaced_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    before = [findings(number) for number in range(1, 9)]
    monkeypatch.setattr(verdicts, "_MOST", 2)
    monkeypatch.setattr(verdicts, "_VERDICTS", kept := dict[object, verdicts.Verdicts]())
    assert [findings(number) for number in range(1, 9)] == before
    assert all(len(known) <= 12 for known in kept.values())


def test_contexts_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "_MOST_CONTEXTS", 3)
    monkeypatch.setattr(verdicts, "_VERDICTS", kept := dict[object, verdicts.Verdicts]())
    for target in ("sm_70", "sm_75", "sm_80", "sm_86", "sm_90", "sm_100"):
        assert not check(File("k.ptx", f".version 8.7\n.target {target}\n.entry k() {{ membar.gl; ret; }}\n"))
        assert len(kept) <= 3
