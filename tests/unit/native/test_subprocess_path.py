"""The process that compiles imports from where this one does, never from the folder that it happens to start in."""

from __future__ import annotations

from pathlib import Path

import pytest

from openptx.llvm.subprocess_compile import compile_in_subprocess


def test_modules_of_the_current_folder_are_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("json", "struct", "llvmlite", "hashlib"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\nraise SystemExit(7)\n")
    monkeypatch.chdir(tmp_path)
    assert compile_in_subprocess("define i32 @f() { ret i32 7 }")
    assert not (tmp_path / "ran").exists()
