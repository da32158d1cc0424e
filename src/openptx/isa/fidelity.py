"""How faithful a meaning is: exact, bounded by an error, modelled on a source, or missing."""

from __future__ import annotations


class Fidelity:
    """One promise about a form's results. `text` is what a listing shows after `kind`."""

    __slots__ = ("kind", "text")

    def __init__(self, kind: str, text: str = "") -> None:
        self.kind = kind
        self.text = text

    def __repr__(self) -> str:
        return f"{self.kind}({self.text})" if self.text else self.kind

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fidelity) and (self.kind, self.text) == (other.kind, other.text)

    def __hash__(self) -> int:
        return hash((self.kind, self.text))


EXACT = Fidelity("exact")
"""Every bit is as the document specifies."""

UNSUPPORTED = Fidelity("unsupported")
"""Declared and checked, but not executable."""


def bounded(error: str, measured: str) -> Fidelity:
    """All engines produce an H100's bits; the document allows an error, such as "2 ulp".

    `measured` is the largest error of an H100, over all operands of the range unless it says otherwise; it may exceed
    the allowed error.
    """
    return Fidelity("bounded", f"as measured on sm_90; allowed: {error}, measured: {measured}")


def modelled(source: str) -> Fidelity:
    """The document leaves the result open; results follow `source`, a paper or a measured device.

    If no source exists, it begins with "a guess".
    """
    return Fidelity("modelled", source)
