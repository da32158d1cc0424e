"""Cases and annotated files in other modes of the native engine: without lane shapes, with two workers."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from test_kernels import CASES, FOLDER, REFERENCE_CASES, check

from openptx.engines.native import entry as native
from openptx.engines.native import settings
from openptx.testing.discovery import find

PATHS = [*CASES, *find([str(FOLDER.parent / "spec")]), *REFERENCE_CASES]


@contextmanager
def two_workers() -> Generator[None]:
    """Launches that leave the number of workers open have two."""
    run = native.run

    def with_two(*args: Any, workers: int | None = None, **options: Any) -> None:
        run(*args, workers=workers or 2, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "run", with_two)
        yield


MODES = {"gathers only": lambda: settings.lane_facts(False), "two workers": two_workers}


@pytest.mark.sweep
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("path", PATHS, ids=lambda path: Path(path).name)
def test_in_another_mode(path: str, mode: str) -> None:
    with MODES[mode](), settings.cache_at(None):
        check(path)
