"""The state of an open block: labels, registers, variables, and what to undo at its `}`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.operand.kinds import Kind
    from openptx.syntax.directives import BranchTargets, CallPrototype


class Block:
    """An open block: its labels, the labels it `needs`, where the undo log was (`mark`), its `own` registers and what
    those hide."""

    __slots__ = ("hidden", "labels", "mark", "needs", "own", "tables")

    def __init__(self, mark: int) -> None:
        self.mark = mark
        self.needs: set[str] = set()  # names without declaration: labels, if all is well
        self.own: set[str] = set()  # not kept for the body, where a name can't hide another
        self.hidden: tuple[dict[str, Kind], dict[str, Kind], dict[str, Declared]] | None = None
        self.labels: set[str] = set()
        self.tables: dict[str, BranchTargets | CallPrototype] = {}


class Declared:
    """A variable that a body declares, and its kind with its whole size.

    `texts` are its name and the addresses in it that have occurred, with their kinds: files keep declaring the same
    parameters of calls, `param0`, and store to the same places in them.
    """

    __slots__ = ("name", "texts", "whole")

    def __init__(self, name: str, whole: Kind, kind: Kind) -> None:
        self.name, self.whole = name, whole
        self.texts = {name: kind}
