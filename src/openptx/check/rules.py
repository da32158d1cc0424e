"""Rules of single instructions that no form can say, and the gates of forms."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.context import Context
    from openptx.check.kinds import Kind
    from openptx.check.verdicts import Judged


def refine(judged: Judged, operands: tuple[Kind, ...], context: Context) -> Judged:
    """What the instruction's own rules add to a judgement."""
    return judged
