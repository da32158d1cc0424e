"""Checks labels, pragmas, branch tables and shared variables of a function body."""

from __future__ import annotations

import re

from openptx.check.names.body import label_of
from openptx.check.names.predefined import predefined
from openptx.check.names.scopes import labels_of
from openptx.check.operand import kinds
from openptx.check.sizes import bytes_of, shared_limit
from openptx.check.spelling import nearest
from openptx.diagnostics import Diagnostic, Fix, Label
from openptx.isa.directives import PRAGMAS, pragma_in
from openptx.isa.special_registers import is_predefined
from openptx.patterns import pattern
from openptx.syntax.declarations import Variable as Declaration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from openptx.check.checked import CheckedFunction
    from openptx.check.function_findings import FunctionFindings
    from openptx.check.names.scopes import Scope
    from openptx.diagnostics.diagnostic import Facts
    from openptx.syntax.directives import BranchTargets, Pragma
    from openptx.syntax.operands import Name, Operand
    from openptx.syntax.tree import Instruction, Statement


_LABELS = frozenset((kinds.NAME, kinds.TABLE))
_PRAGMAS = "PTX ISA, Descriptions of .pragma Strings (12)"
_FREQUENCY = pattern(r"frequency.\s*\+?(?:0[xX]0*[1-9a-fA-F][0-9a-fA-F]*|0*[1-7][0-7]*|[1-9][0-9]*)", re.S | re.A)
"""One character of any kind separates the number, which C's `strtol` reads (measured, ptxas 13.5)."""


class BodyDirectives:
    """The contents of a body besides instructions."""

    def __init__(self, checked: CheckedFunction, findings: FunctionFindings) -> None:
        self.checked, self.findings = checked, findings
        self.parameters = frozenset(checked.header.names)
        self.shared = 0  # bytes of `.shared` that the body declares
        self.own: list[Declaration] = []  # parameters of a kernel before PTX 1.4

    def label(self, statement: Statement, scope: Scope) -> None:
        """The label of a statement, which is declared once in its block."""
        name = label_of(statement)
        if name is None:
            return
        if name.text == "_":
            message = "`_` alone is not a name"
            self.findings.add("invalid-name", message, name.span, help="it is the sink for unused results")
        elif is_predefined(name.text):
            hides = name.text != "WARP_SZ" and self.checked.context.follows_ptxas
            self.findings.collect(predefined(self.findings.file, name.text, name.span, hides))
        first = scope.labels[name.text]
        if first != name.span[0]:
            message = f"the label `{name.text}` occurs twice in this block"
            places = (Label((first, first + len(name.text)), "first here"),)
            help = "rename one of them, and the branches that mean it"
            self.findings.add("duplicate-label", message, name.span, labels=places, help=help)
        elif name.text in self.parameters and scope is self.checked.header:
            message, declared = f"`{name.text}` is a label and a parameter", scope.names[name.text].span
            places = (Label(declared, "first declared here"),)
            self.findings.add("duplicate-name", message, name.span, "again", labels=places)

    def pragma(self, pragma: Pragma) -> None:
        """The strings of a pragma. The assembler ignores unknown ones."""
        for string in pragma.strings:
            known = pragma_in(string.value)
            if known == "frequency" and not _FREQUENCY.fullmatch(string.value):
                self.findings.add(
                    "invalid-directive", "`frequency` takes one positive integer", string.span, "not a frequency",
                    expected="a positive integer", actual=string.value, rule=_PRAGMAS,
                )  # fmt: skip
            elif known == "enable_smem_spilling" and not self.checked.context.entry:
                message = "only a kernel can have the pragma `enable_smem_spilling`"
                self.findings.add("misplaced-directive", message, string.span, "in a function", rule=_PRAGMAS)
            elif not known:
                word = string.value.split()[0] if string.value.split() else ""
                guess = nearest(word, PRAGMAS)
                self.findings.add(
                    "unknown-pragma", f"there is no pragma `{word}`", string.span, "ignored",
                    expected=", ".join(sorted(PRAGMAS)), rule=_PRAGMAS,
                    help=f"did you mean `{guess}`?" if guess else None,
                )  # fmt: skip

    def table(self, table: BranchTargets, scope: Scope) -> None:
        """A table of branch targets, which must be labels of this function, or of callees, which must be functions."""
        for target in table.targets:
            names = [target.text] if target.count is None else [f"{target.text}{i}" for i in range(target.count)]
            for name in names:
                sort = self.checked.module.kind(name, scope).sort
                if table.name == "branchtargets" and (scope.label(name) is None or sort not in _LABELS):
                    cause = "unknown-label", name, id(self.checked.tree)  # that of branches to it, too
                    if self.findings.is_repeated(cause, target.span):
                        continue
                    message, facts = f"there is no label `{name}` here", self._guess(target, labels_of(scope))
                    file = self.checked.tree.file
                    found = Diagnostic("unknown-label", message, file, target.span, "no such label", **facts)
                    self.findings.collect(found, cause)
                elif table.name == "calltargets" and sort != kinds.FUNCTION:
                    message = f"there is no function `{name}`"
                    guess = self._guess(target, self.checked.module.functions)
                    self.findings.add("unknown-function", message, target.span, "no such function", **guess)

    def _guess(self, target: Name, known: Collection[str]) -> Facts:
        """The advice that another name was meant in a table."""
        guess = self.checked.module.suggestions.nearest(target.text, lambda: known) if target.count is None else None
        if guess is None:
            return {}
        return {"help": f"did you mean `{guess}`?", "fix": Fix(target.span, guess, f"write `{guess}`")}

    def use_of_table(self, operand: Operand, instruction: Instruction, scope: Scope) -> None:
        """A branch or a call through a table, which must be declared before it (measured)."""
        table = scope.table(operand.text)
        if table is not None and table.span[0] > instruction.span[0]:
            self.findings.add(
                "target-list", f"`{operand.text}` is declared after the `{instruction.mnemonic}` that uses it",
                operand.span, "not declared yet", labels=(Label(table.span, "move it up"),),
                rule="PTX ISA, Control Flow Directives (11.3)",
            )  # fmt: skip

    def own_parameter(self, statement: Statement) -> bool:
        """Whether a statement declares a kernel parameter, as before PTX 1.4."""
        if self.checked.own_parameters and isinstance(statement, Declaration) and statement.space == "param":
            self.own.append(statement)
            return True
        return False

    def memory(self, declaration: Declaration) -> None:
        """The amount of shared memory that a kernel declares."""
        if declaration.space != "shared" or not self.checked.context.entry:
            return
        before, limit = self.shared, shared_limit(self.checked.context)
        self.shared += bytes_of(declaration)
        if before <= limit < self.shared:
            name = self.checked.tree.name.text
            self.findings.add(
                "too-much-memory", f"`{name}` declares {self.shared} bytes of shared memory, and the limit is {limit}",
                declaration.names[-1].name.span, "beyond the limit",
                expected=f"at most {limit} bytes", actual=f"{self.shared} bytes",
                rule="PTX ISA, Shared State Space (5.1.7)",
                help="declare it `.extern .shared .b8 name[];` outside of the kernel, and give its size at the launch",
            )  # fmt: skip
