"""What instructions on floating-point numbers share: the format of their type, saturation of results."""

from __future__ import annotations

from openptx.numerics import FORMATS, Format

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.isa.notation.forms import Modifiers
    from openptx.numerics import Bits


def format_of(m: Modifiers) -> Format:
    """The number format of the type, or of its elements where it is packed."""
    return FORMATS[m.type.element.format or ""]


def saturated(x: Machine, m: Modifiers, d: Bits) -> Bits:
    """A result, clamped to [0, 1] where the instruction has `.sat`."""
    return x.saturate(format_of(m), d) if m.sat else d
