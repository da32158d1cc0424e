"""Checks calls against the signature of the callee (manual 7, 9.7.12.5)."""

from __future__ import annotations

from functools import partial

from openptx.check.availability import too_new
from openptx.check.forms.misplaced_arguments import (
    declared_as,
    declared_like,
    fitting,
    orders,
    outside_of_parameters,
    reordering,
)
from openptx.check.operand import kinds
from openptx.check.operand.kinds import kind_of
from openptx.check.operand.slot import Rule, takes_constant
from openptx.check.sizes import element_bytes, shape_of
from openptx.diagnostics import SAFE, Diagnostic, Fix, Label
from openptx.diagnostics.kinds import DECLARED
from openptx.isa.types import TYPES
from openptx.syntax import operands as text
from openptx.syntax.directives import BranchTargets, CallPrototype

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from openptx.check.checked import CheckedFunction
    from openptx.check.function_findings import FunctionFindings
    from openptx.check.names.scopes import Scope
    from openptx.check.names.undeclared import UndeclaredNames
    from openptx.check.operand.kinds import Kind
    from openptx.isa.types import Type
    from openptx.source import Span
    from openptx.syntax.declarations import Variable
    from openptx.syntax.tree import Function, Instruction

    Signature = Function | CallPrototype

_RULE = "PTX ISA, call (9.7.12.5), and Function Declarations and Definitions (7.1)"
_NUMBERS = frozenset((kinds.INTEGER, kinds.FLOAT))
_PREDICATE = TYPES["pred"]
_LONGEST = 200  # characters of a call that is shown as it should be


class Call:
    """The operands of a call: `(returns), callee, (arguments), table`; all but the callee are optional."""

    __slots__ = ("arguments", "callee", "returns", "table")

    def __init__(self, operands: Sequence[text.Operand]) -> None:
        rest = list(operands)
        self.returns = _list(rest)
        self.callee = rest.pop(0) if rest else None
        self.arguments = _list(rest)
        self.table = rest[0] if rest else None

    def lists(self, signature: Signature) -> Iterator[tuple[str, text.Arguments | None, tuple[Variable, ...], Span]]:
        """Both lists with the corresponding parts of the signature: formal parameters, and where they are declared."""
        yield "result", self.returns, signature.returns, signature.span
        yield "argument", self.arguments, signature.parameters, signature.span


def _list(rest: list[text.Operand]) -> text.Arguments | None:
    first = rest[0] if rest else None
    if not isinstance(first, text.Arguments):
        return None
    del rest[0]
    return first


def fits(
    checked: CheckedFunction, operands: Sequence[text.Operand], known: Callable[[str], Kind],
    table: Callable[[str], object],
) -> bool:  # fmt: skip
    """Whether a call is certainly correct; if not, `CallChecker` explains why."""
    call = Call(operands)
    if call.callee is None:
        return False
    headers = checked.module.headers
    if call.table is None:
        callee = known(call.callee.text)
        if callee.sort != kinds.FUNCTION or callee.gate is not None:
            return False
        signatures = [headers.get(call.callee.text)]
    else:
        listed = table(call.table.text)
        if isinstance(listed, BranchTargets):
            signatures = [headers.get(target.text) for target in listed.targets]
        else:
            signatures = [listed if isinstance(listed, CallPrototype) else None]
    return all(each is not None and _fits(call, each, known, checked.context.follows_ptxas) for each in signatures)


def _fits(call: Call, signature: Signature, known: Callable[[str], Kind], follows_ptxas: bool) -> bool:
    for what, given, formals, _ in call.lists(signature):
        elements = given.elements if given is not None else ()
        if len(elements) != len(formals):  # also if the last is open and omitted
            return False
        for element, formal in zip(elements, formals, strict=True):
            kind = kind_of(element, known)
            if kind.sort == kinds.SINK and what == "result":
                continue
            if _oddity(kind, formal, what) is not None:
                return False
            if formal.type not in TYPES or not _matches(element, kind, formal, what, follows_ptxas):
                return False
    return True


class CallChecker:
    """Checks calls of one function against the signatures of what they call."""

    def __init__(self, checked: CheckedFunction, findings: FunctionFindings, undeclared: UndeclaredNames) -> None:
        self.checked, self.findings, self.undeclared = checked, findings, undeclared

    def check(self, instruction: Instruction, scope: Scope) -> None:
        """Whether a call's arguments and results match the function or the prototype."""
        call = Call(instruction.operands)
        if call.callee is None:
            return
        signatures = self._signatures(call, call.callee, scope)
        for number, (name, signature) in enumerate(signatures, 1):
            if self._differs(call, call.callee, name, signature, scope, last=number == len(signatures)):
                return

    def _differs(
        self, call: Call, callee: text.Operand, name: str, signature: Signature, scope: Scope, *, last: bool
    ) -> bool:
        """Reports how a call differs from a signature. Of several functions the assembler compares a list without
        elements with the last one only (measured)."""
        before = len(self.findings.collector)
        for what, given, formals, declared in call.lists(signature):
            elements = given.elements if given is not None else ()
            if not elements and not last:
                continue
            if given is not None and formals and is_open(formals[-1]) and len(elements) == len(formals) - 1:
                formals = formals[:-1]
            if len(elements) != len(formals):
                self._count(what, given, len(formals), name, callee.span, declared, _expected_call(call, signature))
                return True  # one call has one finding
            reordered = self._reordered(elements, formals, scope)
            for element, formal in zip(elements, formals, strict=True):
                if self._element(what, element, formal, name, scope, reordered):
                    break
        return len(self.findings.collector) > before

    def _signatures(self, call: Call, callee: text.Operand, scope: Scope) -> list[tuple[str, Signature]]:
        """The functions that may be called, or the prototype, each with its name."""
        if call.table is None:
            found = self._signature(callee, scope)
            return [(callee.text, found)] if found is not None else []
        table = scope.table(call.table.text)
        if isinstance(table, CallPrototype):
            return [(callee.text, table)]
        if not isinstance(table, BranchTargets) or table.name != "calltargets":
            return []
        headers = self.checked.module.headers
        return [(each.text, headers[each.text]) for each in table.targets if each.text in headers]

    def _signature(self, callee: text.Operand, scope: Scope) -> Signature | None:
        """The function that is called by its name."""
        if scope.find(callee.text) is None:
            module = self.checked.module
            kind = module.kind(callee.text, scope)
            if kind.sort != kinds.FUNCTION:
                self.undeclared.callee(callee)
                return None
            for problem in too_new(self.checked.context, kind, ()):
                self.findings.add(
                    problem.about, problem.message.format(callee.text), callee.span, problem.label,
                    expected=problem.expected, actual=problem.actual, rule=problem.rule, help=problem.help,
                )  # fmt: skip
            return module.headers.get(callee.text)
        self.findings.add(
            "missing-prototype", f"the call through `{callee.text}` doesn't say what it calls", callee.span,
            "an address",
            rule=_RULE,
            help="add the label of a `.callprototype` or `.calltargets` as the last operand",
        )  # fmt: skip
        return None

    def _count(
        self, what: str, given: text.Arguments | None, formals: int, name: str, callee: Span, declared: Span,
        written: str,
    ) -> None:  # fmt: skip
        """The number of arguments or results differs from the signature."""
        count = len(given.elements) if given is not None else 0
        are = "is" if count == 1 else "are"
        one_line = "\n" not in self.checked.tree.file.text[slice(*declared)]
        found = Diagnostic(
            "argument-count", f"`{name}` has {_number(formals, what)}, and {count} {are} given",
            self.checked.tree.file, given.span if given is not None else callee, _number(count, what),
            expected=_number(formals, what), actual=_number(count, what), rule=_RULE,
            help=f"write `{written}`" if len(written) <= _LONGEST else None,
            labels=(Label(declared, "declared here", DECLARED),) if one_line else (), subject=name,
        )  # fmt: skip
        self.findings.collect(found, (found.name, found.message, declared))

    def _reordered(self, elements: Sequence[text.Operand], formals: Sequence[Variable], scope: Scope) -> Fix | None:
        """The order of the elements in which all fit, if some do not where they are: with two of them exchanged, or
        rotated."""
        pairs = zip(elements, formals, strict=True)
        wrong = [i for i, pair in enumerate(pairs) if not self._suits(*pair, scope)]
        return next(
            (reordering(self.checked.tree.file.text, elements, order) for order in orders(len(elements), wrong)
             if all(self._suits(elements[i], formal, scope) for i, formal in zip(order, formals, strict=True))),
            None,
        )  # fmt: skip

    def _suits(self, element: text.Operand, formal: Variable, scope: Scope) -> bool:
        kind = kind_of(element, lambda name: scope.kind(name, self.checked.module.functions))
        return formal.type in TYPES and _matches(element, kind, formal, "argument", self.checked.context.follows_ptxas)

    def _element(
        self, what: str, element: text.Operand, formal: Variable, callee: str, scope: Scope,
        reordered: Fix | None,
    ) -> bool:  # fmt: skip
        """Checks one argument or result. Returns whether its finding is that of the whole list, too: its order."""
        kind = kind_of(element, lambda name: scope.kind(name, self.checked.module.functions))
        if kind.sort == kinds.NAME:
            self.undeclared.element(element, scope, f"{declared_as(formal, element.text)};")
            return False
        if what == "result" and kind.sort == kinds.SINK:
            return False
        if formal.type not in TYPES or _matches(element, kind, formal, what, self.checked.context.follows_ptxas):
            if (odd := _oddity(kind, formal, what)) is not None:
                self._odd(element, odd)
            return False
        fits = partial(suits, formal=formal, what=what, follows_ptxas=self.checked.context.follows_ptxas)
        if (outside := outside_of_parameters(what, element, kind, self.checked.tree, scope, fits)) is not None:
            self.findings.collect(outside, (outside.name, outside.span))
            return False
        wanted = f".{formal.type}" + "".join(
            f"[{length.value}]" if length is not None else "[]" for length in formal.names[0].dimensions
        )
        self.findings.add(
            "argument-type",
            f"this {what} doesn't fit the `{wanted}` that `{callee}` has",
            element.span,
            kind.described,
            operand=formal.names[0].name.text,
            expected=wanted,
            actual=kind.text,
            rule=_RULE,
            help=f"these {what}s are in another order"
            if reordered is not None
            else fitting(what, kind, TYPES[formal.type], wanted, element.text),
            labels=(Label(formal.names[0].name.span, "the parameter"),),
            fix=reordered
            or (declared_like(formal, element, self.checked.tree, scope) if kind.space == "frame" else None),
        )
        return reordered is not None

    def _odd(self, element: text.Operand, why: str) -> None:
        """What only the assembler lets an argument or a result be."""
        number = isinstance(element, text.Integer | text.Float)
        fix = Fix(element.span, "_", "write `_`", SAFE) if number else None
        self.findings.add("document-disagrees", why.format(element.text), element.span, rule=_RULE, fix=fix)


def _oddity(kind: Kind, formal: Variable, what: str) -> str | None:
    """Why an element of a call that the assembler accepts is a mistake nevertheless; None if it is none."""
    if what == "result" and kind.sort in _NUMBERS:
        return "the assembler discards a result that is received in the number `{}`"
    if formal.type == "f16x2" and kind.type is _PREDICATE:
        return "the assembler accepts the predicate `{}` as a pair of halves"
    return None


def _expected_call(call: Call, signature: Signature) -> str:
    """The call that a signature wants, with the names of its parameters."""
    results, parameters = (
        f"({', '.join(each.names[0].name.text for each in formals)})" if formals else ""
        for formals in (signature.returns, signature.parameters)
    )
    callee, table = (given.text if given is not None else "" for given in (call.callee, call.table))
    return f"call {', '.join(part for part in (results, callee, parameters, table) if part)};"


def is_open(formal: Variable) -> bool:
    """Whether a parameter is an array of any length, `a[]`, which only the last can be (7.2)."""
    return shape_of(formal.names[0]) == (0,)


def _matches(element: text.Operand, kind: Kind, formal: Variable, what: str, follows_ptxas: bool) -> bool:
    """Whether an element of a call matches. A component of a vector register, `v.x`, is not a name, nor is a sum or an
    element of an array, and only names are allowed."""
    named = not isinstance(element, (text.Selector, text.Sum, text.Subscript))
    return named and suits(kind, formal, what, follows_ptxas)


def suits(kind: Kind, formal: Variable, what: str, follows_ptxas: bool) -> bool:
    """Whether an argument or the destination of a result matches the formal parameter."""
    wanted, array = _wanted(formal, follows_ptxas), bool(formal.names[0].dimensions)
    match kind.sort:
        case kinds.REGISTER:
            if kind.type is None or array:
                return False
            aligned = not follows_ptxas or max(kind.align, _natural(kind.type)) == _alignment(formal)
            return aligned and _takes_register(wanted, kind.type, follows_ptxas)
        case kinds.VECTOR:
            whole = kind.type is not None and _bytes(formal) * 8 == kind.type.width * kind.count
            aligned = max(kind.align, _bytes(formal)) == _alignment(formal)
            return whole and not (follows_ptxas and (array or not aligned))
        case kinds.VARIABLE | kinds.ELEMENT:
            return _takes_variable(kind, formal, wanted, follows_ptxas)
        case kinds.INTEGER | kinds.FLOAT:
            short = kind.sort == kinds.FLOAT and kind.bits == 32  # other constants have 64 bits
            whole = formal.vector <= 1 or (wanted.width == 64 and not short) or not follows_ptxas
            placed = what == "argument" or follows_ptxas  # a number as a result has a warning
            return placed and not array and whole and _takes_constant(wanted, kind, follows_ptxas)
        case _:
            return False


def _wanted(formal: Variable, follows_ptxas: bool) -> Type:
    """The type that an argument must have. To the assembler a vector is the bits of all of its elements."""
    element = TYPES[formal.type]
    whole = TYPES.get(f"b{element.width * formal.vector}") if formal.vector > 1 and follows_ptxas else None
    return whole or element


def _takes_constant(wanted: Type, kind: Kind, follows_ptxas: bool) -> bool:
    if not follows_ptxas:
        return wanted.kind == "b" or takes_constant(wanted, kind)
    if wanted.name in ("f16", "f16x2"):
        return kind.sort == kinds.FLOAT and (wanted.name == "f16" or kind.bits == 32)
    return wanted.kind == "b" or (wanted.kind != "pred" and takes_constant(wanted, kind))


def _takes_register(wanted: Type, declared: Type, follows_ptxas: bool) -> bool:
    pair = follows_ptxas and (declared.name, wanted.name) in (("f16x2", "f32"), ("pred", "f16x2"))
    if follows_ptxas and wanted.name == "f16x2":
        wanted = TYPES["b32"]
    return pair or Rule(wanted, False, False, follows_ptxas).takes(declared)


def _takes_variable(kind: Kind, formal: Variable, wanted: Type, follows_ptxas: bool) -> bool:
    if kind.space not in kinds.PARAMETERS:
        return wanted.kind == "opaque"
    size = _bytes(formal)
    if kind.sort == kinds.VARIABLE and follows_ptxas:
        return _alike(kind, formal, wanted, size)
    return kind.room == min(size, kinds.FAR) or (not formal.names[0].dimensions and kind.room < 0)


def _bytes(formal: Variable) -> int:
    """The size of a formal parameter."""
    size = _element_bytes(formal)
    for length in shape_of(formal.names[0]):
        size *= length
    return size


def _element_bytes(formal: Variable) -> int:
    """The size of a formal parameter, or of an element where it is an array."""
    return element_bytes(TYPES[formal.type]) * max(1, formal.vector)


def _alignment(formal: Variable) -> int:
    """The alignment of a formal parameter, which `.align` does not lower (measured, ptxas 13.5)."""
    given = formal.align.value if formal.align is not None else 1
    return min(max(given, _natural(TYPES[formal.type]) * max(1, formal.vector)), kinds.FAR)


def _natural(type: Type) -> int:
    """The alignment of a type, in bytes: a predicate has that of 32 bits (measured, ptxas 13.5)."""
    return 4 if type.kind == "pred" else element_bytes(type)


def _alike(kind: Kind, formal: Variable, wanted: Type, size: int) -> bool:
    """Whether a `.param` variable is declared like the parameter: arrays by size and elements, scalars by type."""
    array = bool(formal.names[0].dimensions)
    if kind.type is None or (kind.count > 0) != array:
        return False
    if max(kind.align, element_bytes(kind.type)) != _alignment(formal):
        return False
    if array:
        fits = is_open(formal) or kind.room == min(size, kinds.FAR)
        return fits and formal.vector <= 1 and _same_elements(kind, TYPES[formal.type])
    return _takes_register(wanted, kind.type, True)


def _same_elements(kind: Kind, wanted: Type) -> bool:
    """Whether the elements of an array have the type of the parameter's, or bits. Those of vectors and of `.f16x2` have
    none (measured, ptxas 13.5)."""
    given = kind.type
    if given is None or "f16x2" in (given.name, wanted.name) or (kind.count == 1 and kind.bits != max(8, given.width)):
        return False
    return given.name == wanted.name or "b" in (given.kind, wanted.kind)


def _number(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
