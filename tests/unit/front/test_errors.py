"""Errors keep all their data when they are sent to another process."""

from __future__ import annotations

import pickle

import pytest

from openptx.diagnostics import Diagnostic, Label
from openptx.errors import ArgumentError, Bug, CheckError, Fault, Unsupported
from openptx.source import File

FILE = File("k.ptx", "add.u32 %r1, %r2, %r40;\n")
ERRORS = [
    CheckError([Diagnostic("unknown-name", "unknown `%r40`", FILE, (18, 22), labels=(Label((0, 3), "here"),))]),
    Fault("trap", "the kernel executed `trap`", kernel="k", thread=(1, 0, 0), file=FILE, span=(0, 7), notes=("and",)),
    Unsupported("wgmma", file=FILE, span=(0, 3), help="wait"),
    ArgumentError("no"),
    Bug("row 7"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_pickling(error: Exception) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)


def test_an_unexpected_exception_becomes_a_bug_that_names_its_place() -> None:
    from openptx.diagnostics.codes import code

    with pytest.raises(KeyError) as caught:
        code("PTX0999")
    assert "diagnostics/codes/__init__.py:" in str(Bug.of(caught.value))
    assert "KeyError: 'PTX0999'" in str(Bug.of(caught.value))
