"""Problems: findings about an instruction that do not contain its text, so that they can be memoised; and the forms
that have them."""

from __future__ import annotations

from openptx.diagnostics import SUGGESTION, Fix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from openptx.check.operand.kinds import Kind
    from openptx.isa.notation.forms import Form, Modifiers
    from openptx.syntax.tree import Instruction

    Repair = Callable[[Instruction], Fix | None]
    Suits = Callable[[Kind], bool]
    Key = tuple[str, *tuple[Kind, ...]]  # an opcode and the kinds of its operands, which decide its verdict

Path = tuple[int, ...]
OPCODE: Path = ()
"""The path of the opcode. An operand's path is its position; `(1, 0)` is the first element of the second operand."""
INSTRUCTION_SET = "PTX ISA, Instruction Set (9.7)"
"""The rule of an opcode that no form has."""


class Problem:
    """One finding about an instruction, memoised by opcode and kinds of operands: it contains no texts and no
    positions.

    `about` is the code's name. `where` is the path of the operand. `part` is the modifier that an opcode's problem is
    about: its last occurrence. In `message`, `label` and `help`, `{}` stands for the text at `where`. `repair` creates
    a fix from a statement. `suits` says which kinds of operand an unknown name could be.
    """

    __slots__ = (
        "about",
        "actual",
        "expected",
        "help",
        "label",
        "message",
        "operand",
        "part",
        "repair",
        "rule",
        "suits",
        "where",
    )

    def __init__(
        self, about: str, message: str, where: Path = OPCODE, label: str = "", *, operand: str | None = None,
        part: str | None = None, expected: str | None = None, actual: str | None = None, rule: str | None = None,
        help: str | None = None, repair: Repair | None = None, suits: Suits | None = None,
    ) -> None:  # fmt: skip
        self.about, self.message, self.where, self.label = about, message, where, label
        self.operand, self.part, self.expected, self.actual = operand, part, expected, actual
        self.rule, self.help, self.repair, self.suits = rule, help, repair, suits

    def advising(self, help: str, repair: Repair | None) -> Problem:
        """The same problem with different advice."""
        return Problem(
            self.about, self.message, self.where, self.label, operand=self.operand, part=self.part,
            expected=self.expected, actual=self.actual, rule=self.rule, help=help, repair=repair,
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"<{self.about} at {self.where}: {self.message}>"


def rewrite(opcode: str, applicability: str = SUGGESTION) -> Repair:
    """A fix that replaces the opcode."""

    def repair(statement: Instruction) -> Fix | None:
        return Fix(statement.opcode_span, opcode, f"write `{opcode}`", applicability)

    return repair


WARNINGS = frozenset((
    "immediate-truncated", "duplicate-destination", "selector-out-of-range", "index-out-of-bounds",
    "misaligned-address", "parameter-past-end", "offset-too-large", "uninitialized-register", "narrow-address",
    "deprecated", "document-disagrees", "displaced-vector", "short-float",
))  # fmt: skip
"""Names of the codes that are warnings (PTX1xxx)."""


def passes(problems: Iterable[Problem]) -> bool:
    """Whether all of the problems are warnings."""
    return all(problem.about in WARNINGS for problem in problems)


def undeclared(where: Path, suits: Suits) -> Problem:
    """An undeclared name, in a place for operands of the kinds that suit it."""
    return Problem("unknown-name", "`{}` is not declared", where, "no such name here", suits=suits)


Findings = tuple[Problem, ...]


class Candidate:
    """A form with its findings about the operands. The better of two has the higher `rank`."""

    __slots__ = ("findings", "form", "m", "rank")

    def __init__(self, form: Form, m: Modifiers, rank: tuple[int, ...], findings: Findings) -> None:
        self.form, self.m, self.rank, self.findings = form, m, rank, findings

    @property
    def accepted(self) -> bool:
        """Whether only warnings were found."""
        return passes(self.findings)
