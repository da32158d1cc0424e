"""Reports undeclared names, once for each missing declaration."""

from __future__ import annotations

import re
from functools import cached_property

from openptx.check.foreign_spellings import DEVICE_FUNCTIONS
from openptx.check.names.likely_names import misspelt, unknown_name
from openptx.check.names.missing_declarations import count, declaration, declared, numbers, variable
from openptx.check.names.misspelt_declarations import is_used, misspelt_name, misspelt_range, misspelt_single
from openptx.check.names.placeholders import Placeholders
from openptx.check.names.scopes import Registers, Scope, around, labels_of, split_number
from openptx.check.names.unread_declarations import MOST, words
from openptx.check.operand import kinds
from openptx.diagnostics import Diagnostic, Fix, Label
from openptx.diagnostics.kinds import BEYOND_RANGE, UNDECLARED
from openptx.patterns import pattern
from openptx.syntax.lexical import LETTER, WORD
from openptx.syntax.tree import Function, Instruction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.checked import CheckedFunction
    from openptx.check.function_findings import FunctionFindings
    from openptx.check.problems import Suits
    from openptx.source import Span
    from openptx.syntax.operands import Name, Operand

_FASTER = 20
"""How many times as fast a search by a pattern is as comparing words letter by letter (measured)."""
_SHORT = 2
"""Characters of names that are all near each other."""
_OFTEN = 3
"""So many uses of a short name are no misspelling of another one."""
LABEL_SLIP = pattern(
    rf"^[ \t]*+(?P<written>[.\[@(\"'#]?(?P<name>{WORD})(?:[ \t]*+[\])\"';:])*+)[ \t\r]*+(?://.*)?$", re.MULTILINE | re.A
)
"""A word alone in its line, with marks that a label does not have, or without its colon."""
_COUNT = pattern(rf"{WORD}\s*<\s*([0-9]+)\s*>", re.A)


class UndeclaredNames:
    """The undeclared names of one function."""

    def __init__(self, checked: CheckedFunction, findings: FunctionFindings) -> None:
        self.module, self.function, self.findings = checked.module, checked.tree, findings
        self.problems: list[Diagnostic] = []  # syntax errors of the function
        self.placeholders = Placeholders(self.function, self.module.suggestions)

    def operand(
        self, found: Diagnostic, scope: Scope, suits: Suits | None = None, instruction: Instruction | None = None
    ) -> None:
        """An operand of an instruction, as a diagnostic with its span. `suits`: which kinds of operand are possible."""
        name = found.file.text[found.span[0] : found.span[1]]
        if (plain := name.lstrip("-! ")) != name:  # a negated name is declared without its sign
            name, found.span = plain, (found.span[1] - len(plain), found.span[1])
        if self._lost(name):
            return
        base = name.partition(".")[0]  # without a part of it, as in `a.b0`
        cause = self._range(base, scope) or self._missing(base, scope)
        if not self.findings.is_repeated(cause, found.span):
            explained = self._explained(name, found, scope, suits, instruction)
            lacking = explained.help is None and explained.fix is None
            explained = explained.advising(found.help, found.fix) if lacking else explained
            self._collect(explained, found.span, cause)

    def element(self, operand: Operand, scope: Scope, written: str) -> None:
        """An argument or a result of a call: it lacks the declaration `written`, if nothing else was meant."""
        found, text = self._new("unknown-name", f"`{operand.text}` is not declared", operand), self.function.file.text
        start = max(text.rfind(mark, 0, operand.span[0]) for mark in ";{}") + 1  # the end of the statement before
        fix = Fix((start, start), f"\n\t{written}", "declare it")
        self.operand(found.advising(f"declare it before the call: `{written}`", fix), scope)

    def guard(self, name: Name, scope: Scope) -> None:
        """The predicate of a guard."""
        if self._lost(name.text):
            return
        found = self._new("unknown-name", f"`{name.text}` is not declared", name)
        found = self._explained(name.text, found, scope, lambda kind: kind is kinds.PREDICATE_KIND)
        self._collect(found, name.span, self._range(name.text, scope) or self._missing(name.text, scope))

    def _collect(self, found: Diagnostic, used: Span, cause: object) -> None:
        """Collects the error of a use. A wrong declaration is one error for all names that it was to declare."""
        if found.span != used:
            cause = found.name, found.span, id(self.function)
            if self.findings.is_repeated(cause, used):
                return
        self.findings.collect(found, cause)

    def _lost(self, name: str) -> bool:
        """Whether the name is in a declaration that could not be parsed, which is reported."""
        base = name.partition(".")[0]
        if name[0] != "%" and self._header_is_wrong:
            self.findings.wrong = True
            return True
        prefix = base.rstrip("0123456789")
        lost = not self._unread.isdisjoint((base, prefix + "<", *([prefix] if name[0] == "%" else ())))
        self.findings.wrong |= lost
        return lost

    @cached_property
    def _header_is_wrong(self) -> bool:
        """Whether the header has a syntax error, so that it may lack parameters."""
        start, end = self.function.header
        return any(start <= problem.span[0] < end for problem in self.module.tree.problems[:MOST])

    @cached_property
    def _unread(self) -> set[str]:
        problems = (*self.problems, *self.module.tree.problems)
        return words(problems, self.function.file.text, self.function.span[1])

    def label(self, operand: Operand, scope: Scope) -> None:
        """The target of a branch."""
        cause = "unknown-label", operand.text, id(self.function)
        if self.findings.is_repeated(cause, operand.span):
            return
        if operand.text in self._lines_of_a_word:
            self.findings.wrong = True  # it lacks its colon there, which is reported
            return
        name, limit = operand.text, max(2, len(operand.text) // 3)
        guess = self.module.suggestions.nearest(
            name, lambda: labels_of(scope), limit, lambda each: misspelt(each, name)
        )
        if guess is not None and (wrong := self._misspelt_label(name, guess, scope)) is not None:
            self.findings.collect(wrong, cause)
            return
        found = self._new("unknown-label", f"there is no label `{operand.text}` here", operand, "no such label")
        found.help = f"put `{operand.text}:` in this function, before the statement to continue at"
        if (elsewhere := self._label_elsewhere(name)) is not None:
            other, span = elsewhere
            found.labels = (Label(span, f"a label of `{other.name.text}`"),)
            found.help, guess = f"a branch stays in its function: {found.help}, or `call` the other one", None
        elif (inner := self._label_of_block(name)) is not None:
            found.labels = (Label(inner, "this label is visible in its block only"),)
            found.help, guess = "move the label, or the branch, to the other one's block", None
        self.findings.collect(guessing(found, guess, "branch to"), cause)

    def _label_of_block(self, name: str) -> Span | None:
        """The position of a label of this name in another block of the function."""
        if not self.module.suggestions.spend(self._length):
            return None
        found = _label(name).search(self.function.file.text, *self.function.span)
        return found.span() if found is not None else None

    @property
    def _length(self) -> int:
        """Characters of the function, which a search for the uses of a name goes through."""
        start, end = self.function.span
        return end - start

    def _misspelt_label(self, name: str, label: str, scope: Scope) -> Diagnostic | None:
        start = scope.label(label)
        if start is None or not self.module.suggestions.spend(self._length):
            return None
        return misspelt_name("unknown-label", name, label, (start, start + len(label)), self.function)

    def _label_elsewhere(self, name: str) -> tuple[Function, Span] | None:
        """Another function with a label of this name, and the label's position."""
        text = self.function.file.text
        if not self.module.suggestions.spend(len(text) // _FASTER):
            return None
        label = _label(name)
        others = (each for each in self.module.tree.items if isinstance(each, Function) and each is not self.function)
        found = ((each, label.search(text, *each.body)) for each in others if each.body is not None)
        return next(((each, match.span()) for each, match in found if match is not None), None)

    def callee(self, operand: Operand) -> None:
        """The callee of a call."""
        cause = "unknown-function", operand.text
        if self.findings.is_repeated(cause, operand.span):
            return
        guess = self.module.suggestions.nearest(operand.text, self._callees)
        found = self._new("unknown-function", f"there is no function `{operand.text}`", operand, "not declared before")
        declaration = DEVICE_FUNCTIONS.get(operand.text, f".func {operand.text}(...);")
        found.help = f"define it before this function, or declare it: `.extern {declaration}`"
        if operand.text in self.module.function_names:
            found.help, guess = f"it is defined below: declare it before, `.func {operand.text}(...);`", None
        self.findings.collect(guessing(found, guess, "call"), cause)

    def _callees(self) -> list[str]:
        return [name for name, kind in self.module.functions.items() if kind is not kinds.ENTRY_KIND]

    @cached_property
    def _lines_of_a_word(self) -> set[str]:
        """The words of the function that stand alone in a line and are no labels."""
        lines = LABEL_SLIP.finditer(self.function.file.text, *self.function.span)
        return {match["name"] for match in lines if match["written"] != f"{match['name']}:"}

    def _new(self, about: str, message: str, at: Operand, label: str = "no such name here") -> Diagnostic:
        return Diagnostic(about, message, self.function.file, at.span, label)

    def _missing(self, name: str, scope: Scope) -> tuple[str, str, int]:
        """The missing declaration of a name: one for all of `%r1`, `%r2`, ... if there is no such range."""
        prefix = name.rstrip("0123456789")
        numbered = name[0] == "%" and len(prefix) > 1 and not any(prefix in each.ranges for each in around(scope))
        numbered |= not self.function.parameters and prefix == f"{self.function.name.text}_param_"
        return "unknown-name", prefix if numbered or self.placeholders.has(name) else name, id(self.function)

    def _explained(
        self, name: str, found: Diagnostic, scope: Scope, suits: Suits | None, instruction: Instruction | None = None
    ) -> Diagnostic:
        """The diagnostic, with the name that was probably meant."""
        if scope.label(name) is not None:
            return Diagnostic(
                "wrong-kind-of-name", f"`{name}` is a label, which has no value", found.file, found.span, "a label"
            )
        beyond = self._range(name, scope) is not None
        if not beyond and (inner := self._declared_in_block(name, found.span[0])) is not None:
            found.labels = (Label(inner, "this declaration is visible in its block only"),)
            self._declare(name, found, scope, suits, instruction)
            return found
        if not beyond and self.placeholders.has(name):
            found.help = self.placeholders.help(name)
            return found
        known, prefix = self.module.functions, split_number(name)[0]

        def fits(name: str) -> bool:
            return suits is None or suits(scope.kind(name, known))

        if self.module.suggestions.spend(self._length):
            wrong = misspelt_range(name, scope, self.function, fits) or misspelt_single(
                name, scope, self.function, fits
            )
            if wrong is not None:
                return wrong
        several = name[0] == "%" and prefix != name and len({*numbers(prefix, self.function)}) > 1
        several |= len(name) <= _SHORT and self.module.suggestions.spend(self._length) and self._is_used_often(name)
        explained = unknown_name(
            name, found, scope, known, self.module.suggestions,
            lambda name: not several and fits(name),
        )  # fmt: skip
        meant = scope.find(fix.replacement) if (fix := explained.fix) is not None else None
        if fix is not None and meant is not None and self.module.suggestions.spend(self._length):
            span = meant[0].span
            wrong = misspelt_name("unknown-name", name, fix.replacement, span, self.function)
            return wrong or explained
        self._declare(name, explained, scope, suits, instruction)
        return explained

    def _is_used_often(self, name: str) -> bool:
        return count(name, self.function) >= _OFTEN

    def _declared_in_block(self, name: str, end: int) -> Span | None:
        """Where a block before an offset, which has ended there, declares a name."""
        body = self.function.body
        if body is None or not self.module.suggestions.spend(end - body[0]):
            return None
        return declared(name, self.function.file.text, body[0], end)

    def _declare(
        self, name: str, explained: Diagnostic, scope: Scope, suits: Suits | None, instruction: Instruction | None
    ) -> None:
        """Adds the declaration that a name lacks, if nothing else was probably meant."""
        if explained.help is None and explained.name == "unknown-name" and instruction is not None:
            explained.help, explained.fix = variable(name, explained.span, instruction, self.function, suits)
        if explained.help is None and explained.name == "unknown-name":
            explained.help, written = declaration(name, explained.span, suits, self.function, self.module.suggestions)
            explained.kind = UNDECLARED if written or explained.help is None else ""
            if (counted := self._counted(name, scope)) is not None:
                explained.labels, explained.help, explained.fix = counted
            elif written and self.function.body is not None:
                start = self.function.body[0]
                explained.fix = Fix((start, start), f"\n    {written}", "declare it")
        elif explained.kind == BEYOND_RANGE:
            prefix = split_number(name)[0]
            count = max(numbers(prefix, self.function)) + 1
            explained.help = f"declare more of them: `{prefix}<{count}>`"
            if range := _COUNT.match(self.function.file.text, explained.labels[0].span[0]):
                explained.fix = Fix(range.span(1), str(count), f"declare `{prefix}<{count}>`")

    def _counted(self, name: str, scope: Scope) -> tuple[tuple[Label], str, Fix] | None:
        """The number of names that the declaration of one register lacks, if its name has no number and no use."""
        prefix = split_number(name)[0]
        known = scope.find(prefix) if prefix != name else None
        if known is None or not isinstance(known[0], Registers) or is_used(prefix, known[0].span, self.function):
            return None
        span, count = known[0].span, max(numbers(prefix, self.function)) + 1
        fix = Fix((span[1], span[1]), f"<{count}>", f"declare `{prefix}<{count}>`")
        return (Label(span, "one register"),), f"declare as many as are used: `{prefix}<{count}>`", fix

    def _range(self, name: str, scope: Scope) -> tuple[str, str, int] | None:
        """The cause of a name that is beyond a range: one for all of them."""
        prefix, number = split_number(name)
        if number is None or not any(prefix in each.ranges for each in around(scope)):
            return None
        return "unknown-name", f"{prefix}<", id(self.function)


def _label(name: str) -> re.Pattern[str]:
    """Finds a label of this name."""
    return pattern(rf"(?<!{LETTER})(?<!%){re.escape(name)}(?=[ \t]*:(?!:))", re.A)


def guessing(found: Diagnostic, guess: str | None, verb: str) -> Diagnostic:
    """The diagnostic with a suggestion, if there is one."""
    if guess is None:
        return found
    return found.advising(f"did you mean `{guess}`?", Fix(found.span, guess, f"{verb} `{guess}`"))
