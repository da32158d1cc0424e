"""Explains codes of diagnostics, targets, and differences between the assembler and the manual."""

from __future__ import annotations

from openptx.diagnostics.codes import code
from openptx.diagnostics.terminal import title
from openptx.isa.deviations import DEVIATIONS, MEASURED, Deviation
from openptx.isa.targets import TARGETS


def explain_code(word: str) -> str | None:
    """The text of a code, under a title."""
    try:
        row = code(word.upper() if word.upper().startswith("PTX") else word.lower())
    except KeyError:
        return None
    more = "\n\n`openptx explain deviations` lists them." if row.name == "document-disagrees" else ""
    return f"{title(f'{row.code} {row.name}')} ({row.severity})\n\n{row.doc}{more}"


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
    lines = [title(target.name), features[target.suffix], "", f"since:  PTX {target.since[0]}.{target.since[1]}"]
    family = [name for name, other in TARGETS.items() if other.family == target.family]
    lines.append(f"family: {' '.join(family)}")
    if target.renamed:
        lines.append(f"from PTX 9.0 on it is called {target.renamed}")
    return "\n".join(lines)


def explain_deviation(word: str) -> str | None:
    """One entry of the list, by its name; `deviations` is all of them."""
    if word == "deviations":
        return "\n".join(f"{row.name:<28} {row.rule}" for row in DEVIATIONS.values())
    row = DEVIATIONS.get(word)
    if row is None:
        return None
    return "\n".join(
        [
            f"{title(row.name)} (a difference between the document and the assembler)",
            row.rule,
            "",
            *(f"    {line}" for line in (row.declares, row.example) if line),
            "",
            f"the document {row.manual} it (PTX ISA, {row.where}): so does --profile isa",
            f"{MEASURED} {row.ptxas} it: so does --profile ptxas, the default",
        ]
    )


def deviations_of(mnemonic: str) -> list[Deviation]:
    """The entries whose example is of an instruction."""
    return [row for row in DEVIATIONS.values() if row.example.partition(".")[0].partition(" ")[0] == mnemonic]
