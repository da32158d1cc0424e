"""`openptx completion`: the scripts complete in the shells that they are for."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from openptx.cli import main
from openptx.cli.commands import COMMANDS

BASH = """
source {script}
complete_as() {{
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
    function=$(complete -p openptx | sed 's/.*-F \\([^ ]*\\).*/\\1/')
    $function openptx "${{COMP_WORDS[COMP_CWORD]}}" "${{COMP_WORDS[COMP_CWORD - 1]}}"
    echo "${{COMPREPLY[*]}}"
}}
complete_as {words}
"""


def completions(shell: str, script: Path, words: list[str]) -> list[str]:
    """What a shell offers for the last of the words."""
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell}")
    if shell == "bash":
        text = BASH.format(script=script, words=" ".join(f"'{word}'" for word in words))
    else:
        text = f"source {script}; complete -C '{' '.join(words)}'"
    done = subprocess.run([shell, "-c", text], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    return done.stdout.split() if shell == "bash" else [line.partition("\t")[0] for line in lines]


@pytest.fixture(params=["bash", "fish"])
def shell(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def script(shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    assert main(["completion", shell]) == 0
    path = tmp_path / "script"
    path.write_text(capsys.readouterr().out, "utf-8")
    return path


def test_commands_options_choices_and_files(shell: str, script: Path, tmp_path: Path) -> None:
    (tmp_path / "kernel.ptx").write_text("", "utf-8")
    for words, wanted in (
        (["openptx", ""], set(COMMANDS)),
        (["openptx", "check", "--output-f"], {"--output-format"}),
        (["openptx", "check", "--output-format", ""], {"full", "concise", "json", "sarif", "github"}),
        (["openptx", "run", "--engine", "n"], {"native"}),
        (["openptx", "check", f"{tmp_path}/ker"], {f"{tmp_path}/kernel.ptx"}),
        (["openptx", "completion", ""], {"bash", "zsh", "fish"}),
    ):
        assert wanted <= set(completions(shell, script, words)) <= wanted | {"-h", "--help", "-V", "--version"}


def test_zsh_knows_all_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "zsh"]) == 0
    script = capsys.readouterr().out
    assert script.startswith("#compdef openptx")
    assert all(f'"{name}:' in script or f"{name}:" in script for name in COMMANDS)
