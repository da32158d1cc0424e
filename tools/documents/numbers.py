"""Generates docs/numerics.md from numerics.md in this folder, with formats and error bounds from their tables."""

from __future__ import annotations

from pathlib import Path

from openptx.isa.notation.registry import load
from openptx.numerics.codec import decode
from openptx.numerics.describe import hexadecimal
from openptx.numerics.formats import FORMATS, IEEE, Format


def numerics() -> str:
    """The whole document."""
    text = Path(__file__).with_name("numerics.md").read_text("utf-8")
    return text.replace("<!-- formats -->", formats()).replace("<!-- bounds -->", bounds())


def formats() -> str:
    """A row for each format, from the registry."""
    rows = ["| format | sign, exponent, mantissa | bias | smallest | smallest normal | largest | infinity | NaN |"]
    rows.append("|---|---|---|---|---|---|---|---|")
    for f in FORMATS.values():
        infinity = "none" if f.infinity is None else hexadecimal(f, f.infinity << f.low)
        smallest = power(f, 1 if f.gradual else 0)
        normal = power(f, f.hidden if f.gradual else 0)
        largest = f"{significand(f)} ({hexadecimal(f, f.largest << f.low)})"
        layout = f"{int(f.signed)}, {f.exp}, {f.man}"
        rows.append(f"| {f.name} | {layout} | {f.bias} | {smallest} | {normal} | {largest} | {infinity} | {nans(f)} |")
    return "\n".join(rows)


def power(f: Format, code: int) -> str:
    value = decode(f, code << f.low).magnitude
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    return f"2^{exponent}" if abs(exponent) > 9 else str(value)


def significand(f: Format) -> str:
    """The largest number."""
    value = decode(f, f.largest << f.low).magnitude
    if f.width <= 16 and f.emax < 20:
        return str(float(value)).removesuffix(".0")
    return f"2^{f.emax}" if not f.man else f"(2 - 2^-{f.man}) * 2^{f.emax}"


def nans(f: Format) -> str:
    if f.nan is None:
        return "none"
    kind = "above infinity" if f.nans == IEEE else "that code alone" if not f.signed else "that code, with either sign"
    return f"{hexadecimal(f, f.nan << f.low)}; {kind}"


def bounds() -> str:
    """A row for each error bound of an instruction, from the fidelities of its forms."""
    found: dict[tuple[str, str], str] = {}
    for form in (form for each in load().values() for instruction in each for form in instruction.forms):
        m = form.least()
        fidelity = form.instruction.fidelity(m)
        if fidelity.kind == "bounded":
            found.setdefault((form.instruction.mnemonic, fidelity.text.partition("allowed: ")[2]), str(m))
    rows = ["| function | error that the manual allows | largest error measured |", "|---|---|---|"]
    for (_, text), opcode in found.items():
        allowed, _, measured = text.replace("|", "\\|").partition(", measured: ")
        rows.append(f"| `{opcode}` | {allowed} | {measured} |")
    return "\n".join(rows)
