"""How the tensor cores of each generation add the products of a warp: how many at once, and where terms are truncated.

Measured by others: MMA-Sim (Xie et al., arXiv 2511.10909, and its code, github.com/microsoft/MMA-Sim) reproduces `mma`
of V100, T4, A100, Ada and both Blackwells bit for bit; FPRev (Xie et al., USENIX ATC 2025, arXiv 2411.00442, section 6)
finds sums of 4, 8 and 16 products and an addend on V100, A100 and H100. Recordings of an H100 confirm its row
(docs/hardware.md).
Longer sums are computed in steps, the lowest products first, and each step truncates and rounds as if it were the only
one.

Unpublished, and as on an H100: exponents of zeros, sparse matrices. From Ampere on m8n8k4 of f16 is no product of
tensor cores (`quarters`).
"""

from __future__ import annotations

from openptx.isa.fidelity import modelled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.fidelity import Fidelity
    from openptx.isa.notation.forms import Modifiers
    from openptx.isa.targets import Target


class Sums:
    """One sum: `together` bytes of each line at once, terms truncated `fraction` bits below the largest exponent.

    `kept` is the number of significand bits that an f32 result keeps.
    """

    __slots__ = ("fraction", "kept", "source", "together")

    def __init__(self, fraction: int, together: int, source: str, kept: int = 23) -> None:
        self.fraction, self.together, self.source, self.kept = fraction, together, source, kept


_ONCE = "at once, cut {} bits below the largest exponent"
# fmt: off
SUMS: dict[str, Sums] = {
    "Volta":         Sums(23,  8, "MMA-Sim, V100: four products " + _ONCE.format(23)),
    "Turing":        Sums(24, 16, "MMA-Sim, T4: eight products " + _ONCE.format(24)),
    "Ampere":        Sums(24, 16, "MMA-Sim, A100: 16 bytes of products " + _ONCE.format(24)),
    "Ada":           Sums(24, 16, "MMA-Sim, Ada: 16 bytes of products " + _ONCE.format(24)),
    "Hopper":        Sums(25, 32, "MMA-Sim and H100: terms cut 25 bits below the largest exponent, exact sum"),
    "Blackwell":     Sums(25, 32, "MMA-Sim, B200: terms cut 25 bits below the largest exponent, exact sum"),
    "RTX Blackwell": Sums(25, 32, "MMA-Sim, RTX Blackwell: terms cut 25 bits below the largest exponent, exact sum"),
}
ADA_BYTES = Sums(13, 16, "MMA-Sim, Ada: sixteen products at once, cut to 13 bits, and so is an f32 sum", 13)
BYTES_IN_HALVES = ("Hopper", "Blackwell")
"""Generations whose warps have no products of bytes: ptxas builds them from f16 products."""
WMMA_TF32 = "m16n16k8"
"""For every target ptxas makes products of this shape, which only `wmma` has, of those of m16n8k4."""
# fmt: on


def generation(target: Target | None) -> str:
    """The generation of a target; an H100's if unknown, Volta's if older."""
    number = target.number if target is not None else 90
    steps = ((75, "Volta"), (80, "Turing"), (89, "Ampere"), (90, "Ada"), (100, "Hopper"), (120, "Blackwell"))
    return next((name for limit, name in steps if number < limit), "RTX Blackwell")


def of(m: Modifiers) -> str:
    return m.generation or "Hopper"


def sums(m: Modifiers) -> Sums:
    """How a warp's product of floats is summed; as on an H100 if nothing is published for the generation."""
    found = SUMS[of(m)]
    if m.spvariant:
        return SUMS["Hopper"]
    if m.shape == WMMA_TF32:
        return Sums(found.fraction, 16, found.source + "; in two steps of four products, as ptxas compiles `wmma`")
    return ADA_BYTES if of(m) == "Ada" and m.atype.format in ("e4m3", "e5m2") else found


def fidelity(m: Modifiers) -> Fidelity:
    found = sums(m)
    guessed = found is SUMS["Hopper"] and of(m) != "Hopper"
    return modelled(f"a guess for {of(m)}: {found.source}" if guessed else found.source)
