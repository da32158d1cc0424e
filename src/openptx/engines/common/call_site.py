"""The contents of a call instruction, as both engines read them."""

from __future__ import annotations

from collections.abc import Mapping

from openptx.program import (
    Arguments,
    FunctionName,
    Op,
    Operand,
    Program,
    Prototype,
    Reg,
    Register,
    Symbol,
    Targets,
    Variable,
)

Formal = Register | Variable
"""A parameter or a return of a function, as its header declares it."""


def operand_of(formal: Formal) -> Operand:
    """A parameter or a return as an operand in the function itself."""
    return Symbol(formal) if isinstance(formal, Variable) else Reg(formal.index, formal.type.width)


class CallSite:
    """The contents of a call instruction: the callee, the arguments, and where results go."""

    def __init__(self, op: Op) -> None:
        lists: dict[str, tuple[Operand, ...]] = {}
        self.target: FunctionName | Reg | None = None
        self.prototype: Prototype | Targets | None = None
        for template, operand in op.operands_by_template():
            if isinstance(operand, Arguments):
                lists[template.role] = operand.values
            elif isinstance(operand, FunctionName | Reg):
                self.target = operand
            elif isinstance(operand, Prototype | Targets):
                self.prototype = operand
        self.arguments = lists.get("arguments", ())
        self.results = lists.get("returns", ())


def wrong_target(program: Program, names: Mapping[int, str], site: CallSite, address: int) -> str | None:
    """The error in an indirect call of an address; None if there is none."""
    name = names.get(address)
    if name is None:
        return f"a call of address 0x{address:x}, which is not a function"
    if isinstance(site.prototype, Targets) and name not in site.prototype.functions:
        return f"a call of `{name}`, which the call does not list"
    if name in program.kernels:
        return f"a call of `{name}`, which is a kernel"
    if name in program.functions:
        function = program.function(name)
        given = len(site.arguments), len(site.results)
        if given != (len(function.parameters), len(function.returns)):
            return f"a call of `{name}` with {given[0]} arguments and {given[1]} results"
    return None
