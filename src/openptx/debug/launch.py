"""`kernel(..., debug=True)`: a launch under the debugger in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from openptx.debug.session import Session
from openptx.debug.terminal import debug

if TYPE_CHECKING:
    from openptx.runtime import Kernel
    from openptx.runtime.options import Extent


def debug_launch(
    kernel: Kernel, grid: Extent, block: Extent, args: Iterable[object], *, shared_mem: int, cluster: Extent | None
) -> None:
    """Debugs a launch to its end. Raises the error in which it ends, and KeyboardInterrupt if `quit` ends the debugger
    before."""
    session = Session(kernel, grid, block, args, shared_mem=shared_mem, cluster=cluster, print=sys.stdout.write)
    last = debug(session)
    if last.error is not None:
        raise last.error
    if last.live:
        raise KeyboardInterrupt
