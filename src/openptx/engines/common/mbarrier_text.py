"""What the phase of an mbarrier lacks, and what would complete it, in words: for faults and for the sanitizer."""

from __future__ import annotations

from openptx.isa.semantics.mbarrier import BYTES, COUNT, COUNT_V1, EXPECTED, LAYOUT, TX

EARLY = "wait for the last phase, with its parity (0 for the first), before the arrival"
"""The help for an arrival in a phase before the last one was seen to complete."""


def expected_arrivals(word: int) -> int:
    """The number of arrivals that each phase of an mbarrier expects."""
    return word >> EXPECTED & (COUNT_V1 if word >> LAYOUT & 1 else COUNT)


def missing_bytes(word: int) -> int:
    """The tx-count: bytes that are expected and have not arrived, modulo 2^22."""
    return word >> BYTES & TX


def lacks_all(word: int) -> bool:
    """Whether nothing has arrived at an mbarrier in this phase."""
    return word & COUNT == expected_arrivals(word) and not missing_bytes(word)


def progress(word: int) -> str:
    """What has arrived in this phase."""
    expected, tx = expected_arrivals(word), missing_bytes(word)
    text = f"{expected - (word & COUNT)} of {expected} arrivals came"
    if tx:
        text += f", {tx} bytes are missing" if tx < 1 << 21 else f", {TX + 1 - tx} unexpected bytes arrived"
    return text


def remedy(word: int) -> str:
    """What would complete the phase that threads wait for."""
    if not expected_arrivals(word):
        return "initialize the mbarrier before the wait: `mbarrier.init`"
    if missing_bytes(word):
        return "expect as many bytes as the copies bring in this phase: `mbarrier.expect_tx`"
    if (pending := word & COUNT) and not lacks_all(word):
        return f"let all threads arrive that `mbarrier.init` counts: {pending} more, or count fewer"
    return "wait for the phase that the arrivals complete: parity 0 is that of the first"
