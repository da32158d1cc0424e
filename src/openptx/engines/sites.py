"""What a call instruction says, as both engines read it."""

from __future__ import annotations

from openptx.program import Arguments, FunctionName, Op, Operand, Prototype, Reg, Register, Targets, Variable

Formal = Register | Variable


class Site:
    """What a call instruction says: who is called, with what, and where results go."""

    def __init__(self, op: Op) -> None:
        lists: dict[str, tuple[Operand, ...]] = {}
        self.target: FunctionName | Reg | None = None
        self.prototype: Prototype | Targets | None = None
        for template, operand in zip(op.form.operands, op.operands, strict=True):
            if isinstance(operand, Arguments):
                lists[template.role] = operand.values
            elif isinstance(operand, FunctionName | Reg):
                self.target = operand
            elif isinstance(operand, Prototype | Targets):
                self.prototype = operand
        self.arguments = lists.get("arguments", ())
        self.results = lists.get("returns", ())
