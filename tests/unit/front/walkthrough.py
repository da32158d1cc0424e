"""Runs the examples of a document: its commands print what it shows. A line `...` stands for any number of lines."""

from __future__ import annotations

import gc
import io
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from openptx.cli import main

ROOT = Path(__file__).parents[3]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", re.M)
PROMPT = re.compile(r"^\(openptx\) (.*)\n", re.M)


def blocks(document: str) -> list[tuple[str, str]]:
    """The language and text of each code block of a document, named by its path."""
    return BLOCK.findall((ROOT / document).read_text("utf-8"))


def saxpy() -> str:
    """The kernel that the README shows, which other documents use."""
    return dict(blocks("README.md"))["ptx"]


def require_shown(text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Runs the commands of a block and compares what they print. Returns the commands."""
    commands: list[str] = []
    for command, output in COMMAND.findall(text):
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in PROMPT.findall(output))))
        run(command.replace("\\\n", " "))
        done = capsys.readouterr()
        pattern = re.escape(offsets(PROMPT.sub("", output))).replace(re.escape("...\n"), "(?s:.*)")
        assert re.fullmatch(pattern, offsets(done.out + done.err)), (command, done)
        commands.append(command)
    return commands


def offsets(text: str) -> str:
    """The text with the low 32 bits of addresses: slots depend on what this process allocated before."""
    return re.sub(r"\b0x[0-9a-f]+([0-9a-f]{8})\b", r"0x\1", text)


def run(command: str) -> None:
    """A command of OpenPTX in this process, another one in a shell."""
    if not command.startswith("openptx "):
        subprocess.run(["bash", "-c", command], check=True)
        return
    try:
        main(shlex.split(command)[1:])
    finally:
        gc.enable()  # which `check` leaves off
