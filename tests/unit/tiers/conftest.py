"""Fixtures for tests of tiers: compilation is controlled, and the engine of each launch recorded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from openptx.engines.auto import costs
from openptx.engines.common.engine import PreparedLaunch
from openptx.engines.native import entry as native
from openptx.engines.native import settings
from openptx.engines.native.runtime import compiled_kernel
from openptx.engines.tiers import service


@pytest.fixture
def never_here(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Tiers are on, for small kernels too; nothing is compiled in this process."""

    def here(*_: Any) -> Any:
        raise AssertionError("compiled by the process that launches")

    for limit in ("AT_ONCE", "AT_ONCE_ALONE", "ASKED", "SHARE"):
        monkeypatch.setattr(costs, limit, 0.0)
    monkeypatch.setattr(compiled_kernel, "lower_kernel", here)
    service.close()
    monkeypatch.setenv("OPENPTX_TIERS", "1")
    with settings.cache_at(None):
        yield
    service.close()


@pytest.fixture
def only_a_server(never_here: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server makes all code."""
    monkeypatch.setattr(service, "may_fork", bool)


@pytest.fixture
def native_runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the kernels that ran as machine code."""
    seen, run = list[str](), native.run

    def noted(prepared: PreparedLaunch, **options: Any) -> Any:
        shared = run(prepared, **options)
        seen.append(prepared.function.name)
        return shared

    monkeypatch.setattr(native, "run", noted)
    return seen
