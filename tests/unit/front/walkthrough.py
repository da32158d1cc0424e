"""Runs the examples of a document: Python, and commands, which print what it shows. A line `...` stands for any number
of lines."""

from __future__ import annotations

import gc
import io
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import openptx
from openptx.cli import main

ROOT = Path(__file__).parents[3]
BLOCK = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.M | re.S)
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", re.M)
PROMPT = re.compile(r"^\(openptx\) (.*)\n", re.M)
PROGRAMS = re.compile(r"(?:\$ )?(?:openptx|python|make|pip|cd|sed|nvcc) ")
"""How a block of commands begins."""
RAISES = re.compile(r"# raises openptx\.(\w+)$", re.M)
PRINTS = re.compile(r"^print\(.*\)\s+# (\[.*)$", re.M)


class Example(NamedTuple):
    """A block of Python or of commands."""

    language: str
    text: str


def blocks(document: str) -> list[tuple[str, str]]:
    """The language and text of each code block of a document, named by its path."""
    return BLOCK.findall((ROOT / document).read_text("utf-8"))


def examples(document: str) -> Iterator[Example]:
    """The blocks that can be run."""
    for language, text in blocks(document):
        if language == "python" or (language in ("", "console") and PROGRAMS.match(text)):
            yield Example(language, text)


def saxpy() -> str:
    """The kernel that the README shows, which other documents use."""
    return dict(blocks("README.md"))["ptx"]


def run_example(
    example: Example, names: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Runs it in the current folder. `names` are those that Python examples of a document share."""
    if example.language == "python":
        run_python(example.text, names, capsys)
    elif example.text.startswith("$ "):
        require_shown(example.text, monkeypatch, capsys)
    else:
        for command in example.text.splitlines():
            assert run(command, monkeypatch) in (0, 1), command


def run_python(text: str, names: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    """Python prints the arrays that comments after `print` show, and ends as a comment `# raises` says."""
    code = compile(text, "<example>", "exec")
    if raised := RAISES.search(text):
        with pytest.raises(getattr(openptx, raised[1])):
            exec(code, names)
    else:
        exec(code, names)
    if shown := PRINTS.findall(text):
        assert capsys.readouterr().out.splitlines() == shown


def require_shown(text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Runs the commands of a block and compares what they print. Returns the commands."""
    commands: list[str] = []
    for command, output in COMMAND.findall(text):
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in PROMPT.findall(output))))
        run(command.replace("\\\n", " "), monkeypatch)
        done = capsys.readouterr()
        pattern = re.escape(offsets(PROMPT.sub("", output))).replace(re.escape("...\n"), "(?s:.*)")
        assert re.fullmatch(pattern, offsets(done.out + done.err)), (command, done)
        commands.append(command)
    return commands


def offsets(text: str) -> str:
    """The text with the low 32 bits of addresses: slots depend on what this process allocated before."""
    return re.sub(r"\b0x[0-9a-f]+([0-9a-f]{8})\b", r"0x\1", text)


def run(command: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """A command of OpenPTX and `cd` in this process, another one in a shell. Returns its exit status."""
    program, *arguments = shlex.split(command, comments=True)
    if program == "cd":
        monkeypatch.chdir(*arguments)
        return 0
    if program != "openptx":
        return subprocess.run(["bash", "-c", command], check=True).returncode
    try:
        return main(arguments)
    finally:
        gc.enable()  # which `check` leaves off
