"""The README's examples, in order, in one folder, print what it shows. A line `...` stands for any number of lines."""

from __future__ import annotations

import gc
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from openptx.cli import main

ROOT = Path(__file__).parents[3]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
README = BLOCK.findall((ROOT / "README.md").read_text("utf-8"))
RECIPE = dict(BLOCK.findall((ROOT / "docs" / "recipes" / "find-a-race.md").read_text("utf-8")))
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.M)


def test_the_readme_is_true(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    Path("sum.ptx").write_text(RECIPE["ptx"], "utf-8")
    Path("sum.cu").write_text(RECIPE["cuda"], "utf-8")
    tried = set[str]()
    for language, text in README:
        if language == "ptx":
            Path("saxpy.ptx").write_text(text, "utf-8")
        elif language == "python":
            exec(text, {})
            assert capsys.readouterr().out == "[4. 4. 4.]\n"
        for command, output in COMMAND.findall(text):
            run(command)
            done = capsys.readouterr()
            pattern = re.escape(output).replace(re.escape("...\n"), "(?s:.*)")
            assert re.fullmatch(pattern, done.out + done.err), command
            tried.add(command.split()[1])
    assert tried >= {"check", "run", "sanitize", "explain", "convert"}


def run(command: str) -> None:
    """A command of OpenPTX in this process, another one in a shell."""
    if not command.startswith("openptx "):
        subprocess.run(["bash", "-c", command], check=True)
        return
    try:
        main(shlex.split(command)[1:])
    finally:
        gc.enable()  # which `check` leaves off
