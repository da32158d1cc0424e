"""What may stand in a place beside registers and constants: sinks, special registers, addresses, function names."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.forms import Modifiers, Template
    from openptx.isa.notation import Instruction


class Allowance:
    """What one place allows. `special` is "" (none), "fitting" (of this size, or 32 bits cut to 16) or "any"."""

    __slots__ = ("address", "constant", "function", "minus", "negated", "sink", "special", "sum")

    def __init__(
        self,
        *,
        sink: bool = False,
        special: str = "",
        address: bool = False,
        function: bool = False,
        constant: bool = True,
        negated: bool = False,
        minus: bool = False,
        sum: bool = False,
    ) -> None:
        self.sink, self.special, self.address, self.function = sink, special, address, function
        self.constant, self.negated, self.minus = constant, negated, minus
        self.sum = sum


# Destinations that may be `_`.
_SINKS = frozenset(("setp", "elect", "atom", "mbarrier", "vote", "match", "shfl"))
# Predicate sources that may be negated though the manual's syntax has no {!}.
_NEGATED = frozenset(("selp", "not", "and", "or", "xor", "mov"))
_NO_FUNCTIONS = frozenset(("bar", "barrier", "brx", "call", "cvta"))
_VIDEO = frozenset(("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vmad", "vset"))
_NO_SUMS = _VIDEO | {"shfl", "match", "redux"}  # of a register and a constant (measured)
# Fragments of matrices are held in registers alone.
_MATRICES = frozenset(("mma", "wmma", "wgmma"))
_FRAGMENTS = frozenset("abcd")

_DESTINATION = Allowance()
_SINK = Allowance(sink=True)


def allowance(instruction: Instruction, m: Modifiers, template: Template) -> Allowance:
    """What the place of `template` allows."""
    mnemonic = instruction.mnemonic
    if template.role == "write":
        return _SINK if mnemonic in _SINKS or template.pair else _DESTINATION
    fragment = mnemonic in _MATRICES and template.name in _FRAGMENTS
    return Allowance(
        special=_special(mnemonic, m),
        address=mnemonic in ("mov", "cvta"),
        function=not fragment and mnemonic not in _NO_FUNCTIONS,
        constant=not fragment,
        negated=mnemonic in _NEGATED,
        minus=mnemonic in _VIDEO,
        sum=not fragment and mnemonic not in _NO_SUMS,
    )


def _special(mnemonic: str, m: Modifiers) -> str:
    if mnemonic == "mov":
        return "fitting"
    if mnemonic == "cvt" and m.dtype.kind in "su" and m.atype.kind in "su":
        return "any"
    return ""
