"""Why an instruction of a function differs, or may differ, from the text: `Op.rule`, and its fidelity."""

from __future__ import annotations

from openptx.isa.fidelity import Fidelity, modelled

FOLDED = "folded"
CONTRACTED = "contracted"
AMONG_BLOCKS = "contracted among blocks"
SCALED = "scaled"
SELECTED = "selected"
RECIPROCAL = "reciprocal"
CLAMPED = "clamped"
LEFT_OPEN = "left open among blocks"
OF_PAIRS = "left open among pairs of halves"

_SEVERAL = (
    "with several blocks, in 3,294 of 3,300 programs that have fences, in 3,281 of 3,300 that have branches, "
    "in 754 of 800 that have loops"
)

RULES: dict[str, Fidelity] = {
    FOLDED: modelled("ptxas 13.0, which folds the constant"),
    CONTRACTED: modelled("ptxas 13.0, which contracts the product and the sum: the same in all programs compared"),
    AMONG_BLOCKS: modelled(f"ptxas 13.0, which contracts the product and the sum: {_SEVERAL}"),
    SCALED: modelled("ptxas 13.0, which makes one multiplication of a product that is scaled by a power of two"),
    SELECTED: modelled("ptxas 13.0, which makes extremes of selections, and changes signs in their operands"),
    RECIPROCAL: modelled("ptxas 13.5, which computes no reciprocal of a reciprocal or of a power of two"),
    CLAMPED: modelled("ptxas 13.5, which saturates where a minimum and a maximum clamp to 0 and 1"),
    LEFT_OPEN: modelled(f"ptxas 13.0, which does not contract the product and the sum: {_SEVERAL}"),
    OF_PAIRS: modelled("ptxas 13.0, which does not contract the product and the sum: in 395 of 400 programs"),
}
"""The text of `Kernel.fidelity` for each rule (docs/contraction.md)."""
