"""A launch that is ready to run: what engines and the tools that observe launches are given."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from openptx.device.image import Image
    from openptx.device.memory_view import MemoryView
    from openptx.errors import Triple
    from openptx.program import Function, Program


class PreparedLaunch(NamedTuple):
    """A launch whose extents are checked and whose arguments are converted."""

    program: Program
    function: Function
    image: Image
    grid: Triple
    block: Triple
    cluster: Triple | None
    shared: int
    """The size of dynamic shared memory in bytes."""
    memory: MemoryView
    """Holds the kernel's parameters."""
    kept: tuple[object, ...]
    """What must live until the launch ends."""
    blocks: tuple[int, int] | None = None
    """The CTAs to run, a half-open range of linear indices, of which x varies fastest; None: all of them."""
    timeout: float | None = None
    """Seconds until the launch ends with a fault."""
    since: float | None = None
    """When these begin, in `time.monotonic`'s time; None: when the engine is called."""
    max_instructions: int | None = None

    def within(
        self, timeout: float | None, max_instructions: int | None = None, since: float | None = None
    ) -> PreparedLaunch:
        """The same launch with limits."""
        return PreparedLaunch(*self[:-3], timeout, since, max_instructions)  # `_replace` takes twice as long

    def later(self, seconds: float) -> PreparedLaunch:
        """The same launch, whose time limit began later."""
        return self if self.since is None else self._replace(since=self.since + seconds)

    @property
    def interpreted(self) -> bool:
        """Whether only the reference engine can run it: with clusters, or with a limit on instructions."""
        return self.cluster is not None or self.max_instructions is not None
