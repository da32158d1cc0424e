"""The pytest plugin's items for test files. Imported on the first such file, because it needs the whole machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from openptx.testing.discovery import has_annotations, run_test
from openptx.testing.result import FAILED, PASSED, UNSUPPORTED


def collected(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """The test in a `case.json`, or in a PTX file with annotations."""
    if file_path.name == "case.json" or has_annotations(str(file_path)):
        return cast("Any", PtxFile).from_parent(parent, path=file_path)
    return None


class PtxFile(pytest.File):
    """A file with one test in it."""

    def collect(self) -> Iterator[pytest.Item]:
        """The test."""
        name = self.path.parent.name if self.path.name == "case.json" else self.path.stem
        yield cast("Any", PtxTest).from_parent(self, name=name)


class PtxTest(pytest.Item):
    """A case folder or an annotated file."""

    def runtest(self) -> None:
        """Runs it."""
        options = self.config.getoption("--ptx-engine"), self.config.getoption("--ptx-sanitize")
        result = run_test(str(self.path), str(options[0]), str(options[1]) if options[1] else None)
        if result.status == UNSUPPORTED:
            pytest.skip(result.message)
        if result.status != PASSED:
            raise PtxFailure(result.message if result.status == FAILED else f"{result.status}: {result.message}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        """The differences, without a traceback through the runner."""
        return str(excinfo.value) if excinfo.errisinstance(PtxFailure) else str(super().repr_failure(excinfo, style))

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The file, for pytest's lists."""
        return self.path, None, self.name


class PtxFailure(Exception):
    """A PTX test gave a wrong result."""
