"""Lowers one function: instructions are bound to forms, labels become positions."""

from __future__ import annotations

from openptx.check.lowering.bound_form import bound_form
from openptx.check.lowering.function_names import FunctionNames, UnboundError
from openptx.check.lowering.operands import Binder
from openptx.control_flow import retarget
from openptx.errors import Unsupported
from openptx.isa.notation import resolve
from openptx.program import Function, Op
from openptx.syntax.directives import Pragma

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.forms.verdicts import Verdicts
    from openptx.check.lowering.module_names import ModuleNames
    from openptx.check.names.body import ResolvedBody, ResolvedInstruction
    from openptx.program import Operand
    from openptx.syntax import tree
    from openptx.syntax.directives import Directive


class FunctionLowering:
    """The lowering of one function."""

    def __init__(
        self, module: ModuleNames, function: tree.Function, resolved: ResolvedBody, verdicts: Verdicts
    ) -> None:
        self.module = module
        self.function = function
        self.resolved = resolved
        self.verdicts = verdicts
        self.names = FunctionNames(module, resolved, function.kind == "entry")

    def lower(self) -> Function:
        """The function as engines execute it."""
        names = self.names
        returns = tuple(part for p in self.function.returns for part in names.formal(p))
        listed = tuple(part for p in self.function.parameters for part in names.formal(p))
        variables = [names.place(name, memory) for name, memory in self.resolved.variables]
        code, places = self.code()
        labels: dict[str, int] = {}
        for name, number in self.resolved.labels.values():
            labels.setdefault(name, places[number])
        return Function(
            name=self.function.name.text,
            kind=self.function.kind,
            linkage=self.function.linkage,
            parameters=(*listed, *(found for found in variables if found.space == "param")),
            returns=returns,
            registers=tuple(names.registers),
            code=code,
            frame_size=names.frame.size,
            parameter_size=names.window.size,
            local=tuple(found for found in variables if found.space == "local"),
            shared=tuple(found for found in variables if found.space == "shared"),
            labels=labels,
            directives=directives_of(self.function.directives),
            callees=frozenset(names.callees),
            span=self.function.span,
            noreturn=self.function.noreturn,
            rolled=frozenset(range(len(code)) if self.rolls() else (places[number] for number in self.resolved.rolled)),
        )

    def rolls(self) -> bool:
        """Whether no loop of the function is unrolled."""
        return self.module.rolls or any(
            isinstance(each, Pragma) and each.names("nounroll") for each in self.function.directives
        )

    def code(self) -> tuple[tuple[Op, ...], list[int]]:
        """All instructions, and the position of each, the end included.

        Instructions that an operand such as `x[i]` needs precede the one with the operand.
        """
        places: list[int] = []
        code: list[Op] = []
        for resolved in self.resolved.instructions:
            op = self.op(resolved)
            places.append(len(code))
            if self.names.before:
                code += [inserted(opcode, operands, op) for opcode, operands in self.names.before]
                self.names.before.clear()
            code.append(op)
        places.append(len(code))
        return tuple(code if len(code) < len(places) else [retarget(op, places) for op in code]), places

    def op(self, resolved: ResolvedInstruction) -> Op:
        """One instruction, bound to its form."""
        instruction = resolved.instruction
        file, span = instruction.file, instruction.span
        bound = bound_form(self.verdicts, resolved.key)
        if bound is None:
            raise Unsupported(resolved.key[0], file=file, span=span)
        binder = Binder(self.names, resolved)
        try:
            operands = binder.operands(bound, instruction.operands)
            guard = binder.guard(instruction.guard)
        except UnboundError as problem:
            raise Unsupported(f"{resolved.key[0]}: {problem}", file=file, span=span) from None
        text = file.text[instruction.opcode_span[0] : span[1]].rstrip("; \t\r\n")
        location = resolved.location
        line = self.module.place(location) if location is not None else None
        m = bound.m
        if bound.form.instruction.by_generation:
            m = m.with_(generation=self.module.generation)
        return Op(bound.form, m, guard, operands, bound.types, span, text, line)


def inserted(opcode: str, operands: tuple[Operand, ...], of: Op) -> Op:
    """An instruction that computes a part of another."""
    form, m = resolve(opcode)[0]
    return Op(form, m, None, operands, form.types(m), of.span, of.text, of.line)


def directives_of(directives: tuple[Directive, ...]) -> dict[str, tuple[int, ...]]:
    """The performance and cluster directives of a header, by name: `maxntid` is (256, 1, 1)."""
    return {directive.name: tuple(value.value for value in directive.values) for directive in directives}
