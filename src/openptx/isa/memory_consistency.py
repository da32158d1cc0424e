"""Properties of an operation in the memory consistency model, by its modifiers (8.4)."""

from __future__ import annotations

from functools import lru_cache

from openptx.isa.notation.forms import Modifiers

_SEMANTICS = frozenset(("relaxed", "acquire", "release", "acq_rel"))
_OWN_SPACES = frozenset(("local", "param", "param::entry", "param::func", "const"))
_FLAGS = _SEMANTICS | {"volatile", "mmio"}  # forms with one choice have it as a literal: `.relaxed`


def strong(m: Modifiers) -> bool:
    """Whether a memory operation is strong: ordered with other threads' operations on the same location."""
    values = m.values
    if values.get("sem") in _SEMANTICS:
        return True
    return not _FLAGS.isdisjoint(values) and any(values.get(flag) is True for flag in _FLAGS)


@lru_cache(maxsize=1 << 12)
def may_wait(m: Modifiers) -> bool:
    """Whether a loop around the instruction may be waiting for other threads: true of strong operations with a result,
    and of sleeps."""
    form = m.form
    return form.instruction.yields_thread or (strong(m) and any(t.role == "write" for t in form.operands))


@lru_cache(maxsize=1 << 12)
def may_poll(m: Modifiers) -> bool:
    """Whether a loop around the instruction may be polling memory that other threads write, by loads that need not be
    strong: programs with such races exist, and mostly work."""
    return m.form.instruction.access == "load" and m.values.get("space") not in _OWN_SPACES
