"""What ptxas makes of floating-point arithmetic on its way to machine code, as a pass over lowered functions.

Both engines run the result. The rules are measured: docs/decisions/contraction.md.
"""

from __future__ import annotations

from openptx.program import Program
from openptx.rewrite.contraction import contract
from openptx.rewrite.folding import fold
from openptx.rewrite.scaling import scale

CONTRACTIONS = ("ptxas", "off")


def contract_program(program: Program) -> None:
    """From now on the program's functions come with constants folded and products contracted, as ptxas does both.

    Of debug modules it does neither: it does not optimise them.
    """
    if program.debug:
        return
    lower = program.lower
    program.lower = lambda name: scale(contract(fold(lower(name))))
    program.contract = "ptxas"
