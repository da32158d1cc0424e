"""The Makefile says why an environment cannot be made, and makes it again when its Python is gone."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
MAKEFILE = Path(__file__).parents[3] / "Makefile"


def make(folder: Path, target: str, python: str = sys.executable) -> str:
    """What make prints to stderr; it fails."""
    command = ["make", "-f", str(MAKEFILE), "-C", str(folder), f"PYTHON={python}", target]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    return done.stderr


def script(folder: Path, commands: str) -> str:
    """A Python that is a script of the shell."""
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{commands}\n")
    path.chmod(0o755)
    return str(path)


def with_venv(folder: Path, commands: str) -> str:
    """A Python that runs `commands` in place of `python -m venv`."""
    return script(folder, f'if [ "$1" = -m ]; then {commands}; fi\nexec {sys.executable} "$@"')


def test_a_file_is_in_the_way(tmp_path: Path) -> None:
    (tmp_path / ".venv").touch()
    assert "cannot make .venv, which is a file: remove it with make clean" in make(tmp_path, ".venv/bin/python")
    assert (tmp_path / ".venv").exists()


def test_a_link_is_in_the_way(tmp_path: Path) -> None:
    (tmp_path / ".venv").symlink_to("nowhere")
    assert "which is a link to nothing: remove it with make clean" in make(tmp_path, ".venv/bin/python")


def test_venv_says_what_is_wrong(tmp_path: Path) -> None:
    """What it prints is shown, and no half-made environment counts as made."""
    python = with_venv(tmp_path, "mkdir -p .venv/bin; touch .venv/bin/python; echo no space left; exit 1")
    said = make(tmp_path, ".venv/bin/python", python)
    assert "no space left\ncannot make .venv, for the reason above\n" in said
    assert not (tmp_path / ".venv/bin/python").exists()


def test_a_module_is_missing(tmp_path: Path) -> None:
    lacking = "import importlib.util as u, sys; u.find_spec = lambda name: None; exec(sys.argv[2])"
    python = script(tmp_path, f"exec {sys.executable} -c '{lacking}' \"$@\"")
    assert "lacks the module venv: install it (python3-venv on Debian)" in make(tmp_path, ".venv/bin/python", python)


def test_the_python_of_an_environment_is_gone(tmp_path: Path) -> None:
    """The stamps of what was installed in it do not count."""
    (tmp_path / ".venv/bin").mkdir(parents=True)
    (tmp_path / ".venv/bin/python").symlink_to("/nowhere/python3.10")
    (tmp_path / ".venv/.ready").touch()
    make(tmp_path, ".venv/.ready", with_venv(tmp_path, "exit 1"))
    assert not (tmp_path / ".venv/.ready").exists()
