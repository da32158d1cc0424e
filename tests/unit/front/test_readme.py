"""The README's examples, run in order in one folder, print what it shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from walkthrough import blocks, require_shown, saxpy


def test_the_readme_is_true(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    recipe = dict(blocks("docs/recipes/find-a-race.md"))
    Path("sum.ptx").write_text(recipe["ptx"], "utf-8")
    Path("sum.cu").write_text(recipe["cuda"], "utf-8")
    Path("saxpy.ptx").write_text(saxpy(), "utf-8")
    tried = set[str]()
    for language, text in blocks("README.md"):
        if language == "python":
            exec(text, {})
            assert capsys.readouterr().out == "[4. 4. 4.]\n"
        tried |= {command.split()[1] for command in require_shown(text, monkeypatch, capsys)}
    assert tried >= {"check", "run", "sanitize", "explain", "convert"}
