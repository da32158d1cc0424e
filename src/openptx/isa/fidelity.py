"""How true a meaning is: exact, bounded by an error, modelled after a source, or missing."""

from __future__ import annotations


class Fidelity:
    """One promise about a form's results. `text` is what a listing shows beside `kind`."""

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
"""Every bit is what the document says."""

UNSUPPORTED = Fidelity("unsupported")
"""Declared and checked, but it can't be executed."""


def bounded(error: str, measured: str) -> Fidelity:
    """The bits are an H100's on all engines; the document allows an error, such as "2 ulp".

    `measured` is the largest that an H100 makes, over all operands of the range unless it says otherwise: it may be
    more than is allowed.
    """
    return Fidelity("bounded", f"as measured on sm_90; allowed: {error}, measured: {measured}")


def modelled(source: str) -> Fidelity:
    """The document leaves freedom here; results follow `source`, a paper or a measured device.

    Where nobody says anything, it begins with "a guess".
    """
    return Fidelity("modelled", source)
