"""Repairs tell errors of one code apart by their kind, not by their words."""

from __future__ import annotations

import pytest

import openptx
from openptx.check.repairs import second_check
from openptx.diagnostics import kinds

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"

# fmt: off
ERRORS = (  # a file, the kind of its error
    (HEAD + ".entry k() { .reg .b32 a; atomicAdd(a, 2); ret; }\n",  kinds.CALL_OF_C),
    (HEAD + ".entry k() { .reg .b32 a; mov.b32 a, 1;\n",            kinds.CUT_OFF),
    (HEAD + ".entry k() { ret; , }\n",                              kinds.STATEMENT),
    (HEAD + ".entry k() { .reg .b32 a; mov.b32 a, ; ret; }\n",      kinds.OPERAND),
    (HEAD.replace("80\n", "80, debug\n") + ".entry k() { ret; }\n", kinds.NO_DEBUG_INFORMATION),
)
# fmt: on


@pytest.mark.parametrize(("text", "kind"), ERRORS)
def test_the_kind_of_an_error(text: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_check, "_LONGEST", 0)  # the errors before repairs
    (found,) = openptx.check(text)
    assert found.kind == kind
    assert found.advising("help", None).kind == kind


# fmt: off
MARKS = (  # a file, the marks of which its error expected one, the name that it is about
    (".entry k() { .reg .b32 a; mov.b32 a 1; ret; }\n",                               ",",  ""),
    (".entry k() { .reg .b32 a; mov.b32 a / 1; ret; }\n",                             ",;", ""),
    (".entry k() { .reg .b32 a; ld.shared.b32 a, [a; ret; }\n",                       "]",  ""),
    (".entry k(.param .b32 a .param .b32 b) { ret; }\n",                              ",",  ""),
    (".shared .b32 a; .global .u64 b = a;\n",                                         "",   "a"),
    (".func f(.param .b32 a);\n.entry k() { call f; ret; }\n",                        "",   "f"),
)
# fmt: on


@pytest.mark.parametrize(("text", "marks", "subject"), MARKS)
def test_what_an_error_expected_and_names(text: str, marks: str, subject: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_check, "_LONGEST", 0)
    found = openptx.check(HEAD + text)[0]
    assert (found.marks, found.subject) == (marks, subject)
    assert (found.advising("help", None).marks, found.advising("help", None).subject) == (marks, subject)
