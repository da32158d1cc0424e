"""The floating-point optimisations of ptxas, as passes over lowered functions.

Both engines run the result. The rules are measured: docs/contraction.md.
"""

from __future__ import annotations

from openptx.program import Function, Program
from openptx.rewrite.clamps import settle_clamps
from openptx.rewrite.contraction import contract
from openptx.rewrite.folding import fold
from openptx.rewrite.operand_order import order_operands
from openptx.rewrite.reciprocals import settle_reciprocals
from openptx.rewrite.scaling import scale
from openptx.rewrite.selections import settle_selections

CONTRACTIONS = ("ptxas", "off")


def contract_program(program: Program) -> None:
    """From now on the program's functions are returned with constants folded and products contracted, as by ptxas.

    Debug modules are left alone, because ptxas does not optimise them.
    """
    if program.debug:
        return
    lower = program.lower

    def rewritten(name: str) -> Function:
        contracted = contract(settle_reciprocals(fold(lower(name))))
        return order_operands(settle_clamps(settle_selections(scale(contracted), program.target)))

    program.lower = rewritten
    program.contract = "ptxas"
