"""docs/recipes/tinygrad.md, on a copy of the checkout in OPENPTX_TINYGRAD: the wheel has no tests."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("tinygrad", reason="tinygrad is not installed: make clients")
CHECKOUT = os.environ.get("OPENPTX_TINYGRAD", "")
RECIPE = Path(__file__).parents[2] / "docs" / "recipes" / "tinygrad.md"


@pytest.mark.skipif(not CHECKOUT, reason="OPENPTX_TINYGRAD names no checkout of tinygrad")
def test_the_recipe_works_as_it_stands(tmp_path: Path) -> None:
    for part in ("tinygrad", "test", "extra"):
        shutil.copytree(Path(CHECKOUT) / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    commands = re.findall(r"^\$ (.*)$", RECIPE.read_text("utf-8"), re.MULTILINE)
    assert [command.split()[0] for command in commands] == ["pip", "sed", "DEV=MOCK+CUDA:PTX"]
    script = "set -e\n" + "\n".join(commands[1:]).replace("python -m", f"{sys.executable} -m")
    if shutil.which("clang") is None:  # which tinygrad compiles constants with
        script += " -k 'not const and not eye'"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd=tmp_path, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "failed" not in done.stdout
    assert re.search(r"\d+ passed", done.stdout)
