"""The pytest plugin: PTX files are tests, and a mismatch is a failure without a traceback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FUNCTION = ".func (.reg .f32 d) negate (.reg .f32 a) { neg.f32 d, a; ret; }\n"


def test_plugin(tmp_path: Path) -> None:
    (tmp_path / "good.ptx").write_text(FUNCTION + "// run: negate(1.0) == -1.0\n")
    (tmp_path / "bad.ptx").write_text(FUNCTION + "// run: negate(1.0) == 1.0\n")
    (tmp_path / "plain.ptx").write_text(FUNCTION)
    options = ("-p", "openptx.testing.plugin", "-p", "no:cacheprovider", "--ptx-engine", "interp")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1
    assert "1 failed, 1 passed" in done.stdout
    assert "line 2: 0xbf800000 (-1.0), not 1.0" in done.stdout
    assert "Traceback" not in done.stdout
