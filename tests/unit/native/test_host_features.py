"""The target processor of compilation: extensions can be disabled, to test and measure older processors."""

from __future__ import annotations

import pytest

from openptx.llvm.host import WITHOUT, host, left_out


def test_extensions_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(WITHOUT, "avx512, f16c")
    less = host.__wrapped__()
    assert not (less.avx512)
    assert not (less.permute)
    assert not (less.permutes_bytes)
    assert not (less.fp16)
    assert not (less.f16c)
    assert less.avx2 == host().avx2
    assert less.name == host().name
    assert "+avx512" not in less.features
    assert "+f16c" not in less.features


def test_all_extensions_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(WITHOUT, raising=False)
    every = host.__wrapped__()
    for value in ("", " , "):
        monkeypatch.setenv(WITHOUT, value)
        assert host.__wrapped__() == every


def test_only_what_the_processor_has_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"avx2": True, "avx512f": True, "avx512vl": True, "avx512fp16": False}
    monkeypatch.setenv(WITHOUT, "avx512")
    assert left_out(found) == ["avx512f", "avx512vl"]
    monkeypatch.setenv(WITHOUT, "")
    assert left_out(found) == []
