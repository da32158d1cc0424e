"""What an open block has of its own: labels, registers, and where to go back to at its `}`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.kinds import Kind
    from openptx.syntax.directives import BranchTargets, CallPrototype


class Block:
    """An open block: its labels, the labels it needs, where the log was; its `own` registers, and what they hide."""

    __slots__ = ("hidden", "labels", "mark", "needs", "own", "tables")

    def __init__(self, mark: int) -> None:
        self.mark = mark
        self.needs: set[str] = set()  # names without declaration: labels, if all is well
        self.own: set[str] = set()  # not kept for the body, where a name can't hide another
        self.hidden: tuple[dict[str, Kind], ...] = {}, {}, {}
        self.labels: set[str] = set()
        self.tables: dict[str, BranchTargets | CallPrototype] = {}
