"""Differences from the assembler that are meant, or that nobody writes: docs/decisions/parity.md says why."""

from __future__ import annotations

import re

_NAMES = "pmevent|trap|brkpt|exit|ret|bar|barrier|bra|cp|membar|fence|griddepcontrol|setmaxnreg|xor|mad"
_KNOWN = tuple(
    re.compile(pattern, re.S)
    for pattern in (
        r"ours   \d+: PTX0606 a special register can't be an address",
        r"ours   \d+: PTX0304 `testp",
        r"ptxas  accepted.*ours   \d+: PTX030[36] .*`(?:" + _NAMES + r")",  # modifiers that it ignores
        r"\.loc\b.*ours   \d+: PTX0004",  # numbers that no line has
        r"ptxas  0: ptxas fatal   : Memory allocation failure",
        r"ptxas  accepted.*ours   \d+: PTX0611",  # its code generator looks at sizes of shared memory
        r"ptxas  accepted.*ours   \d+: PTX(?:0322|0608|0328)",  # declarations alone
        r"\.pred .*mutant.*ptxas  accepted.*PTX0312",  # predicates as fragments of matrices: the code generator fails
    )
)


def known(told: str) -> bool:
    """Whether a difference, as `compare_mutants.told` prints it, is on record."""
    return any(pattern.search(told) for pattern in _KNOWN)
