"""First operands that are read, as those of stores are: registers in them may be read before any write."""

from __future__ import annotations

from itertools import islice

from openptx.check.flow.reads_writes import assigns
from openptx.check.operand.kinds import FUNCTION, SINK, VARIABLE
from openptx.syntax.row_lexer import FIRST, OPCODE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from openptx.check.fast.classify import OperandClassifier
    from openptx.syntax.row_lexer import Row


class FirstOperands:
    """Rows from `begin` on, whose first operands were all counted as written. `before`: the number of names that were
    known before these rows."""

    __slots__ = ("before", "names", "new", "rows", "until", "written")

    def __init__(self, names: OperandClassifier, rows: Sequence[Row], begin: int, before: int) -> None:
        self.names, self.rows, self.before = names, rows, before
        self.new: set[str] | None = None  # names that occur first in these rows
        self.written, self.until = set[str](), begin  # by the rows before that one

    def note_read(self, words: Sequence[str], number: int) -> None:
        """The first operand of a row is read; `words`: what it consists of."""
        if self.new is None:
            self.new = set(islice(reversed(self.names), len(self.names) - self.before))
        asked = self.new.intersection(words)
        if not asked:
            return
        before = self.rows[self.until : number]
        self.written.update(row[FIRST - 1] for row in before if assigns(row[OPCODE - 1]))
        self.until = number
        early = asked - self.written
        registers = (name for name in early if self.names[name].sort not in (FUNCTION, SINK, VARIABLE))
        self.names.read_before_written.update(registers)
