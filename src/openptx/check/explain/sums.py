"""Help for `[base+index*4]`: the instructions that compute the address, by the types of its registers."""

from __future__ import annotations

from openptx.check.operand import kinds
from openptx.diagnostics import Diagnostic
from openptx.syntax.foreign import SUM

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from openptx.check.operand.kinds import Kind


def computed_first(found: Diagnostic, known: Callable[[str], Kind]) -> Diagnostic:
    """The diagnostic about a sum of registers, with the instructions that compute it."""
    match = SUM.match(found.file.text, found.span[0])
    help = None
    if match is not None and (scale := _scale(match)) is not None:
        base, index = known(match["base"]), known(match["index"])
        steps = _steps(match["base"], base, match["index"], index, scale)
        rest = f"+{match['offset']}" if match["offset"] else ""
        help = steps and f"compute the address first: `{steps}`, then `[%x{rest}]`"
    return found.advising(help or found.help, None)


def _scale(match: re.Match[str]) -> str | None:
    """What the index is multiplied by; None where that is no constant."""
    factor = match["before"] or match["after"]
    if factor is None:
        return "1"
    if not factor.isdigit() or (match["before"] and match["after"]):
        return None
    return str(1 << min(int(factor), 63)) if match["operator"] == "<<" else factor


def _steps(base: str, address: Kind, index: str, number: Kind, scale: str) -> str | None:
    """The instructions that put the address into `%x`."""
    width = _width(number)
    if width is None or width < 32:
        return None
    if address.sort == kinds.VARIABLE:
        first, wide = f"mov.u{width} %x, {base}; ", width
        base = "%x"
    else:
        first, wide = "", _width(address)
    letter = "s" if number.type is not None and number.type.kind == "s" else "u"
    if wide == width:
        step = f"add.{letter}{wide} %x, {base}, {index};" if scale == "1" else None
        return first + (step or f"mad.lo.{letter}{wide} %x, {index}, {scale}, {base};")
    if (wide, width) == (64, 32):
        return f"{first}mad.wide.{letter}32 %x, {index}, {scale}, {base};"
    if (wide, width) == (32, 64):
        return f"cvt.u32.u64 %i, {index}; mad.lo.u32 %x, %i, {scale}, {base};"
    return None


def _width(kind: Kind) -> int | None:
    if kind.sort != kinds.REGISTER or kind.type is None or kind.type.kind not in "bsu":
        return None
    return kind.type.width
