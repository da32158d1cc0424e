"""Explains where NVIDIA's assembler and the document differ."""

from __future__ import annotations

from openptx.cli.isa import paint_title
from openptx.isa.deviations import DEVIATIONS, MEASURED, Deviation


def explain_deviation(word: str) -> str | None:
    """One entry of the list, by its name; `deviations` is all of them."""
    if word == "deviations":
        return "\n".join(f"{row.name:<28} {row.rule}" for row in DEVIATIONS.values())
    row = DEVIATIONS.get(word)
    if row is None:
        return None
    return "\n".join(
        [
            f"{paint_title(row.name)} (a difference between the document and the assembler)",
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
