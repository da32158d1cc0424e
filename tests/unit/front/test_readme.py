"""What the README shows is what the command prints. A line `...` stands for any number of lines."""

from __future__ import annotations

import gc
import re
import shlex
import shutil
from pathlib import Path

import pytest

from openptx.cli import main

ROOT = Path(__file__).parents[3]
BLOCK = re.compile(r"^```\n\$ openptx ([^\n]*)\n((?:(?!```)[^\n]*\n)+)^```$", re.M)
RECIPE = (ROOT / "docs" / "recipes" / "find-a-race.md").read_text("utf-8")
RACE, RACE_SOURCE = (re.findall(rf"^```{language}\n(.*?)^```$", RECIPE, re.M | re.S)[0] for language in ("ptx", "cuda"))
SHOWN = BLOCK.findall((ROOT / "README.md").read_text("utf-8"))


@pytest.mark.parametrize(("command", "output"), SHOWN, ids=[command.split()[0] for command, _ in SHOWN])
def test_the_readme_is_true(
    command: str, output: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(ROOT / "tests" / "diagnostics" / "grammar" / "subtracted_offset.ptx", tmp_path / "saxpy.ptx")
    (tmp_path / "sum.ptx").write_text(RACE, "utf-8")
    (tmp_path / "sum.cu").write_text(RACE_SOURCE, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    try:
        main(shlex.split(command))
    finally:
        gc.enable()  # which `check` leaves off
    pattern = re.escape(output).replace(re.escape("...\n"), "(?s:.*)")
    assert re.fullmatch(pattern, capsys.readouterr().out)


def test_the_readme_shows_something() -> None:
    assert {command.split()[0] for command, _ in SHOWN} >= {"check", "sanitize", "explain", "convert"}
