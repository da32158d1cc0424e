"""Compiling is what is tested here."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from compiled_once import compiled_again


@pytest.fixture(autouse=True)
def _compiled_again() -> Generator[None]:
    with compiled_again():
        yield
