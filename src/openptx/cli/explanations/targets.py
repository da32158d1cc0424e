"""Explains targets: since when, and which features they share."""

from __future__ import annotations

from openptx.cli.isa import paint_title
from openptx.isa.targets import TARGETS


def explain_target(word: str) -> str | None:
    """A target such as `sm_90a`."""
    target = TARGETS.get(word)
    if target is None:
        return None
    features = {
        "a": "has features that no other target has; code for it runs on this architecture alone",
        "f": "has the features that later members of its family keep",
        "": "has the features that all later targets keep",
    }
    lines = [paint_title(target.name), features[target.suffix], "", f"since:  PTX {target.since[0]}.{target.since[1]}"]
    family = [name for name, other in TARGETS.items() if other.family == target.family]
    lines.append(f"family: {' '.join(family)}")
    if target.renamed:
        lines.append(f"from PTX 9.0 on it is called {target.renamed}")
    return "\n".join(lines)
