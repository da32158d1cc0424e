"""`openptx check --fix` and `--diff`: what is written and reported, and what stays unchanged."""

from __future__ import annotations

import io
import json
import os
import shutil
import stat
import sys
from pathlib import Path

import pytest

import openptx as package
from openptx.cli.fix import ROUNDS, fix
from openptx.diagnostics import SAFE, SUGGESTION, Diagnostic, Fix
from openptx.diagnostics.edits import applied, edits_of
from openptx.source import File

TEN = Path(__file__).parent / "ten_mistakes.ptx"
HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
BROKEN = HEAD + ".entry k() { .reg .b32 %r<4>;\nadd.s32 %r1, 1, 2\nadd.s32 %r1, %rr1, 2;\nret; }\n"
SAFELY = BROKEN.replace("1, 2\n", "1, 2;\n")
WHOLLY = SAFELY.replace("%rr1", "%r1")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "k.ptx"
    path.write_text(BROKEN)
    return path


def test_ten_mistakes(openptx, tmp_path):
    path = tmp_path / "ten.ptx"
    shutil.copy(TEN, path)
    done = openptx("check", "--fix", path)
    assert (done.status, done.out, done.err) == (0, "Fixed 10 errors (0 remaining).\n", "")
    assert package.check(path) == []


def test_safe_fixes_are_written_and_the_rest_is_reported(openptx, file):
    done = openptx("check", file, "--fix")
    assert file.read_text() == SAFELY
    assert (done.status, done.err) == (1, "")
    assert "`%rr1` is not declared" in done.out
    assert done.out.endswith("Found 1 error in 1 file.\nFixed 1 error (1 remaining).\n")


def test_suggestions_are_applied_on_demand(openptx, file):
    done = openptx("check", file, "--fix", "--unsafe-fixes")
    assert (done.status, done.out) == (0, "Fixed 2 errors (0 remaining).\n")
    assert file.read_text() == WHOLLY
    assert openptx("check", file, "--fix").out == "Fixed no errors (0 remaining).\n"


def test_check_says_what_could_be_fixed(openptx, file):
    assert openptx("check", file).out.endswith("\n1 fixable with `--fix`, 1 more with `--unsafe-fixes`.\n")
    file.write_text(SAFELY)
    assert openptx("check", file).out.endswith("\n1 fixable with `--fix --unsafe-fixes`.\n")
    assert "fixable" not in openptx("check", file, "--output-format", "concise").out


def test_selection_holds_for_fixes(openptx, file):
    openptx("check", file, "--fix", "--unsafe-fixes", "--ignore", "missing-semicolon")
    assert file.read_text() == BROKEN.replace("%rr1", "%r1")


def test_stdin_gives_the_fixed_text(openptx, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BROKEN.encode())))
    done = openptx("check", "-", "--fix")
    assert (done.status, done.out) == (1, SAFELY)
    assert "`%rr1` is not declared" in done.err
    assert done.err.endswith("Fixed 1 error (1 remaining).\n")


def test_diff_writes_nothing(openptx, file):
    done = openptx("check", file, "--diff")
    assert (done.status, done.err) == (1, "Would fix 1 error.\n")
    assert done.out.splitlines()[:2] == [f"--- {file}", f"+++ {file}"]
    assert "-add.s32 %r1, 1, 2\n+add.s32 %r1, 1, 2;\n" in done.out
    assert file.read_text() == BROKEN
    file.write_text(WHOLLY)
    done = openptx("check", file, "--diff")
    assert (done.status, done.out, done.err) == (0, "", "No errors would be fixed.\n")


def test_every_place_of_one_mistake_is_fixed(openptx, file):
    file.write_text(BROKEN.replace("add.s32 %r1, %rr1, 2;", "add.s32 %r1, %rr1, 2;\n" * 150))
    done = openptx("check", file, "--fix", "--unsafe-fixes")
    assert (done.status, done.out) == (0, "Fixed 151 errors (0 remaining).\n")


def test_json_has_the_fix(openptx, file):
    semicolon, name = json.loads(openptx("check", file, "--output-format", "json").out)
    place = {"row": 5, "column": 18}
    edit = {"content": ";", "location": place, "end_location": place}
    assert semicolon["fix"] == {"applicability": SAFE, "message": "end the statement", "edits": [edit]}
    assert name["fix"]["applicability"] == SUGGESTION
    assert name["fix"]["edits"][0]["content"] == "%r1"


def test_bytes_that_are_not_utf8_and_line_ends_survive(openptx, file):
    text = b"// caf\xe9\r\n" + BROKEN.replace("\n", "\r\n").encode()
    file.write_bytes(text)
    openptx("check", file, "--fix")
    assert file.read_bytes() == text.replace(b"1, 2\r", b"1, 2;\r")


def test_mode_and_links_are_kept(openptx, file, tmp_path):
    file.chmod(0o640)
    (tmp_path / "folder").mkdir()
    link = tmp_path / "folder" / "link.ptx"
    link.symlink_to(file)
    assert openptx("check", link, "--fix").status == 1
    assert link.is_symlink()
    assert file.read_text() == SAFELY
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert [path.name for path in tmp_path.rglob(".openptx-*")] == []


def test_a_file_that_needs_no_fix_is_not_written(openptx, file):
    file.write_text(SAFELY)
    before = file.stat()
    openptx("check", file, "--fix")
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_what_cannot_be_written_is_told_and_the_others_are_fixed(openptx, file, tmp_path, monkeypatch):
    other = tmp_path / "other.ptx"
    other.write_text(BROKEN)

    def refuse(name: str, target: str) -> None:
        if target == os.fspath(file):
            raise PermissionError(13, "Permission denied", name, None, target)
        real(name, target)

    real = os.replace
    monkeypatch.setattr(os, "replace", refuse)
    done = openptx("check", "--fix", file, other)
    assert (done.status, done.err) == (2, f"error: {file}: Permission denied\n")
    assert (file.read_text(), other.read_text()) == (BROKEN, SAFELY)
    assert list(tmp_path.glob(".openptx-*")) == []


def test_a_file_that_is_not_there(openptx, tmp_path):
    done = openptx("check", "--fix", tmp_path / "none.ptx")
    assert (done.status, done.err) == (2, f"error: {tmp_path}/none.ptx: No such file or directory\n")


def proposing(*fixes: tuple[int, int, str], file: File, also: tuple[tuple[int, int], ...] = ()) -> list[Diagnostic]:
    made = (Fix((start, end), text, "change it", SAFE) for start, end, text in fixes)
    return [Diagnostic("syntax", "wrong", file, fix.span, fix=fix, also=also) for fix in made]


@pytest.mark.parametrize(
    ("fixes", "result", "count"),
    [
        ([(0, 1, "A"), (2, 3, "C")], "AbCdef", 2),
        ([(0, 3, "A"), (2, 4, "C")], "Adef", 1),
        ([(1, 1, ";"), (1, 1, ";")], "a;bcdef", 1),
        ([(1, 2, "B"), (2, 2, ";")], "aB;cdef", 2),
        ([(2, 2, ";"), (2, 3, "C")], "ab;Cdef", 2),
        ([(1, 4, "-"), (2, 2, ";")], "a-ef", 1),
        ([(6, 6, "!")], "abcdef!", 1),
        ([(0, 6, "")], "", 1),
    ],
)
def test_fixes_that_overlap_wait_for_the_next_round(fixes, result, count):
    file = File("k.ptx", "abcdef")
    text, fixed = applied(file.text, proposing(*fixes, file=file))
    assert (text, len(fixed)) == (result, count)


def test_other_places_are_edited_only_where_their_text_is_the_same():
    file = File("k.ptx", "xx yy xx")
    (found,) = proposing((0, 2, "z"), file=file, also=((3, 5), (6, 8)))
    assert edits_of(found) == [((0, 2), "z"), ((6, 8), "z")]


def test_fixes_that_undo_each_other_end():
    def swap(file: File) -> list[Diagnostic]:
        return proposing((0, 1, "b" if file.text == "a" else "a"), file=file)

    assert fix(File("k.ptx", "a"), swap).file.text == "b"


def test_fixes_that_never_end_do():
    def grow(file: File) -> list[Diagnostic]:
        return proposing((0, 0, "a"), file=file)

    assert fix(File("k.ptx", ""), grow).file.text == "a" * ROUNDS
