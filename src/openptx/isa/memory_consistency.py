"""What the memory consistency model says of an operation by its modifiers (8.4)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.notation.forms import Modifiers

_SEMANTICS = frozenset(("relaxed", "acquire", "release", "acq_rel"))
_FLAGS = ("volatile", "mmio", *sorted(_SEMANTICS))  # forms with one choice have it as a literal: `.relaxed`


def strong(m: Modifiers) -> bool:
    """Whether a memory operation is a strong one: ordered with what other threads do to the same place."""
    return m.values.get("sem") in _SEMANTICS or any(m.values.get(flag) is True for flag in _FLAGS)


def may_wait(m: Modifiers) -> bool:
    """Whether a loop around the instruction may be waiting for other threads: strong ones with a result, sleeps."""
    form = m.form
    return form.instruction.yields_thread or (strong(m) and any(t.role == "write" for t in form.operands))
