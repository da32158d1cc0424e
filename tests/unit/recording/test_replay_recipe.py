"""docs/recipes/replay-on-a-laptop.md: its files and commands, copied and pasted."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

RECIPE = Path(__file__).parents[3] / "docs" / "recipes" / "replay-on-a-laptop.md"


def test_the_recipe_works_as_it_stands(tmp_path: Path) -> None:
    text = RECIPE.read_text("utf-8")
    blocks = dict(re.findall(r"^```(\w+)\n(.*?)^```", text, re.DOTALL | re.MULTILINE))
    (tmp_path / "record.py").write_text(blocks["python"], "utf-8")
    (tmp_path / "half.ptx").write_text(blocks["ptx"], "utf-8")
    commands = re.findall(r"^\$ (.*)$", blocks["console"], re.MULTILINE)
    outputs: list[tuple[int, str]] = []
    for command in commands:
        command = re.sub(r"^openptx", f"{sys.executable} -m openptx", command)
        command = re.sub(r"^python", sys.executable, command)
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path, timeout=120)
        outputs.append((done.returncode, done.stdout))
    assert [status for status, _ in outputs] == [0, 0, 0, 1]
    assert "`half`: all 512 bytes are the GPU's" in outputs[1][1]
    for said in ("element 1 as .f32", "(1 ulp apart)", "thread (1, 0, 0)", "st.global.f32 [%rd2], %f2", "mul.rn.f32"):
        assert said in outputs[3][1]
