"""Explains special registers."""

from __future__ import annotations

from openptx.cli.isa import MANUAL, paint_title
from openptx.isa.special_registers import SPECIAL_REGISTERS


def explain_register(word: str) -> str | None:
    """A special register: its type, since when."""
    name, _, component = word.removeprefix("%").partition(".")
    register = SPECIAL_REGISTERS.get(name)
    if register is None or (component and (not register.vector or component not in "xyzw")):
        return None
    parts = "; .x .y .z, and .w which is zero" if register.vector else ""
    return "\n".join(
        [
            paint_title(f"%{register.name}"),
            f"a special register of type {register.type!r}{parts}",
            "",
            f"since:   {register.gate.text}",
            f"manual:  {MANUAL}{register.anchor}",
        ]
    )
