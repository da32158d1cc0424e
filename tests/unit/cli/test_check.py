"""`openptx check`: files, folders, stdin, formats, selection, exit statuses."""

from __future__ import annotations

import io
import json
import os
import re
import sys

import pytest

from openptx.cli.statistics import statistics
from openptx.diagnostics import SAFE, Diagnostic, Fix
from openptx.source import File

GOOD = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n"
BAD = GOOD.replace("ret;", ".reg .b32 %r<4>; mov.u32 %r1, 42u; ret;")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "good.ptx").write_text(GOOD)
    (tmp_path / "bad.ptx").write_text(BAD)
    (tmp_path / "notes.txt").write_text("no PTX")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "bad.ptx").write_text(BAD)
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "bad.ptx").write_text(BAD)
    return tmp_path


def test_clean(openptx, folder):
    assert openptx("check", folder / "good.ptx") == type(openptx())(0, "All checks passed.\n", "")


def test_errors(openptx, folder):
    done = openptx("check", folder / "bad.ptx")
    assert done.status == 1
    assert done.err == ""
    assert f"error[PTX0004]: `42u` is not a number\n  --> {folder}/bad.ptx:4:" in done.out
    assert done.out.endswith("\nFound 1 error in 1 file.\n1 fixable with `--fix`.\n")


def test_a_folder_means_the_ptx_files_below_it(openptx, folder):
    done = openptx("check", folder, "--output-format", "concise")
    assert [line.split(":")[0] for line in done.out.splitlines()[:-1]] == [
        f"{folder}/bad.ptx",
        f"{folder}/inner/bad.ptx",
    ]
    assert done.status == 1


def test_a_folder_without_ptx(openptx, tmp_path):
    done = openptx("check", tmp_path)
    assert done == type(done)(0, "Nothing to check.\n", f"warning: no *.ptx in {tmp_path}\n")


def test_stdin(openptx, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BAD.encode())))
    done = openptx("check", "-", "--output-format", "concise")
    assert done.out.startswith("<stdin>:4:")


def test_json(openptx, folder):
    (found,) = json.loads(openptx("check", folder / "bad.ptx", "--output-format", "json").out)
    assert (found["code"], found["name"], found["severity"]) == ("PTX0004", "invalid-integer", "error")
    assert found["filename"] == str(folder / "bad.ptx")
    assert found["location"]["row"] == 4
    assert json.loads(openptx("check", folder / "good.ptx", "--output-format", "json").out) == []


def test_sarif_and_github(openptx, folder):
    assert json.loads(openptx("check", folder / "good.ptx", "--output-format", "sarif").out)["version"] == "2.1.0"
    assert openptx("check", folder / "good.ptx", "--output-format", "github").out == ""
    assert openptx("check", folder / "bad.ptx", "--output-format", "github").out.startswith("::error title=openptx")


def test_files_of_the_current_folder_have_the_names_of_the_repository(openptx, folder, monkeypatch):
    monkeypatch.chdir(folder)
    found = openptx("check", ".", "bad.ptx", "--output-format", "github").out
    assert re.findall("file=(.*?),", found) == ["bad.ptx", "inner/bad.ptx"]


def test_a_file_that_cannot_be_read_does_not_keep_the_others_from_being_checked(openptx, folder):
    (folder / "a.cubin").write_bytes(b"\x7fELF\0\0")
    done = openptx("check", folder / "none.ptx", folder / "a.cubin", folder / "bad.ptx", "--output-format", "concise")
    assert done.status == 2
    assert f"error: {folder}/none.ptx: No such file or directory\n" in done.err
    assert f"error: {folder}/a.cubin: this is not PTX text but an ELF object" in done.err
    assert f"{folder}/bad.ptx:4" in done.out


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_that_may_not_be_read(openptx, folder):
    (folder / "good.ptx").chmod(0)
    done = openptx("check", folder / "good.ptx")
    assert done == type(done)(2, "", f"error: {folder}/good.ptx: Permission denied\n")


@pytest.mark.parametrize(
    ("options", "status"),
    [
        (["--select", "PTX00"], 1),
        (["--select", "ptx0004"], 1),
        (["--select", "invalid-integer"], 1),
        (["--select", "PTX03"], 0),
        (["--select", "PTX03,PTX0004"], 1),
        (["--ignore", "PTX0004"], 0),
        (["--ignore", "PTX"], 0),
        (["--ignore", "PTX01"], 1),
        (["--select", "PTX00", "--ignore", "PTX0004"], 0),
        (["--select", "PTX0004", "--ignore", "PTX00"], 1),
    ],
)
def test_selection(openptx, folder, options, status):
    assert openptx("check", folder / "bad.ptx", *options).status == status


def test_selection_of_a_code_that_is_not_there(openptx, folder):
    done = openptx("check", folder / "bad.ptx", "--select", "PTX0999")
    assert done.status == 2
    assert "no code `PTX0999`" in done.err


def test_colour_is_for_terminals_and_on_request(openptx, folder, monkeypatch):
    assert "\x1b" not in openptx("check", folder / "bad.ptx").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[1;31merror[PTX0004]" in openptx("check", folder / "bad.ptx").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in openptx("check", folder / "bad.ptx").out


@pytest.mark.parametrize(
    "text", ["", "\n", "   ", "\0", "@@@@", "{" * 2000, "[" * 2000, "/*", '"', "a" * 100_000, ";" * 5000]
)
def test_nonsense_is_found_wrong_and_nothing_more(openptx, tmp_path, text):
    (tmp_path / "k.ptx").write_text(text)
    done = openptx("check", tmp_path / "k.ptx")
    assert done.status == 1
    assert "mistake in OpenPTX" not in done.err


MANY = GOOD.replace(
    "ret;", ".reg .b32 %r<4>; add.s32 %r1, 1, 2 \n add.s32 %r1, 1, 2 \n mov.u32 %rr1, 1;\n mov.u32 %x, 1;\n ret;"
)


def test_statistics(openptx, tmp_path):
    (tmp_path / "many.ptx").write_text(MANY)
    done = openptx("check", tmp_path / "many.ptx", "--statistics")
    assert done.status == 1
    assert done.out.splitlines() == ["2\tPTX0102\t[*] missing-semicolon", "2\tPTX0201\t[ ] unknown-name"]
    rows = json.loads(openptx("check", tmp_path / "many.ptx", "--statistics", "--output-format", "json").out)
    name, count = {"code": "PTX0102", "name": "missing-semicolon"}, {"count": 2, "fixable": True, "fixable_count": 2}
    assert rows[0] == {**name, "severity": "error", **count}
    found = json.loads(openptx("check", tmp_path / "many.ptx", "--output-format", "json").out)
    assert sum(row["count"] for row in rows) == len(found)


def test_statistics_tell_codes_of_which_some_findings_have_a_safe_fix():
    file, fix = File("k.ptx", "x"), Fix((0, 1), "", "remove it", SAFE)
    found = [Diagnostic("syntax", "wrong", file, (0, 1), fix=each) for each in (fix, None, None)]
    assert statistics(found, "full") == "3\tPTX0101\t[-] syntax\n"


def test_statistics_of_clean_files_and_in_formats_that_have_none(openptx, folder):
    done = openptx("check", folder / "good.ptx", "--statistics")
    assert (done.status, done.out, done.err) == (0, "", "")
    assert openptx("check", folder / "good.ptx", "--statistics", "--output-format", "json").out == "[]\n"
    done = openptx("check", folder / "bad.ptx", "--statistics", "--output-format", "sarif")
    assert (done.status, done.out) == (2, "")
    assert "--statistics has no output format `sarif`" in done.err


def test_many_files_in_several_processes_are_what_they_are_in_one(openptx, folder, monkeypatch):
    from openptx.cli import workers

    for number in range(20):
        (folder / f"{number:02}.ptx").write_text(BAD if number % 3 else GOOD)
    (folder / "zz.ptx").write_bytes(b"\x7fELF\0")
    for format in ("json", "sarif", "full"):
        monkeypatch.setattr(workers, "WORTH_IT", 1 << 60)
        alone = openptx("check", folder, "--output-format", format)
        monkeypatch.setattr(workers, "WORTH_IT", 0)
        assert openptx("check", folder, "--output-format", format) == alone
        assert alone.status == 2
        assert "zz.ptx: this is not PTX text" in alone.err


def test_a_target_that_there_is_not(openptx, tmp_path):
    path = tmp_path / "empty.ptx"
    path.write_text(".version 8.0\n.target sm_80\n")
    assert openptx("check", path, "--target", "sm_90a").status == 0
    done = openptx("check", path, path, "--target", "SM_90")
    assert (done.status, done.out, done.err) == (2, "", "error: no target `SM_90`: did you mean sm_90?\n")
