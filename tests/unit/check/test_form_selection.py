"""Bodies that the fast path accepted are lowered to the same forms that the full checker selects."""

from __future__ import annotations

from pathlib import Path

import pytest

from openptx.check import lower
from openptx.check.checked import CheckedModule
from openptx.check.function_checker import FunctionChecker
from openptx.check.module import ModuleChecker
from openptx.check.names.body import ResolvedInstruction
from openptx.check.names.scopes import Scope
from openptx.errors import Unsupported
from openptx.isa.notation import Form, Modifiers
from openptx.reading import read
from openptx.source import File, Span
from openptx.syntax import parse
from openptx.testing.annotated import HEADER

TESTS = Path(__file__).parents[2]
FOLDERS = {"corpus": (37, 3), "kernels": (388, 10), "spec": (42, 1)}
"""Where PTX is, at least how many files, and one in how many each run compares: a kernel's two to four builds
stand next to each other and share most of their instructions."""


def file_of(path: Path) -> File:
    file = read(path)
    return file if ".version" in file.text else File(file.name, HEADER + file.text)


def checked_forms(file: File, monkeypatch: pytest.MonkeyPatch) -> dict[Span, tuple[Form, Modifiers]]:
    """The form that the full checker chose for each instruction; empty for a file with errors."""
    found: dict[Span, tuple[Form, Modifiers]] = {}
    instruction = FunctionChecker.instruction

    def recorded(self: FunctionChecker, resolved: ResolvedInstruction, scope: Scope) -> None:
        instruction(self, resolved, scope)
        candidate = self.verdicts.candidate(resolved.key)
        if candidate is not None:
            found[resolved.instruction.span] = candidate.form, candidate.m

    checker = ModuleChecker(CheckedModule(parse(file), None, "ptxas", frozenset(("unreachable",))))
    with monkeypatch.context() as patch:
        patch.setattr(FunctionChecker, "instruction", recorded)
        wrong = any(diagnostic.severity == "error" for diagnostic in checker.check())
    return {} if wrong else found


@pytest.mark.parametrize("folder", FOLDERS)
def test_checker_and_lowering_choose_the_same_form(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compare(folder, FOLDERS[folder][1], monkeypatch)


@pytest.mark.sweep
@pytest.mark.parametrize("folder", FOLDERS)
def test_they_do_in_every_file(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compare(folder, 1, monkeypatch)


def compare(folder: str, every: int, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = sorted((TESTS / folder).rglob("*.ptx"))
    assert len(paths) >= FOLDERS[folder][0]
    compared = 0
    for path in paths[::every]:
        file = file_of(path)
        chosen = checked_forms(file, monkeypatch)
        if not chosen:
            continue
        program = lower(file)
        for name in (*program.kernels, *program.functions):
            try:
                code = program.function(name).code
            except Unsupported:
                continue
            last = {op.span: op for op in code}  # those before it stand for a part of its operands
            for span, op in last.items():
                form, m = chosen[span]
                assert (op.form, op.m.written) == (form, m.written), f"{path}: {op.text}"
            compared += len(last)
    assert compared
