"""What a rule finds, before it has a place in a file: which operand, what was expected, what is there."""

from __future__ import annotations

from openptx.diagnostics import SUGGESTION, Fix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from openptx.syntax.tree import Instruction

    Repair = Callable[[Instruction], Fix | None]

Path = tuple[int, ...]
OPCODE: Path = ()
"""The path of the opcode. That of an operand is its position; `(1, 0)` is the first element of the second operand."""


class Problem:
    """One finding about an instruction. Remembered per opcode and kinds, so it never knows texts or places.

    `about` is the code's name. `where` is the path of the operand. In `message`, `label` and `help`, `{}` stands for
    the text at `where`. `repair` makes a fix of a statement.
    """

    __slots__ = ("about", "actual", "expected", "help", "label", "message", "operand", "repair", "rule", "where")

    def __init__(
        self,
        about: str,
        message: str,
        where: Path = OPCODE,
        label: str = "",
        *,
        operand: str | None = None,
        expected: str | None = None,
        actual: str | None = None,
        rule: str | None = None,
        help: str | None = None,
        repair: Repair | None = None,
    ) -> None:
        self.about, self.message, self.where, self.label = about, message, where, label
        self.operand, self.expected, self.actual = operand, expected, actual
        self.rule, self.help, self.repair = rule, help, repair

    def with_help(self, help: str) -> Problem:
        """The same problem with another suggestion."""
        return Problem(
            self.about, self.message, self.where, self.label, operand=self.operand, expected=self.expected,
            actual=self.actual, rule=self.rule, help=help, repair=self.repair,
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"<{self.about} at {self.where}: {self.message}>"


def rewrite(opcode: str, applicability: str = SUGGESTION) -> Repair:
    """A fix that writes another opcode."""

    def repair(statement: Instruction) -> Fix | None:
        return Fix(statement.opcode_span, opcode, f"write `{opcode}`", applicability)

    return repair
