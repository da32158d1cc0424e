"""How a test launches its kernels: directly, or under an observer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from openptx.runtime import Kernel

Launch = Callable[..., None]
"""Takes the kernel, grid, block, arguments, and the options of a launch."""


def plain(kernel: Kernel, grid: Any, block: Any, args: Any, **options: Any) -> None:
    """A launch without an observer."""
    kernel(grid, block, args, **options)
