"""`openptx check --max-errors`: the number of findings shown, and the count of the others."""

from __future__ import annotations

import json

import pytest

import openptx as package
from openptx.check.repairs import second_check

WRONG = "add.f32 f, f, 1;\n"


@pytest.fixture
def many(tmp_path, monkeypatch):
    monkeypatch.setattr(second_check, "ROOM", 0)  # a hundred files with a fix each are not checked

    def write(count):
        path = tmp_path / "many.ptx"
        head = ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { .reg .f32 f; .reg .b64 d;\n"
        path.write_text(f"{head}mov.f32 f, 0f00000000;\n{WRONG * count}ret;\n}}\n")
        return path

    return write


@pytest.mark.parametrize(("format", "count", "options", "shown"), [
    ("full", 100, (), 100), ("full", 105, (), 100), ("concise", 105, (), 100), ("concise", 30, ("--max-errors", 7), 7),
    ("full", 105, ("--max-errors", 0), 105), ("concise", 105, ("--max-errors", 1000), 105),
])  # fmt: skip
def test_people_are_shown_the_first(openptx, many, format, count, options, shown):
    done = openptx("check", "--output-format", format, *options, many(count))
    assert done.status == 1
    assert done.out.count("error[PTX0315]") == shown
    more = f"Not shown: {count - shown} errors more. `--max-errors 0` shows all."
    assert (more in done.out) == (shown < count)
    assert "Not shown" not in done.err


@pytest.mark.parametrize("format", ["json", "sarif", "github"])
def test_programs_are_told_all_unless_they_ask_for_less(openptx, many, format):
    def count(text):
        return text.count("\n") if format == "github" else len(
            json.loads(text) if format == "json" else json.loads(text)["runs"][0]["results"]
        )  # fmt: skip

    done = openptx("check", "--output-format", format, many(105))
    assert (count(done.out), done.err) == (105, "")
    done = openptx("check", "--output-format", format, "--max-errors", 9, many(30))
    assert count(done.out) == 9
    assert "Not shown: 21 errors more" in done.err


@pytest.mark.parametrize("value", ["-1", "many", "1.5"])
def test_a_number_that_is_none(openptx, many, value):
    assert openptx("check", "--max-errors", value, many(1)).status == 2


def test_a_launch_of_a_wrong_file_shows_the_first_too(openptx, many):
    done = openptx("run", many(105), "--grid", 1, "--block", 1)
    assert done.err.count("error[PTX0315]") == 100
    assert "Not shown: 5 errors more" in done.err


def test_python_gets_all_unless_it_asks_for_less(many):
    path = many(105)
    found = package.check(path)
    assert len(found) == 105
    assert [d.span for d in package.check(path, max_errors=9)] == [d.span for d in found[:9]]
    with pytest.raises(package.CheckError) as caught:
        package.load(path)
    assert len(caught.value.diagnostics) == 105
    assert str(caught.value).count("error[PTX0315]") == 100
    for wrong in (0, -1, 1.5, "3"):
        with pytest.raises(package.Error, match="`max_errors` is a whole number from 1"):
            package.check(path, max_errors=wrong)
