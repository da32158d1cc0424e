"""Reports undeclared names, once for each missing declaration."""

from __future__ import annotations

from openptx.check.names.unknown import around, labels_of, unknown_name
from openptx.check.operand import kinds
from openptx.diagnostics import Diagnostic, Fix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.checked_function import CheckedFunction
    from openptx.check.function_findings import FunctionFindings
    from openptx.check.names.scopes import Scope
    from openptx.check.problems import Suits
    from openptx.syntax.operands import Name, Operand


class Undeclared:
    """The undeclared names of one function."""

    def __init__(self, checked: CheckedFunction, findings: FunctionFindings) -> None:
        self.module, self.function, self.findings = checked.module, checked.tree, findings

    def operand(self, found: Diagnostic, scope: Scope, suits: Suits | None = None) -> None:
        """An operand of an instruction, as a diagnostic with its span. `suits`: which kinds of operand are possible."""
        name = found.file.text[found.span[0] : found.span[1]]
        cause = self._missing(name, scope)
        if not self.findings.repeated(cause, found.span):
            self.findings.collect(self._explained(name, found, scope, suits), cause)

    def element(self, operand: Operand, scope: Scope) -> None:
        """An argument or a result of a call."""
        self.operand(self._new("unknown-name", f"`{operand.text}` is not declared", operand), scope)

    def guard(self, name: Name, scope: Scope) -> None:
        """The predicate of a guard."""
        found = self._new("unknown-name", f"`{name.text}` is not declared", name)
        found = self._explained(name.text, found, scope, lambda kind: kind is kinds.PREDICATE_KIND)
        self.findings.collect(found, ("unknown-name", name.text, id(self.function)))

    def label(self, operand: Operand, scope: Scope) -> None:
        """The target of a branch."""
        cause = "unknown-label", operand.text, id(self.function)
        if self.findings.repeated(cause, operand.span):
            return
        limit = max(2, len(operand.text) // 3)
        guess = self.module.suggestions.nearest(operand.text, lambda: labels_of(scope), limit)
        found = self._new("unknown-label", f"there is no label `{operand.text}` here", operand, "no such label")
        self.findings.collect(_guessing(found, guess, "branch to"), cause)

    def callee(self, operand: Operand) -> None:
        """The callee of a call."""
        cause = "unknown-function", operand.text
        if self.findings.repeated(cause, operand.span):
            return
        guess = self.module.suggestions.nearest(operand.text, lambda: self.module.functions)
        found = self._new("unknown-function", f"there is no function `{operand.text}`", operand, "not declared before")
        self.findings.collect(_guessing(found, guess, "call"), cause)

    def _new(self, about: str, message: str, at: Operand, label: str = "no such name here") -> Diagnostic:
        return Diagnostic(about, message, self.function.file, at.span, label)

    def _missing(self, name: str, scope: Scope) -> tuple[str, str, int]:
        """The missing declaration of a name: one for all of `%r1`, `%r2`, ... if there is no such range."""
        prefix = name.rstrip("0123456789")
        numbered = name[0] == "%" and len(prefix) > 1 and not any(prefix in each.ranges for each in around(scope))
        return "unknown-name", prefix if numbered else name, id(self.function)

    def _explained(self, name: str, found: Diagnostic, scope: Scope, suits: Suits | None) -> Diagnostic:
        """The diagnostic, with the name that was probably meant."""
        if scope.label(name) is not None:
            return Diagnostic(
                "wrong-kind-of-name", f"`{name}` is a label, which has no value", found.file, found.span, "a label"
            )
        known = self.module.functions
        return unknown_name(
            name, found, scope, known, self.module.suggestions,
            lambda name: suits is None or suits(scope.kind(name, known)),
        )  # fmt: skip


def _guessing(found: Diagnostic, guess: str | None, verb: str) -> Diagnostic:
    """The diagnostic with a suggestion, if there is one."""
    if guess is None:
        return found
    return found.advising(f"did you mean `{guess}`?", Fix(found.span, guess, f"{verb} `{guess}`"))
