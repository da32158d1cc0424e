"""The compiling process imports from the same path as this one, never from the current folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from openptx.llvm.subprocess_compile import compile_in_subprocess


def test_modules_of_the_current_folder_are_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("json", "struct", "llvmlite", "hashlib"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\nraise SystemExit(7)\n")
    monkeypatch.chdir(tmp_path)
    assert compile_in_subprocess("define i32 @f() { ret i32 7 }")
    assert not (tmp_path / "ran").exists()


def test_a_script_beside_a_module_named_as_one_of_python_s_own(tmp_path: Path) -> None:
    """Python has imported its own modules of these names before, as some interpreters do at start."""
    for name in ("enum", "types", "functools"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(7)\n")
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\n"
        "folder = sys.path.pop(0)\n"
        "import enum, functools, types\n"
        "sys.path.insert(0, folder)\n"
        "from openptx.llvm.subprocess_compile import compile_in_subprocess\n"
        "print(len(compile_in_subprocess('define i32 @f() { ret i32 7 }')) > 0)\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "True\n", done.stderr
