"""`openptx.triton` without Triton can be imported and says what to install."""

from __future__ import annotations

import sys

import pytest

import openptx
from openptx.errors import ArgumentError


@pytest.fixture
def no_triton(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "triton", None)
    monkeypatch.setitem(sys.modules, "triton.runtime", None)


def test_it_says_what_to_install(no_triton: None) -> None:
    with pytest.raises(ArgumentError, match="`pip install triton`"):
        openptx.triton.activate("sm_90")
    assert openptx.triton.active_target() is None
    openptx.triton.deactivate()


def test_targets_are_checked_first(no_triton: None) -> None:
    with pytest.raises(ArgumentError, match="no target `sm_7`"):
        openptx.triton.activate("sm_7")
