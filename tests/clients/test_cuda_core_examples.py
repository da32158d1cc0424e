"""The examples of cuda.core under `openptx exec`, from the checkout of cuda-python in OPENPTX_CUDA_PYTHON."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tally import Suite

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
pytest.importorskip("cuda.core", reason="cuda.core is not installed: make clients")

cuda_python: Any = import_module("conformance.cuda_python")
outcome: Any = import_module("conformance.outcome")

CHECKOUT = Path(os.environ.get("OPENPTX_CUDA_PYTHON") or "build/clients/cuda-python").resolve()
CASES: dict[str, Path] = cuda_python.examples(CHECKOUT, "core")
REASONS: dict[str, str] = outcome.reasons("cuda_python")

pytestmark = [
    pytest.mark.sweep,
    pytest.mark.skipif(not CASES, reason="OPENPTX_CUDA_PYTHON names no checkout of cuda-python"),
]


@pytest.mark.parametrize("name", CASES)
def test_agrees_or_has_a_reason(name: str, tally: Callable[[str], Suite]) -> None:
    found = cuda_python.attempt(name, CASES[name], CHECKOUT)
    status = "passed" if found.status == "agreed" else "failed"
    tally("cuda.core's examples").count(name, status, found.detail, REASONS.get(name))
    assert found.status == "agreed" or name in REASONS, found.detail
