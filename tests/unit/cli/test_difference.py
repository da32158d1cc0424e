"""The diff of `check --diff`: applying it with `patch` gives the new text."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from openptx.cli.difference import unified


def patched(old: str, diff: str) -> str:
    """The new text, by the rules of the format: a hunk says where it stands and how many lines it has."""
    lines, out, at = old.splitlines(keepends=True), list[str](), 0
    body = diff.splitlines(keepends=True)[2:]
    while body:
        head, count = body.pop(0).split(), 0
        start, taken = map(int, head[1][1:].split(","))
        new_start, given = map(int, head[2][1:].split(","))
        start -= taken > 0
        out += lines[at:start]
        assert len(out) == new_start - (given > 0)
        at = start
        while body and not body[0].startswith("@@"):
            line = body.pop(0)
            if line.startswith("\\"):
                continue
            text = line[1:].removesuffix("\n") if body and body[0].startswith("\\") else line[1:]
            count += line[0] in " +"
            if line[0] in " -":
                assert lines[at] == text
                at += 1
            if line[0] in " +":
                out.append(text)
        assert (at - start, count) == (taken, given)
    return "".join([*out, *lines[at:]])


TEXT = "".join(f"line {i}\n" for i in range(30))


@pytest.mark.parametrize(
    "new",
    [
        TEXT.replace("line 7", "row 7"),
        TEXT.replace("line 1", "row 1"),
        f"first\n{TEXT}",
        TEXT.removesuffix("\n"),
        TEXT + "last",
        TEXT.replace("line 4\n", "").replace("line 20\n", "line 20\nmore\nand more\n"),
        "",
        "other\n" * 50,
    ],
)
def test_the_diff_gives_the_new_text(new: str, tmp_path: Path) -> None:
    diff = unified(TEXT, new, "k.ptx")
    assert patched(TEXT, diff) == new
    if shutil.which("patch"):
        (tmp_path / "k.ptx").write_text(TEXT)
        subprocess.run(["patch", "-s", "-p0"], input=diff, text=True, check=True, cwd=tmp_path, timeout=60)
        assert (tmp_path / "k.ptx").read_text() == new


def test_random_texts() -> None:
    draw = random.Random(21)
    for _ in range(300):
        old, new = ("".join(draw.choice("ab\n") for _ in range(draw.randrange(60))) for _ in range(2))
        assert patched(old, unified(old, new, "k.ptx")) == new


def test_no_change_and_one_line() -> None:
    assert unified(TEXT, TEXT, "k.ptx") == ""
    assert unified("a\nb", "a\nc\n", "k.ptx") == (
        "--- k.ptx\n+++ k.ptx\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n"
    )
