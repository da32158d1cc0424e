"""The engine stays a pipeline: few base classes, few entries at the package's top, facts before text."""

from __future__ import annotations

import ast
from pathlib import Path

from openptx.engines import native
from openptx.engines.native.emit.llvm_machine import LlvmMachine

PACKAGE = Path(native.__file__).parent


def test_the_machine_inherits_definitions_and_little_else() -> None:
    own = [c for c in LlvmMachine.__mro__ if c.__module__.startswith("openptx.engines.native")]
    assert len(LlvmMachine.__mro__) <= 22
    assert len(own) <= 10


def test_the_top_of_the_package_is_short() -> None:
    assert len([entry for entry in PACKAGE.iterdir() if not entry.name.startswith("__")]) <= 12


def test_analyses_know_nothing_of_emission() -> None:
    wrong = [
        f"{path.name} imports {node.module}"
        for path in (PACKAGE / "analysis").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and ".native.emit" in (node.module or "")
    ]
    assert wrong == []
