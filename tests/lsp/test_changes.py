"""After any changes a file has the text that the editor has, and the findings of a file that is opened with it."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("pygls")

from hypothesis import example, given, settings
from hypothesis import strategies as st
from lsprotocol import types

from openptx.check.fast import FastPath
from openptx.lsp import findings, outline
from openptx.lsp.open_file import OpenFile
from openptx.lsp.server import Session, Superseded
from openptx.source import File

UTF_16 = types.PositionEncodingKind.Utf16
FUNCTION = """\
.visible .entry k{0}(.param .u32 n)
{{
    .reg .pred %p;
    .reg .b32 %r<5>;
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    setp.ge.u32 %p, %r2, %r1; // \N{GREEK SMALL LETTER MU}
    @%p bra DONE;
    add.s32 %r3, %r2, %r{1};
DONE:
    ret;
}}
"""
START = ".version 8.0\n.target sm_80\n.address_size 64\n.global .b32 g;\n" + "".join(
    FUNCTION.format(number, register).replace("\n", end)
    for number, register, end in ((0, 1, "\n"), (1, 4, "\r\n"), (2, 2, "\n"))
)
# fmt: off
PIECES = (
    "", "", "x", " ", "\n", "\r", "\r\n", ";", "{", "}", "/*", "*/", "//", '"', "\N{MATHEMATICAL FRAKTUR CAPITAL A}",
    "\N{GREEK SMALL LETTER MU}", "\ud835", "%r1", "add.s32 %r1, %r2, 1;\n", ".reg .b32 %r<9>;", "mov.u32 %r3, g;",
    ".global .b32 h;\n", "DONE:", FUNCTION.format(3, 3),
)
# fmt: on
positions = st.builds(types.Position, st.integers(0, 45), st.integers(0, 40))


@st.composite
def changes(draw: st.DrawFn) -> types.TextDocumentContentChangeEvent:
    text = draw(st.sampled_from(PIECES))
    if draw(st.integers(0, 15)) == 15:
        return types.TextDocumentContentChangeWholeDocument(draw(st.sampled_from((START, "", text))))
    start = draw(positions)
    if draw(st.booleans()):
        return types.TextDocumentContentChangePartial(types.Range(start, start), text)
    rows, units = draw(st.integers(0, 2)), draw(st.integers(0, 9))
    end = types.Position(start.line + rows, units if rows else start.character + units)
    return types.TextDocumentContentChangePartial(types.Range(start, end), text)


def changed(text: str, change: types.TextDocumentContentChangeEvent) -> str:
    """The specification: lines end with LF, CR LF or CR, columns are UTF-16 units, a place beyond a line is its end."""
    if not isinstance(change, types.TextDocumentContentChangePartial):
        return change.text
    start, end = place(text, change.range.start), place(text, change.range.end)
    return text[:start] + change.text + text[end:]


def place(text: str, position: types.Position) -> int:
    offset = 0
    for _ in range(position.line):
        if (end := re.compile(r"\r\n|\r|\n").search(text, offset)) is None:
            return len(text)
        offset = end.end()
    units = position.character
    while offset < len(text) and text[offset] not in "\r\n" and units >= (wide := 1 + (ord(text[offset]) > 0xFFFF)):
        units -= wide
        offset += 1
    return offset


def at(line: int, character: int, text: str) -> types.TextDocumentContentChangePartial:
    position = types.Position(line, character)
    return types.TextDocumentContentChangePartial(types.Range(position, position), text)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(changes(), min_size=1, max_size=3), min_size=1, max_size=4))
@example([[at(7, 0, "x\r")], [at(8, 0, "\n"), at(999, 9, "}")]])
@example([[at(16, 4, "\r"), at(17, 0, "\n")], [at(16, 4, ".global .b32 g;")]])
@example([[types.TextDocumentContentChangeWholeDocument("a\rb")], [at(1, 0, "\n")], [at(2, 1, "\r\n"), at(3, 0, "\n")]])
@example([[at(28, 15, ";")], [at(0, 0, "\n")]])  # the name of a kernel is missing
def test_changes_give_what_opening_gives(
    notifications: list[list[types.TextDocumentContentChangeEvent]],
) -> None:
    file, text = OpenFile("", 0, START, UTF_16), START
    assert findings.diagnostics(file.document)
    assert outline.document_symbols(file.document)
    for version, each in enumerate(notifications, 1):
        file.change(each, version)
        for change in each:
            text = changed(text, change)
        document = file.document
        assert (document.file.text, document.version) == (text, version)
        assert document.file.starts == File("", text).starts
        opened = OpenFile("", version, text, UTF_16).document
        for ask in (findings.diagnostics, outline.document_symbols, outline.folding_ranges):
            assert ask(document) == ask(opened)


def test_a_body_without_findings_is_checked_again_where_a_declaration_before_it_changes() -> None:
    """Its own text is the same."""
    file = OpenFile("", 0, START.replace("add.s32 %r3, %r2, %r2;", "ld.global.b32 %r3, [g];"), UTF_16)
    before = findings.diagnostics(file.document)
    whole = types.Range(types.Position(3, 0), types.Position(3, 99))
    file.change([types.TextDocumentContentChangePartial(whole, ".shared .b32 g;")], 1)
    after = findings.diagnostics(file.document)
    assert len(after) == len(before) + 1
    file.change([types.TextDocumentContentChangePartial(whole, ".global .b32 g;")], 2)
    assert findings.diagnostics(file.document) == before


def test_a_first_check_that_is_given_up_is_made_when_it_is_asked_for() -> None:
    file = OpenFile("", 0, START, UTF_16)
    functions = iter("ab")

    def give_up() -> None:
        if next(functions) == "b":
            raise Superseded

    with pytest.raises(Superseded):
        file.document.check(give_up)
    assert findings.diagnostics(file.document) == findings.diagnostics(OpenFile("", 0, START, UTF_16).document)


def test_bodies_of_a_version_before_a_check_that_was_given_up_are_still_known(monkeypatch: pytest.MonkeyPatch) -> None:
    text = START.replace("%r4", "%r1")
    file = OpenFile("", 0, text, UTF_16)
    assert not findings.diagnostics(file.document)

    def give_up() -> None:
        raise Superseded

    for version in (1, 2):
        file.change([at(version, 99, " ")], version)
        with pytest.raises(Superseded):
            file.document.check(give_up)
    monkeypatch.delattr(FastPath, "accepts")  # no body is checked again
    file.change([types.TextDocumentContentChangeWholeDocument(text)], 3)
    assert not findings.diagnostics(file.document)


class Changing:
    """A connection on which a change arrives while the first function is checked."""

    def __init__(self, uri: str) -> None:
        self.uri = uri

    def changes(self, uri: str) -> bool:
        return uri == self.uri


@pytest.mark.parametrize(("changed_file", "published"), [("", 0), ("other", 1)])
def test_a_first_check_ends_when_the_file_changes(changed_file: str, published: int) -> None:
    sent: list[object] = []
    workspace = SimpleNamespace(position_encoding=UTF_16)
    protocol: Any = SimpleNamespace(workspace=workspace, text_document_publish_diagnostics=sent.append)
    session = Session(protocol)
    file = session.files[""] = session.open("", 0, START.replace("%r4", "%r1"))
    session.check_soon(file)
    connection: Any = Changing(changed_file)
    session.check(connection)
    assert len(sent) == published
