"""What `info cuda` of cuda-gdb lists of the launch: kernels, devices, SMs, barriers. Each function returns lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from openptx.debug import listing
from openptx.debug.session import Session
from openptx.runtime.cxx_names import qualified


def kernels(session: Session) -> Iterator[str]:
    """The kernel, its extents, and how many of its blocks run."""
    prepared = session.prepared
    batches = session.observer.batches if session.stop.live else []
    running = sum(int(batch.alive.reshape(batch.x.geometry.count, -1).any(axis=1).sum()) for batch in batches)
    cluster = f", cluster {prepared.cluster}" if prepared.cluster else ""
    yield (
        f"kernel 0: {qualified(session.kernel.name)}, grid {prepared.grid}, block {prepared.block}{cluster}, "
        f"{running} of {session.numbering.blocks} blocks are running"
    )


def devices(session: Session) -> Iterator[str]:
    """The interpreter, which takes the place of a GPU."""
    yield f"device 0: the interpreter of OpenPTX, for .target {session.kernel.module.program.target}"


def sms(session: Session) -> Iterator[str]:
    """Why there are none."""
    yield "the interpreter has no SMs: `info blocks` lists blocks, `info warps` the warps of the block"


def barriers(session: Session) -> Iterator[str]:
    """The threads of the block that wait, and where."""
    found = [line for line in listing.threads(session) if line.startswith("waits")]
    yield from found or ["no thread of the block waits"]


INFO: dict[str, Callable[[Session], Iterator[str]]] = {
    "kernels": kernels, "devices": devices, "sms": sms, "barriers": barriers,
}  # fmt: skip
"""What `info` shows besides `listing.INFO`."""
