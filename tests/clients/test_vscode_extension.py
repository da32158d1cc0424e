"""The debug adapter and the grammar of editors/vscode, driven by VS Code's own test client and grammar engine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXTENSION = Path(__file__).parents[2] / "editors" / "vscode"


@pytest.mark.parametrize("what", ["adapter", "grammar"])
def test_with_the_packages_of_vs_code(what: str) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node")
    if not (EXTENSION / "node_modules" / "@vscode" / "debugadapter-testsupport").is_dir():
        pytest.skip("@vscode/debugadapter-testsupport is not installed: make editors")
    done = subprocess.run(
        [node, "--test", f"test/{what}.test.js"],
        cwd=EXTENSION,
        env={**os.environ, "OPENPTX_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "# fail 0" in done.stdout
