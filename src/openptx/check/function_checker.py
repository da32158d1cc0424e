"""The full checker: every statement of one body, or those that the fast path does not accept."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import partial

from openptx.check.body_directives import BodyDirectives
from openptx.check.checked import CheckedFunction
from openptx.check.explain.report import diagnostic
from openptx.check.explain.suggestions import computed_first
from openptx.check.explain.wrong_declarations import folded
from openptx.check.flow import function_flow
from openptx.check.flow.cfg import ControlFlowGraph
from openptx.check.flow.lints import unreachable, warn_deprecated, warn_unused
from openptx.check.flow.reads_writes import reads_and_writes
from openptx.check.foreign_spellings import instead_of_call
from openptx.check.forms.calls import CallChecker
from openptx.check.function_findings import FunctionFindings
from openptx.check.names.body import ResolvedBody, ResolvedInstruction
from openptx.check.names.lost_declarations import one_declaration
from openptx.check.names.scopes import Scope, around
from openptx.check.names.undeclared import UndeclaredNames, guessing
from openptx.check.operand import kinds
from openptx.check.problems import Problem, passes
from openptx.check.proof import proven
from openptx.check.repairs.statement_edits import repaired
from openptx.check.repairs.wrong_marks import ended_early, label_slip
from openptx.diagnostics import Diagnostic, Fix, Label
from openptx.diagnostics.kinds import DECLARED
from openptx.isa.control import calls
from openptx.patterns import pattern
from openptx.syntax import tree
from openptx.syntax.declarations import Variable as Declaration
from openptx.syntax.directive_parser import LABELLED
from openptx.syntax.directives import Alias, BranchTargets, CallPrototype, Location, Pragma, Target
from openptx.syntax.lexical import WORD

_EARLIER = 1000
"""How many earlier findings of the file may be about a declaration that a body uses."""
_TABLE = pattern(rf"\s*({WORD})\s*:?\s*\.", re.A)
"""The label of a directive, which may lack its colon."""
_REFERENCES = frozenset((kinds.NAME_KIND, *kinds.TABLE_KINDS.values()))


class FunctionChecker:
    """The walk of the full checker through one body."""

    def __init__(self, checked: CheckedFunction) -> None:
        self.checked = checked
        self.module = checked.module
        self.function = checked.tree
        self.verdicts = checked.verdicts
        self.findings = FunctionFindings(self.module.collector, self.function.file)
        self.undeclared = UndeclaredNames(checked, self.findings)
        self.directives = BodyDirectives(checked, self.findings)
        self.calls = CallChecker(checked, self.findings, self.undeclared)
        self.thorough = self.module.thorough
        self.flows = True  # whether to check control flow, or only the instructions
        self.body = ResolvedBody(checked.header, self.module.functions)
        self.last: tree.Statement | None = None  # instruction
        self.tables: set[str] = set()  # labels of directives that could not be parsed
        self.unread: list[Diagnostic] = []  # syntax errors that are not reported yet, the next one last

    def check(self, places: list[int] | None = None, early: Collection[str] | None = None) -> bool:
        """Checks the statements at these positions, or all of them; `early` are registers that may be read before they
        are written. Returns whether there is no error, so that findings about control flow may follow."""
        before = len(self.module.collector)
        self.flows = places is None or bool(early)
        self.body.keeps = self.keeps = places is None and self.module.keep
        everywhere = "uninitialized-register" in self.module.selected
        start, _ = self.function.body or (0, 0)
        self.graph = ControlFlowGraph(start, everywhere=everywhere, names=early)
        statements, problems = self.function.read(places)
        self.undeclared.problems = problems
        self.unread = sorted(problems, key=lambda problem: problem.span[0], reverse=True)
        declare = partial(self.module.declarations.local, own=self.checked.own_parameters)
        for statement, scope in self.body.walk(statements, self.checked.header, declare):
            self.statement(statement, scope)
        self.module.availability.room(self.function, self.directives.own)
        if self.findings.wrong:
            collector = self.module.collector
            found = collector.since(before)
            earlier = collector.since(max(before - _EARLIER, 0))
            collector.replace(before, folded(one_declaration(found), earlier, self.function.span))
        self.module.collector.extend(self.unread)
        if self.keeps:
            self.module.bodies[self.function] = self.body
        if problems or self.function.broken or self.findings.wrong:  # consequences of an error are not reported
            return False
        if not self.flows:
            return True
        function_flow.unwritten(self.graph, self.function, self.findings)
        if places is None:
            self.flow()
        return True

    def flow(self) -> None:
        """The body as a whole: barriers, unreachable or unused code, and how the function ends."""
        function_flow.barriers(self.graph, self.function, self.findings)
        if "unreachable" in self.module.selected:
            unreachable(self.graph, self.findings)
        if "unused" in self.module.selected:
            warn_unused(self.body, self.module.used, self.findings)
        function_flow.missing_return(self.function, self.last, self.findings)

    def statement(self, statement: tree.Statement | ResolvedInstruction, scope: Scope) -> None:
        """A statement of the body, in its scope."""
        if isinstance(statement, ResolvedInstruction):
            self.last = statement.instruction
            self.instruction(statement, scope)
            if not self.keeps:
                self.last.forget()
            return
        self.directives.label(statement, scope)
        if not self.directives.own_parameter(statement):
            self.module.availability.check(statement)
        match statement:
            case tree.Label():
                self.graph.label(statement.name.span[0])
            case tree.Unreadable():
                self.unreadable(statement, scope)
            case Pragma():
                self.directives.pragma(statement)
            case Declaration():
                self.directives.memory(statement)
            case BranchTargets():
                self.directives.table(statement, scope)
            case CallPrototype():
                self.module.declarations.prototype(statement)
            case Alias():
                self.module.linkage.alias(statement)
            case Location():
                self.module.debug_info.location(statement)
            case Target():
                self.module.header.later(statement)
            case _:
                pass

    def instruction(self, resolved: ResolvedInstruction, scope: Scope) -> None:
        """One instruction: its guard, its operands, its labels."""
        instruction = resolved.instruction
        if instruction.problem is not None:
            self.findings.wrong = True
            return
        if self.flows:
            self.graph.add(instruction, scope, *reads_and_writes(instruction))
        if self.thorough:
            self.survey(instruction, scope)
        if (guard := instruction.guard) is not None:
            self.guard(guard, scope)
        problems = self.verdicts.problems(resolved, self.module.suggestions)
        for problem in problems:
            self.report(problem, instruction, scope, problems)
        if passes(problems):
            self.references(resolved, scope)

    def references(self, resolved: ResolvedInstruction, scope: Scope) -> None:
        """The names in an instruction other than registers and variables: labels, tables, functions."""
        instruction, call = resolved.instruction, calls(resolved.instruction.opcode)
        if not call and _REFERENCES.isdisjoint(resolved.key):
            return
        for operand, kind in zip(instruction.operands, resolved.key[1:], strict=True):
            if kind is kinds.NAME_KIND and not call:
                if scope.label(operand.text) is None and not self.function.cut_off:
                    self.undeclared.label(operand, scope)
            elif kind.sort == kinds.TABLE:
                self.directives.use_of_table(operand, instruction, scope)
        if call:
            self.calls.check(instruction, scope)

    def unreadable(self, statement: tree.Unreadable, scope: Scope) -> None:
        """The syntax errors of a statement, with advice that depends on the meanings of its names."""
        start, end = statement.span
        text = statement.file.text
        labels = (_TABLE.match(text, at, end) for at in (start, text.rfind("\n", 0, start) + 1))
        self.tables.update(label[1] for label in labels if label is not None)
        while self.unread and self.unread[-1].span[0] < end:
            found = self.unread.pop()
            if found.span[0] < start:  # of a statement that was parsed, except for its end
                self.findings.collect(found)
                continue
            if found.name == "address-sum":
                found = computed_first(found, lambda name: scope.kind(name, self.module.functions))
            elif found.name == "unknown-instruction":
                found = instead_of_call(found, statement.span)
            if (slip := label_slip(found, self.function.span)) is not None:
                found = slip
            elif not found.file.text.startswith(".", start):
                found = repaired(
                    proven(found, statement.span, (), self.checked, scope), statement.span, self.checked, scope
                )
            self.findings.collect(found)

    def survey(self, instruction: tree.Instruction, scope: Scope) -> None:
        """The names that an instruction uses, and whether it is deprecated, for the selected lints."""
        for operand in instruction.operands:
            self.module.used.note(operand, scope)
        if instruction.guard is not None:
            self.module.used.name(instruction.guard.name.text, scope)
        if "deprecated" in self.module.selected:
            warn_deprecated(instruction, self.checked.context.version, self.findings)

    def report(
        self, problem: Problem, instruction: tree.Instruction, scope: Scope, problems: tuple[Problem, ...]
    ) -> None:
        """Turns one of the `problems` of an instruction into a diagnostic."""
        found = diagnostic(problem, instruction, scope)
        if problem.about == "unknown-name":
            self.undeclared.operand(found, scope, problem.suits, instruction)
            return
        if problem.about == "target-list" and found.file.text[slice(*found.span)] in self.tables:
            self.findings.wrong = True  # its declaration is wrong, which is reported
            return
        if problem.about == "target-list" and found.help is None:
            name = found.file.text[slice(*found.span)]
            guess = self.module.suggestions.nearest(
                name, lambda: [each for one in around(scope) for each in one.tables]
            )
            found = guessing(found, guess, "write") if guess is not None else self.unknown_table(found, name, scope)
        if (whole := ended_early(problem, instruction.span, instruction.file, self.checked, scope)) is not None:
            self.unread = [each for each in self.unread if each.span[0] >= whole[1]]
            self.findings.collect(whole[0])
            return
        others = [each for each in problems if each is not problem]
        found = proven(found, instruction.span, others, self.checked, scope)
        if found.fix is not None and found.fix.replacement == ":":  # a label, so it does not lack the `;`
            end = instruction.opcode_span[1]
            self.unread = [mistake for mistake in self.unread if mistake.span[1] != end]
        if problem.about == "unknown-instruction":
            self.unknown_instruction(found, instruction, scope)
        else:
            self.findings.collect(found)

    def unknown_table(self, found: Diagnostic, name: str, scope: Scope) -> Diagnostic:
        """The error of an operand that should be a label of targets, where nothing has that name."""
        if self.module.kind(name, scope) is not kinds.NAME_KIND or scope.label(name) is not None:
            return found
        called = found.operand == "flist"
        found.message = f"there is no {'prototype' if called else '`.branchtargets`'} `{name}`"
        written = f"{name}: .callprototype" if called else f"{name}: .branchtargets"
        found.help = f"put `{written} ...;` before this, in the same function"
        return found

    def unknown_instruction(self, found: Diagnostic, instruction: tree.Instruction, scope: Scope) -> None:
        """Reports an unknown instruction, once for each opcode; where it is a label, what that lacks."""
        if f".{instruction.opcode.rpartition('.')[2]}" in LABELLED:
            found = self.unlabelled(found, instruction)
        if not instruction.operands and (slip := label_slip(found, self.function.span)) is not None:
            self.findings.collect(slip)
            return
        if not instruction.operands and scope.label(instruction.opcode) is not None:
            start, jump = instruction.opcode_span[0], f"bra {instruction.opcode}"
            found = found.advising(f"it is a label: write `{jump}`", Fix((start, start), "bra ", f"write `{jump}`"))
        self.findings.collect(found, ("unknown-instruction", instruction.opcode))

    def unlabelled(self, found: Diagnostic, instruction: tree.Instruction) -> Diagnostic:
        """The error of `ts .branchtargets`, with the colon that its label lacks; its uses are no further errors."""
        label = instruction.opcode.partition(".")[0]
        self.tables.add(label)
        end = instruction.opcode_span[0] + len(label)
        return found.advising(f"a label ends with a colon: `{label}:`", Fix((end, end), ":", "make it a label"))

    def guard(self, guard: tree.Guard, scope: Scope) -> None:
        """Checks that the guard is a predicate register."""
        name = guard.name
        kind = self.module.kind(name.text, scope)
        if kind.sort == kinds.NAME:
            self.undeclared.guard(name, scope)
        elif kind.sort != kinds.REGISTER or kind.type is None or kind.type.kind != "pred":
            declared = scope.find(name.text)
            self.findings.add(
                "operand-type", "a guard must be a predicate register", name.span, kind.described,
                operand="guard", expected=".pred", actual=kind.text, rule="PTX ISA, Predicated Execution (9.3)",
                labels=(Label(declared[0].span, "declared here", DECLARED),) if declared else (),
                help=f"make it a predicate first: `setp.ne.u32 %p, {name.text}, 0;`",
            )  # fmt: skip
