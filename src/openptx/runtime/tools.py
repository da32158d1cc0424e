"""The tools that a launch asks for by an option: `kernel(..., sanitize="race")`, `kernel(..., debug=True)`.

They are built on this package, so it knows them by name, and imports one when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any


def run_sanitized(kernel: Any, grid: Any, block: Any, args: Any, tools: str | Sequence[str], **options: Any) -> None:
    """Runs a launch of a kernel under the sanitizer. Raises SanitizerError for its findings."""
    import_module("openptx.sanitize.entry").require_clean(kernel, grid, block, args, tools, **options)


def run_debugged(kernel: Any, grid: Any, block: Any, args: Any, **options: Any) -> None:
    """Runs a launch of a kernel under the debugger in the terminal. Raises the error in which it ends."""
    import_module("openptx.debug.launch").debug_launch(kernel, grid, block, args, **options)


def require_tools(names: str) -> None:
    """Raises ArgumentError for a sanitizer's tool that does not exist."""
    import_module("openptx.sanitize.options").tools_of(names)
