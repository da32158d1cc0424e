"""Examples of documents run as they stand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from walkthrough import ROOT, blocks, require_shown, saxpy

from openptx.testing.discovery import run_test


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    Path("saxpy.ptx").write_text(saxpy(), "utf-8")
    np.save("x.npy", np.arange(1000, dtype=np.float32))


def shown(document: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> int:
    """The number of commands in a document that print what it shows."""
    return sum(len(require_shown(text, monkeypatch, capsys)) for language, text in blocks(document) if not language)


def test_the_debugger(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    Path("twice.ptx").write_text(dict(blocks("docs/debugger.md"))["ptx"], "utf-8")
    assert shown("docs/debugger.md", monkeypatch, capsys) == 1


def test_traces(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT / "tests" / "data" / "cases" / "saxpy4_sm80")
    _, _, text = blocks("docs/trace.md")[0][1].partition("\n")  # without `cd`
    assert len(require_shown(text, monkeypatch, capsys)) == 1


@pytest.mark.sweep
def test_proofs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("z3")
    assert shown("docs/prove.md", monkeypatch, capsys) == 4


def test_annotated_files() -> None:
    Path("annotated.ptx").write_text(dict(blocks("docs/testing.md"))["ptx"], "utf-8")
    result = run_test("annotated.ptx", "auto", None)
    assert (result.status, result.message) == ("passed", "")


def test_memory_of_the_host() -> None:
    names: dict[str, object] = {}
    exec(dict(blocks("docs/device-memory.md"))["python"], names)


def test_the_sanitizer(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert shown("docs/sanitize.md", monkeypatch, capsys) == 1
