"""Exceptions for what the native engine leaves to the reference engine."""

from __future__ import annotations


class UnsupportedByJit(Exception):
    """The whole kernel is left to the reference engine."""


class InterpretInstruction(UnsupportedByJit):
    """The instruction is left to the reference engine: code calls it whenever control arrives there."""


class InterpretWithinCta(InterpretInstruction):
    """An instruction for the interpreter that only changes state of its own CTA."""
