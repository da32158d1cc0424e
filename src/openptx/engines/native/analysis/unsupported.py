"""What the native engine leaves to the reference engine."""

from __future__ import annotations


class UnsupportedByJit(Exception):
    """Something this engine leaves to the reference engine, for the whole kernel."""


class InterpretInstruction(UnsupportedByJit):
    """What an instruction does here is left to the reference engine: code asks for it whenever it comes there."""


class InterpretWithinCta(InterpretInstruction):
    """The same, of an instruction that changes nothing but what belongs to its CTA alone."""
