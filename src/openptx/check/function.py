"""The full checker of one body: statement by statement, where the fast path has not accepted it."""

from __future__ import annotations

from openptx.check.explain.report import diagnostic
from openptx.check.explain.sums import computed_first
from openptx.check.fast import FastPath
from openptx.check.flow.barrier_divergence import divergent
from openptx.check.flow.cfg import ControlFlowGraph
from openptx.check.flow.lints import deprecated, unreachable, unused
from openptx.check.flow.reads_writes import ends, traffic
from openptx.check.foreign_spellings import instead_of_call
from openptx.check.forms.addresses import guard_problem, guarded_parameter
from openptx.check.forms.calls import judge_call
from openptx.check.forms.verdicts import verdicts
from openptx.check.memory_limits import bytes_of, shared_limit
from openptx.check.names.body import ResolvedBody, ResolvedInstruction, label_of
from openptx.check.names.unknown import around, labels_of, unknown_name
from openptx.check.operand import kinds
from openptx.check.operand.classify import kind_of
from openptx.check.problems import WARNINGS
from openptx.check.proof import proven
from openptx.check.spelling import nearest
from openptx.diagnostics import Diagnostic, Fix, Label
from openptx.isa.control import calls
from openptx.syntax import operands as text
from openptx.syntax import tree
from openptx.syntax.declarations import Variable as Declaration
from openptx.syntax.directives import BranchTargets, Location, Pragma

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Unpack

    from openptx.check.context import Context
    from openptx.check.module import ModuleChecker
    from openptx.check.names.scopes import Scope
    from openptx.check.problems import Problem, Suits
    from openptx.diagnostics.diagnostic import Facts

PRAGMAS = frozenset(("nounroll", "enable_smem_spilling", "frequency", "used_bytes_mask"))
"""The strings that `.pragma` knows (chapter 12)."""


_LIMITS = ("reqntid", "maxntid")


class FunctionChecker:
    """The checks of one function that has a body. Findings go to the module's collector."""

    def __init__(self, module: ModuleChecker, function: tree.Function, context: Context, header: Scope) -> None:
        self.module = module
        self.function = function
        self.header = header  # where its parameters are declared
        self.context = context
        self.verdicts = verdicts(context)
        self.graph = ControlFlowGraph()
        self.body = ResolvedBody(header, module.functions)
        self.shared = 0  # bytes of `.shared` that the body declares
        self.wrong = False  # whether an error was found; what follows from it is not said then
        self.last: tree.Statement | None = None
        self.unread: list[Diagnostic] = []  # mistakes of writing that are not reported yet, the next one last

    def check(self) -> None:
        """Check the body."""
        body = self.function.body
        plain = body is not None and not self.function.broken and self.module.debug_info.plain(body)
        places = early = None
        if plain and self.module.tree.plain and not self.module.thorough:
            path = FastPath(self, self.header)
            if path.accepts():
                places, early = path.places(), path.early
                if not places:
                    return
        statements, problems = self.function.read(places)
        self.unread = sorted(problems, key=lambda problem: problem.span[0], reverse=True)
        for statement, scope in self.body.walk(statements, self.header, self.module.declarations.local):
            self.statement(statement, scope)
        self.module.collector.extend(self.unread)
        if self.module.keep and places is None:
            self.module.bodies[self.function] = self.body
        if problems or self.function.broken or self.wrong:  # what follows from an error isn't said
            return
        self.unwritten(early)
        if places is None:
            self.flow()

    def flow(self) -> None:
        """Barriers, what is never reached or used, and how the function ends."""
        self.barriers()
        if "unreachable" in self.module.selected:
            unreachable(self)
        if "unused" in self.module.selected:
            unused(self, self.body.scopes)
        last = self.last
        ended = isinstance(last, tree.Instruction) and ends(last.mnemonic) and not last.guarded
        # Of `.weak` functions only compilers write bodies: those that C++ declares unreachable end with nothing.
        if not ended and self.function.body is not None and self.function.linkage != "weak":
            close = self.function.body[1]
            self.add(
                "fall-through",
                f"the end of `{self.function.name.text}` is reached without `ret`",
                (close, min(close + 1, len(self.function.file.text))),
                "execution goes on after this",
                help="end it with `ret;`",
            )

    def barriers(self) -> None:
        """Barriers that a part of a warp does not reach."""
        if any(directive.name in _LIMITS and directive.values and directive.values[0].value == 1
               for directive in self.function.directives):  # fmt: skip
            return
        for barrier, guarded in divergent(self.graph):
            guard = guarded.instruction.guard_span
            self.add(
                "divergent-barrier",
                f"only some threads of a warp reach `{barrier.instruction.opcode}`",
                barrier.instruction.opcode_span,
                "all must arrive together",
                labels=() if guarded is barrier else (Label(guard, "this differs between the threads of a warp"),),
                rule="PTX ISA, bar and barrier (9.7.13.1): .aligned",
                help="put it where every thread comes by",
            )

    def unwritten(self, names: Collection[str] | None) -> None:
        """Registers that are read, and that no path has written: of all, or of these names."""
        asked = "uninitialized-register" in self.module.selected
        for name in self.graph.first_reads(everywhere=asked, names=names):
            if name.text not in self.body.parameters:
                self.add(
                    "uninitialized-register",
                    f"no path to here writes `{name.text}`, and it is read",
                    name.span,
                    "undefined",
                    rule="PTX ISA, Register State Space (5.1.1)",
                )

    def memory(self, declaration: Declaration) -> None:
        """How much shared memory a kernel declares."""
        if declaration.space != "shared" or not self.context.entry:
            return
        before, limit = self.shared, shared_limit(self.context)
        self.shared += bytes_of(declaration)
        if before <= limit < self.shared:
            self.add(
                "too-much-memory",
                f"`{self.function.name.text}` declares {self.shared} bytes of shared memory, and {limit} are the most",
                declaration.names[-1].name.span,
                "beyond the limit",
                expected=f"at most {limit} bytes",
                actual=f"{self.shared} bytes",
                rule="PTX ISA, Shared State Space (5.1.7)",
                help="declare it `.extern .shared .b8 name[];` outside of the kernel, and give its size at the launch",
            )

    def statement(self, statement: tree.Statement | ResolvedInstruction, scope: Scope) -> None:
        """A statement of the body, in its scope."""
        if isinstance(statement, ResolvedInstruction):
            self.last = statement.instruction
            self.instruction(statement, scope)
            return
        self.label(statement, scope)
        self.module.availability.check(statement)
        match statement:
            case tree.Label():
                self.graph.labels[statement.name.span[0]] = len(self.graph.steps)
            case tree.Unreadable():
                self.unreadable(statement, scope)
            case Pragma():
                self.pragma(statement)
            case Declaration():
                self.memory(statement)
            case BranchTargets():
                self.table(statement, scope)
            case Location():
                self.module.debug_info.location(statement)
            case _:
                pass

    def label(self, statement: tree.Statement, scope: Scope) -> None:
        """The label of a statement, which its block has once."""
        name = label_of(statement)
        if name is None:
            return
        if name.text == "_":
            self.add("invalid-name", "`_` alone is no name", name.span, help="it is the sink for unused results")
        first = scope.labels[name.text]
        if first != name.span[0]:
            message = f"the label `{name.text}` stands twice in this block"
            places = (Label((first, first + len(name.text)), "first here"),)
            self.add("duplicate-label", message, name.span, labels=places)
        elif name.text in self.body.parameters and scope is self.header:
            message, declared = f"`{name.text}` is a label and a parameter", scope.names[name.text].span
            self.add("duplicate-name", message, name.span, "again", labels=(Label(declared, "first declared here"),))

    def instruction(self, resolved: ResolvedInstruction, scope: Scope) -> None:
        """One instruction: its guard, its operands, its labels."""
        instruction = resolved.instruction
        if instruction.problem is not None:
            self.wrong = True
            return
        self.graph.steps.append(traffic(instruction, scope))
        if self.module.thorough:
            self.survey(instruction, scope)
        operands, given = instruction.operands, resolved.key[1:]
        self.guard(instruction, scope)
        findings = self.findings(resolved)
        for problem in findings:
            self.report(problem, instruction, scope, findings)
        if all(problem.about in WARNINGS for problem in findings):
            for operand, kind in zip(operands, given, strict=True):
                if kind is kinds.NAME_KIND and not calls(instruction.mnemonic):
                    self.branch(operand, scope)
                elif kind.sort == kinds.TABLE:
                    self.late_table(operand, instruction, scope)
            if calls(instruction.mnemonic):
                judge_call(self, instruction, scope)

    def findings(self, resolved: ResolvedInstruction) -> tuple[Problem, ...]:
        """What the verdict on an instruction says."""
        instruction, key = resolved.instruction, resolved.key
        found = self.verdicts[key]
        findings = found if isinstance(found, tuple) else ()
        if instruction.guard is not None and (number := guarded_parameter(key[1:])) is not None:
            findings = (*findings, guard_problem(key[0], number))
        if found is not None:
            findings = (*findings, *self.verdicts.immediate_errors(key, instruction.operands))
        return findings

    def unreadable(self, statement: tree.Unreadable, scope: Scope) -> None:
        """The mistake of writing in a statement, with advice by what its names are."""
        start, end = statement.span
        while self.unread and self.unread[-1].span[0] < end:
            found = self.unread.pop()
            if found.span[0] < start:  # of a statement that could be read, but for its end
                self.collect(found)
                continue
            if found.name == "address-sum":
                found = computed_first(found, lambda name: scope.kind(name, self.module.functions))
            elif found.name == "unknown-instruction":
                found = instead_of_call(found, statement.span)
            if not found.file.text.startswith(".", start):
                found = proven(found, statement.span, (), self, scope)
            self.collect(found)

    def late_table(self, operand: text.Operand, instruction: tree.Instruction, scope: Scope) -> None:
        """A list of targets or a prototype stands before what uses it (measured)."""
        table = scope.table(operand.text)
        if table is not None and table.span[0] > instruction.span[0]:
            self.add(
                "target-list", f"`{operand.text}` is declared after the `{instruction.mnemonic}` that uses it",
                operand.span, "not declared yet", labels=(Label(table.span, "move it up"),),
                rule="PTX ISA, Control Flow Directives (11.3)",
            )  # fmt: skip

    def survey(self, instruction: tree.Instruction, scope: Scope) -> None:
        """What an instruction uses, and whether it is an old one, if somebody asks."""
        for operand in instruction.operands:
            self.module.used.note(operand, scope)
        if instruction.guard is not None:
            self.module.used.name(instruction.guard.name.text, scope)
        if "deprecated" in self.module.selected:
            deprecated(self, instruction)

    def report(
        self, problem: Problem, instruction: tree.Instruction, scope: Scope, findings: tuple[Problem, ...]
    ) -> None:
        """Turn a problem, one of the `findings`, into a diagnostic; unknown names are told apart, and folded."""
        found = diagnostic(problem, instruction, scope)
        if problem.about == "unknown-name":
            cause = self.missing(found.file.text[found.span[0] : found.span[1]], scope)
            if not self.repeated(cause, found.span):
                self.collect(self.unknown(found, scope, problem.suits), cause)
            return
        others = [each for each in findings if each is not problem]
        found = proven(found, instruction.span, others, self, scope)
        if (
            found.fix is not None and found.fix.replacement == ":"
        ):  # a label, which ends without the `;` that was missed
            end = instruction.opcode_span[1]
            self.unread = [mistake for mistake in self.unread if mistake.span[1] != end]
        cause = problem.about, instruction.opcode
        self.collect(found, cause if problem.about == "unknown-instruction" else None)

    def unknown(self, found: Diagnostic, scope: Scope, suits: Suits | None = None) -> Diagnostic:
        """Say more about a name that nothing declares. `suits` tells which kinds could stand in its place."""
        name = found.file.text[found.span[0] : found.span[1]]
        if scope.label(name) is not None:
            return Diagnostic(
                "wrong-kind-of-name", f"`{name}` is a label, which has no value", found.file, found.span, "a label"
            )
        known = self.module.functions
        return unknown_name(
            name, found, scope, known, self.module.suggestions,
            lambda name: suits is None or suits(scope.kind(name, known)),
        )  # fmt: skip

    def guard(self, instruction: tree.Instruction, scope: Scope) -> None:
        """The guard is a predicate register."""
        guard = instruction.guard
        if guard is None:
            return
        kind = self.module.kind(guard.name.text, scope)
        if kind.sort == kinds.NAME:
            found = Diagnostic(
                "unknown-name",
                f"`{guard.name.text}` is not declared",
                instruction.file,
                guard.name.span,
                "no such name here",
            )
            self.collect(
                self.unknown(found, scope, lambda kind: kind is kinds.PREDICATE_KIND),
                ("unknown-name", guard.name.text, id(self.function)),
            )
        elif kind.sort != kinds.REGISTER or kind.type is None or kind.type.kind != "pred":
            declared = scope.find(guard.name.text)
            self.add(
                "operand-type",
                "a guard is a predicate register",
                guard.name.span,
                f"this is `{kind.text}`" if kind.sort == kinds.REGISTER else f"this is {kind.text}",
                operand="guard",
                expected=".pred",
                actual=kind.text,
                rule="PTX ISA, Predicated Execution (9.3)",
                labels=(Label(declared[0].span, "declared here"),) if declared else (),
                help=f"make it a predicate first: `setp.ne.u32 %p, {guard.name.text}, 0;`",
            )

    def branch(self, operand: text.Operand, scope: Scope) -> None:
        """The target of a branch is a label of this function."""
        if scope.label(operand.text) is None and not self.function.cut_off:
            cause = ("unknown-label", operand.text, id(self.function))
            if self.repeated(cause, operand.span):
                return
            limit = max(2, len(operand.text) // 3)
            guess = self.module.suggestions.nearest(operand.text, lambda: labels_of(scope), limit)
            found = Diagnostic(
                "unknown-label",
                f"there is no label `{operand.text}` here",
                self.function.file,
                operand.span,
                "no such label",
                help=f"did you mean `{guess}`?" if guess else None,
                fix=Fix(operand.span, guess, f"branch to `{guess}`") if guess else None,
            )
            self.collect(found, cause)

    def pragma(self, pragma: Pragma) -> None:
        """Pragma strings that PTX doesn't have are ignored by the assembler."""
        for string in pragma.strings:
            word = string.value.split()[0] if string.value.split() else ""
            if word not in PRAGMAS:
                guess = nearest(word, PRAGMAS)
                self.add(
                    "unknown-pragma",
                    f"there is no pragma `{word}`",
                    string.span,
                    "ignored",
                    expected=", ".join(sorted(PRAGMAS)),
                    rule="PTX ISA, Descriptions of .pragma Strings (12)",
                    help=f"did you mean `{guess}`?" if guess else None,
                )

    def table(self, table: BranchTargets, scope: Scope) -> None:
        """The targets of a list are labels of this function, or functions."""
        for target in table.targets:
            names = [target.text] if target.count is None else [f"{target.text}{i}" for i in range(target.count)]
            for name in names:
                if table.name == "branchtargets" and scope.label(name) is None:
                    self.add("unknown-label", f"there is no label `{name}` here", target.span, "no such label")
                elif table.name == "calltargets" and name not in self.module.functions:
                    self.add("unknown-function", f"there is no function `{name}`", target.span, "no such function")

    def kind(self, operand: text.Operand, scope: Scope) -> kinds.Kind:
        """The kind of an operand."""
        return kind_of(operand, lambda name: scope.kind(name, self.module.functions))

    def missing(self, name: str, scope: Scope) -> tuple[str, str, int]:
        """The declaration that a name lacks: one for all of `%r1`, `%r2`, ... where there is no such range."""
        prefix = name.rstrip("0123456789")
        numbered = name[0] == "%" and len(prefix) > 1 and not any(prefix in each.ranges for each in around(scope))
        return "unknown-name", prefix if numbered else name, id(self.function)

    def unknown_operand(self, operand: text.Operand, scope: Scope) -> None:
        """An operand that nothing declares."""
        cause = self.missing(operand.text, scope)
        if not self.repeated(cause, operand.span):
            found = Diagnostic(
                "unknown-name", f"`{operand.text}` is not declared", self.function.file, operand.span,
                "no such name here",
            )  # fmt: skip
            self.collect(self.unknown(found, scope), cause)

    def unknown_function(self, callee: text.Operand) -> None:
        """A callee that nothing declares."""
        cause = ("unknown-function", callee.text)
        if self.repeated(cause, callee.span):
            return
        guess = self.module.suggestions.nearest(callee.text, lambda: self.module.functions)
        found = Diagnostic(
            "unknown-function",
            f"there is no function `{callee.text}`",
            self.function.file,
            callee.span,
            "not declared before",
            help=f"did you mean `{guess}`?" if guess else None,
            fix=Fix(callee.span, guess, f"call `{guess}`") if guess else None,
        )
        self.collect(found, cause)

    def repeated(self, cause: object, span: tuple[int, int]) -> bool:
        """Whether an error of this cause was found before: then this is one more place of it, and all is said."""
        found = self.module.collector.again(cause, span)
        self.wrong = self.wrong or found
        return found

    def collect(self, found: Diagnostic, cause: object = None) -> None:
        """Collect a diagnostic; those of one cause are folded."""
        self.wrong = self.wrong or found.severity == "error"
        self.module.collector.add(found, cause)

    def add(self, about: str, message: str, span: tuple[int, int], label: str = "", **facts: Unpack[Facts]) -> None:
        """Collect a finding."""
        self.collect(Diagnostic(about, message, self.function.file, span, label, **facts))
