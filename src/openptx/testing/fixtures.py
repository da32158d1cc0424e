"""The pytest plugin's fixtures for Python tests: a loader of PTX beside the test, launches, comparison of bits."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from openptx.runtime import load
from openptx.runtime.module import Kernel, LoadedModule


class Loader:
    """Loads PTX for a test: `ptx("scale.ptx")` beside the test's file, or text. Repeated loads return the same
    module."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.known: dict[tuple[str, str], LoadedModule] = {}

    def __call__(self, source: str, **options: Any) -> LoadedModule:
        """A module; `options` and errors are those of `openptx.load`."""
        is_text = "\n" in source or "{" in source
        named = source if is_text or os.path.isabs(source) else os.path.join(self.folder, source)
        key = named, repr(sorted(options.items()))
        if key not in self.known:
            self.known[key] = load(named, **options)
        return self.known[key]


class Launcher:
    """Launches kernels with the engine and the sanitizers of pytest's command line."""

    def __init__(self, engine: str, sanitize: str | None) -> None:
        self.engine, self.sanitize = engine, sanitize

    def __call__(self, kernel: Kernel, grid: Any, block: Any, arguments: Sequence[object], **options: Any) -> None:
        """`kernel(grid, block, arguments, **options)`, whose options override those of the command line."""
        asked: dict[str, Any] = {"engine": self.engine, "sanitize": self.sanitize, **options}
        kernel(grid, block, arguments, **asked)
