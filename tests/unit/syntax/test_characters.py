"""Non-ASCII characters, NULs and control characters: rejected where the assembler rejects them, with a fix."""

from __future__ import annotations

from pathlib import Path

import pytest
from character_places import CHARACTERS, PLACES, TEXT, at_every_place, refused

import openptx
from openptx.check.repairs import second_check
from openptx.cli import main
from openptx.diagnostics import SAFE
from openptx.diagnostics.edits import applied
from openptx.source import File

BLANKS = "\v\x1c\x1d\x1e\x1f\x85\xa0\u2003\u2028"
"""What `str.strip` and `\\s` take for blanks and PTX does not."""


def errors(text: str, profile: str = "ptxas") -> list[openptx.Diagnostic]:
    return [found for found in openptx.check(File("k.ptx", text), profile=profile) if found.severity == "error"]


@pytest.mark.parametrize("place", PLACES)
def test_a_character_is_refused_where_the_assembler_refuses_it(place: str) -> None:
    found = {character for character in CHARACTERS if errors(PLACES[place].replace("@", character))}
    assert found == {character for character in CHARACTERS if refused(place, character)}


STRAY = (*BLANKS, "\xe9", "\ufeff", "\0", "\x7f", "\udce9", "\x01")
STEP = 12


@pytest.mark.parametrize("character", STRAY, ids=ascii)
def test_stray_characters_in_code_are_found(character: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each at every twelfth place, so that one or two are tried at each place."""
    monkeypatch.setattr(second_check, "ROOM", 0)  # without fixes for the errors
    assert errors(TEXT) == []
    texts = list(at_every_place(character))[STRAY.index(character) % STEP :: STEP]
    assert [text for text in texts if not errors(text)] == []


@pytest.mark.sweep
@pytest.mark.parametrize("character", STRAY, ids=ascii)
def test_every_stray_character_in_code_is_found(character: str) -> None:
    assert [text for text in at_every_place(character) if not errors(text)] == []


@pytest.mark.parametrize("place", [place for place in PLACES if "section" not in place])
@pytest.mark.parametrize("character", ["\ufeff", "\xa0", "\0", "\x7f", "\v"], ids=ascii)
def test_the_fix_is_safe_and_leaves_nothing(place: str, character: str) -> None:
    if character in ("\xa0", "\v") and place in ("in an identifier", "in a number"):
        return  # a blank there makes two tokens
    text = PLACES[place].replace("@", character)
    for _ in range(3):
        found = errors(text)
        assert all(each.name == "invalid-character" and each.fix and each.fix.applicability == SAFE for each in found)
        text, _ = applied(text, found)
    assert errors(text) == []


def test_two_names_stay_two() -> None:
    body = ".reg .b32 caf\xe9, caf\xe8, \u5909;\nmov.b32 caf\xe9, 1;\nmov.b32 caf\xe8, 2;\nmov.b32 \u5909, 3;\n"
    text = f".version 8.5\n.target sm_90\n.address_size 64\n.entry k()\n{{\n{body}ret;\n}}\n"
    fixed, _ = applied(text, errors(text))
    assert errors(fixed) == []
    assert "mov.b32 caf_u00E8, 2;" in fixed


def test_what_nothing_in_ascii_is_like_is_only_suggested() -> None:
    (found,) = errors(TEXT.replace("add.u32 %r1", "add.u32 \u20ac%r1"))
    assert found.fix is not None
    assert (found.fix.replacement, found.fix.applicability) == ("", "suggestion")


def test_to_the_manual_comments_are_ascii_too() -> None:
    text = "// caf\xe9 \u5909\n" + TEXT
    assert errors(text) == []
    (found,) = errors(text, "isa")
    assert (found.location, found.name) == ((1, 7), "invalid-character")


def test_bytes_in_memory_may_end_as_strings_of_c_do(tmp_path: Path) -> None:
    """NVRTC counts the NUL that ends its program, and programs hand it on; a file that holds it is refused by ptxas."""
    program = TEXT.encode() + b"\0"
    assert openptx.check(program) == []
    assert openptx.load(program).kernels == ("k",)
    file = tmp_path / "k.ptx"
    file.write_bytes(program)
    with pytest.raises(openptx.CheckError, match="U\\+0000"):
        openptx.load(file)


@pytest.mark.parametrize("command", [["check", "--fix"], ["fmt"]])
def test_commands_apply_the_fix(command: list[str], tmp_path: Path) -> None:
    file = tmp_path / "k.ptx"
    file.write_bytes(b"\xef\xbb\xbf" + TEXT.replace("mov.u32 %r2", "mov.u32\xa0%r2").encode() + b"\0\0")
    assert main([*command, str(file)]) == 0
    assert file.read_bytes().isascii()
    assert b"\0" not in file.read_bytes()
    assert errors(file.read_text()) == []
