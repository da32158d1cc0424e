"""`check`, `parse` and `load` agree whether a string is a path or a text."""

from __future__ import annotations

from pathlib import Path

import pytest

import openptx

TEXT = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n"
WRONG = TEXT.replace("ret;", "rett;")


@pytest.fixture
def wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    for name in ("k.ptx", "k.txt"):
        (tmp_path / name).write_text(WRONG)
    return "k.ptx"


@pytest.mark.parametrize("name", ["k.ptx", "k.txt", "./k.ptx"])
def test_a_string_that_names_a_file_is_a_path(wrong: str, name: str) -> None:
    for source in (name, Path(name)):
        (found,) = openptx.check(source)
        assert (found.filename, found.name) == (str(source), "unknown-instruction")
        assert str(openptx.parse(source)) == WRONG
        with pytest.raises(openptx.CheckError, match="rett"):
            openptx.load(source)


@pytest.mark.parametrize("text", [WRONG, WRONG.replace("\n", " "), WRONG.encode()])
def test_any_other_is_text(wrong: str, text: str | bytes) -> None:
    (found,) = openptx.check(text, filename="mine")
    assert (found.filename, found.name) == ("mine", "unknown-instruction")
    with pytest.raises(openptx.CheckError, match="rett"):
        openptx.load(text)


def test_a_file_that_is_not_there(wrong: str) -> None:
    for function in (openptx.check, openptx.parse, openptx.load):
        with pytest.raises(FileNotFoundError, match=r"none\.ptx"):
            function("none.ptx")
    with pytest.raises(FileNotFoundError):
        openptx.load("none")


@pytest.mark.parametrize("text", ["", "\n", "\0", "nonsense", "@@@@", "\ud800", "x" * 100_000, "k.ptx\n", "."])
def test_check_of_any_other_string_finds_errors(wrong: str, text: str) -> None:
    assert [d for d in openptx.check(text) if d.severity == "error"]


def test_bytes_are_never_a_path(wrong: str) -> None:
    assert openptx.check(b"k.ptx")[0].filename == "<string>"


@pytest.mark.parametrize("source", [None, 3, {"text": TEXT}])
def test_what_is_neither(source: object) -> None:
    for function in (openptx.check, openptx.parse, openptx.load):
        with pytest.raises(openptx.ArgumentError, match="PTX is a path, text or bytes, not"):
            function(source)
