"""Judges calls against the signature of what they call (manual 7, 9.7.12.5)."""

from __future__ import annotations

from openptx.check.operand import kinds
from openptx.check.operand.classify import kind_of
from openptx.check.operand.slot import words
from openptx.check.operand.types import Rule, takes_constant
from openptx.check.sizes import element_bytes, shape_of
from openptx.diagnostics import Label
from openptx.isa.types import TYPES
from openptx.syntax import operands as text
from openptx.syntax.directives import CallPrototype

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from openptx.check.function import FunctionChecker
    from openptx.check.names.scopes import Scope
    from openptx.isa.types import Type
    from openptx.source import Span
    from openptx.syntax.declarations import Variable
    from openptx.syntax.tree import Function, Instruction

_RULE = "PTX ISA, call (9.7.12.5), and Function Declarations and Definitions (7.1)"
_COPIED = frozenset((kinds.SPECIAL, kinds.FUNCTION))


def judge_call(checker: FunctionChecker, instruction: Instruction, scope: Scope) -> None:
    """Whether a call's arguments and results fit the function or the prototype."""
    operands = list(instruction.operands)
    returns = operands.pop(0) if operands and isinstance(operands[0], text.Arguments) else None
    if not operands:
        return
    callee = operands.pop(0)
    arguments = operands.pop(0) if operands and isinstance(operands[0], text.Arguments) else None
    signature: Function | CallPrototype | None = None
    if operands:
        table = scope.table(operands[0].text)
        signature = table if isinstance(table, CallPrototype) else None
    elif scope.find(callee.text) is None:
        signature = checker.module.headers.get(callee.text)
        if signature is None and callee.text not in checker.module.functions:
            checker.unknown_function(callee)
    else:
        checker.add(
            "missing-prototype",
            f"the call through `{callee.text}` doesn't say what it calls",
            callee.span,
            "an address",
            rule=_RULE,
            help="add the label of a `.callprototype` or `.calltargets` as the last operand",
        )
    if signature is not None:
        given = (argument if isinstance(argument, text.Arguments) else None for argument in (returns, arguments))
        _Call(checker, scope, callee).judge(signature, *given)


def fits(
    checker: FunctionChecker,
    operands: tuple[text.Operand, ...],
    known: Callable[[str], kinds.Kind],
    tables: Mapping[str, object],
) -> bool:
    """Whether a call is right for certain; if not, `judge_call` says why."""
    rest = list(operands)
    returns = rest.pop(0) if rest and isinstance(rest[0], text.Arguments) else None
    callee = rest.pop(0)
    arguments = rest.pop(0) if rest and isinstance(rest[0], text.Arguments) else None
    if rest:
        signature = tables.get(rest[0].text)
        if not isinstance(signature, CallPrototype):
            return signature is not None
    else:
        signature = checker.module.headers.get(callee.text)
        if signature is None or known(callee.text).sort != kinds.FUNCTION:
            return False
    precedent = checker.context.precedent
    for what, given, formals in (
        ("result", returns, signature.returns),
        ("argument", arguments, signature.parameters),
    ):
        elements = given.elements if isinstance(given, text.Arguments) else ()
        if len(elements) != len(formals):  # also where the last is open and left out
            return False
        for element, formal in zip(elements, formals, strict=True):
            kind = kind_of(element, known)
            if kind.sort == kinds.SINK and what == "result":
                continue
            if formal.type not in TYPES or not _stands(element, kind, formal, what, precedent):
                return False
    return True


class _Call:
    """One call while it is judged."""

    def __init__(self, checker: FunctionChecker, scope: Scope, callee: text.Operand) -> None:
        self.checker, self.scope, self.callee = checker, scope, callee

    def judge(
        self, signature: Function | CallPrototype, returns: text.Arguments | None, arguments: text.Arguments | None
    ) -> None:
        """Both lists, element by element."""
        self._list("result", returns, signature.returns, signature.span)
        self._list("argument", arguments, signature.parameters, signature.span)

    def _list(self, what: str, given: text.Arguments | None, formals: tuple[Variable, ...], declared: Span) -> None:
        elements = given.elements if given is not None else ()
        if given is not None and formals and is_open(formals[-1]) and len(elements) == len(formals) - 1:
            formals = formals[:-1]
        if len(elements) != len(formals):
            self.checker.add(
                "argument-count",
                f"`{self.callee.text}` has {_count(len(formals), what)}, and {len(elements)} stand here",
                given.span if given is not None else self.callee.span,
                _count(len(elements), what),
                expected=_count(len(formals), what),
                actual=_count(len(elements), what),
                rule=_RULE,
                labels=(Label(declared, "declared here"),) if "\n" not in self._text(declared) else (),
            )
            return
        for element, formal in zip(elements, formals, strict=True):
            self._element(what, element, formal)

    def _text(self, span: Span) -> str:
        return self.checker.function.file.text[span[0] : span[1]]

    def _element(self, what: str, element: text.Operand, formal: Variable) -> None:
        kind = self.checker.kind(element, self.scope)
        if kind.sort == kinds.NAME or (what == "result" and kind.sort == kinds.SINK):
            if kind.sort == kinds.NAME:
                self.checker.unknown_operand(element, self.scope)
            return
        if formal.type not in TYPES or _stands(element, kind, formal, what, self.checker.context.precedent):
            return
        wanted = f".{formal.type}" + "".join(
            f"[{length.value}]" if length is not None else "[]" for length in formal.names[0].dimensions
        )
        self.checker.add(
            "argument-type",
            f"this {what} doesn't fit the `{wanted}` that `{self.callee.text}` has",
            element.span,
            f"this is `{kind.text}`" if kind.sort == kinds.REGISTER else f"this is {kind.text}",
            operand=formal.names[0].name.text,
            expected=words([f"`{wanted}`"]).replace("`", ""),
            actual=kind.text,
            rule=_RULE,
            help="copy it to a register, and pass that" if what == "argument" and kind.sort in _COPIED else "",
            labels=(Label(formal.names[0].name.span, "the parameter"),),
        )


def is_open(formal: Variable) -> bool:
    """Whether a parameter is an array of any length, `a[]`, which can only be the last (7.2)."""
    return shape_of(formal.names[0]) == (0,)


def _stands(element: text.Operand, kind: kinds.Kind, formal: Variable, what: str, precedent: bool) -> bool:
    """Whether an element of a call suits. Part of a vector register, `v.x`, is no name, and names alone stand here."""
    return not isinstance(element, text.Selector) and suits(kind, formal, what, precedent)


def suits(kind: kinds.Kind, formal: Variable, what: str, precedent: bool) -> bool:
    """Whether an argument or a place for a result suits the formal parameter."""
    wanted = TYPES[formal.type]
    size = element_bytes(wanted) * max(1, formal.vector)
    for length in shape_of(formal.names[0]):
        size *= length
    if kind.sort == kinds.REGISTER and kind.type is not None:
        return not formal.names[0].dimensions and (
            Rule(wanted, False, False, precedent).takes(kind.type)
            or (precedent and kind.type.name == "f16x2" and wanted.name == "f32")
        )
    if kind.sort == kinds.VECTOR and kind.type is not None:
        return size * 8 == kind.type.width * kind.count
    if kind.sort in (kinds.VARIABLE, kinds.ELEMENT):
        if kind.space not in kinds.PARAMETERS:
            return wanted.kind == "opaque"
        if kind.sort == kinds.VARIABLE and precedent:
            return _alike(kind, formal, wanted, size)
        return kind.room == min(size, kinds.FAR) or (not formal.names[0].dimensions and kind.room < 0)
    if kind.sort in (kinds.INTEGER, kinds.FLOAT):
        return (
            what == "argument"
            and not formal.names[0].dimensions
            and (wanted.kind == "b" or takes_constant(wanted, kind))
        )
    return False


def _alike(kind: kinds.Kind, formal: Variable, wanted: Type, size: int) -> bool:
    """Whether a `.param` variable is declared as the parameter is: arrays by their size, scalars by their type."""
    array = bool(formal.names[0].dimensions)
    align = formal.align.value if formal.align is not None else element_bytes(wanted) * max(1, formal.vector)
    if kind.align != min(align, kinds.FAR) or (kind.count > 0) != array:
        return False
    if array:
        return is_open(formal) or kind.room == min(size, kinds.FAR)
    return kind.type is not None and Rule(wanted, False, False, True).takes(kind.type)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
