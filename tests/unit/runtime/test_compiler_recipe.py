"""docs/recipes/compiler-output.md runs as written."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

RECIPE = Path(__file__).parents[3] / "docs" / "recipes" / "compiler-output.md"


def test_the_recipe_works_as_it_stands(tmp_path: Path) -> None:
    files = re.findall(r"^`([\w./]+\.py)`.*?^```python\n(.*?)^```", RECIPE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert [name for name, _ in files] == ["emitter.py", "test_emitter.py"]
    for name, text in files:
        (tmp_path / name).write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={tmp_path}", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "27 passed" in done.stdout
