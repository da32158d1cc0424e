"""The batch and the activation that execute at the moment."""

from __future__ import annotations

from openptx.engines.interp.frames import Frame
from openptx.program import Address, Function, Op, Reg
from openptx.sanitize.numbered import NumberedBatch


class Executing:
    """The running batch, and the activation of its executing lanes."""

    batch: NumberedBatch
    frame: Frame

    @property
    def function(self) -> Function:
        return self.frame.plan.function

    def registers(self, op: Op, thread: int) -> tuple[str, ...]:
        """The thread's current values of an instruction's address registers."""
        lane = thread - self.batch.x.first
        if not 0 <= lane < self.batch.x.n:
            return ()
        found: list[str] = []
        for operand in op.operands:
            if isinstance(operand, Address) and isinstance(operand.base, Reg):
                name = self.function.registers[operand.base.index].name
                value = self.frame.regs[operand.base.index]
                number = int(value[lane if value.size > 1 else 0])
                found.append(f"{name} = 0x{number:x}")
        return (f"registers: {', '.join(found)}",) if found else ()
