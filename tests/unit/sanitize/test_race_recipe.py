"""docs/recipes/find-a-race.md: its files and commands, copied and pasted."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import openptx

RECIPE = Path(__file__).parents[3] / "docs" / "recipes" / "find-a-race.md"


def test_the_recipe_works_as_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = dict(re.findall(r"^```(\w+)\n(.*?)^```", RECIPE.read_text("utf-8"), re.DOTALL | re.MULTILINE))
    for name, kind in (("sum.cu", "cuda"), ("sum.ptx", "ptx"), ("test_sum.py", "python")):
        (tmp_path / name).write_text(blocks[kind], "utf-8")
    done: list[subprocess.CompletedProcess[str]] = []
    for command in re.findall(r"^\$ (.*)$", blocks["console"], re.MULTILINE):
        command = re.sub(r"^openptx", f"{sys.executable} -m openptx", command)
        done.append(subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path, timeout=120))
    assert [(each.returncode, each.stderr) for each in done] == [(0, ""), (1, ""), (0, ""), (0, "")]
    assert done[1].stdout == blocks["text"]
    assert done[3].stdout == ""
    monkeypatch.chdir(tmp_path)
    tests: dict[str, object] = {}
    exec(blocks["python"], tests)
    run, watch = tests["test_sum"], tests["test_no_races"]
    assert callable(run)
    assert callable(watch)
    run()
    with pytest.raises(openptx.SanitizerError, match=r"shared variable `s`"):
        watch()
