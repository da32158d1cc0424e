"""Wavefronts of shared memory: 32 banks, each of which gives one 32-bit word at a time (measured on an H100).

Up to 32 bits per lane, a warp is one group; for 64 bits its halves are groups, for 128 bits its quarters. Two adjacent
groups are merged if all active lanes have the address of their partner (lane ^ 1, or for all of them lane ^ 2) or the
partner is not active. A group takes as many wavefronts as the maximum number of distinct words in one bank; all beyond
the first are bank conflicts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from openptx.profile.requests import Addresses, Requests, ordered, runs

BANK_BYTES = 128
"""Bytes of one word in every bank."""
WORD = 4

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Wavefronts:
    """For each request, its wavefronts and the number of bank conflicts among them."""

    taken: Addresses
    conflicts: Addresses


def wavefronts(requests: Requests) -> Wavefronts:
    """The wavefronts of loads and stores of whole warps."""
    rows, active = requests.addresses, requests.mask()
    unit = max(requests.size, WORD)
    if unit == WORD:
        taken = most_in_a_bank(rows // unit, active, BANK_BYTES // unit)
        return Wavefronts(taken, taken - 1)
    halves = unit // WORD // 2
    lanes = rows.shape[1] // halves
    taken, used = paired(rows.reshape(-1, lanes) // unit, active.reshape(-1, lanes), BANK_BYTES // unit)
    taken, used = (v.reshape(-1, halves).sum(axis=1) for v in (taken, used))
    return Wavefronts(taken, taken - used)


def matrix_wavefronts(rows: Addresses) -> Wavefronts:
    """The wavefronts of requests for matrices of eight rows of 16 bytes, each matrix a group: shape (requests,
    matrices, 8)."""
    each = rows.reshape(-1, rows.shape[2]) // 16
    taken = most_in_a_bank(each, np.ones(each.shape, np.bool_), BANK_BYTES // 16).reshape(rows.shape[:2])
    return Wavefronts(taken.sum(axis=1), (taken - 1).sum(axis=1))


def paired(units: Addresses, active: Mask, banks: int) -> tuple[Addresses, Addresses]:
    """For each row, whose two halves are served separately or together: its wavefronts, and the number of groups."""
    half = len(units[0]) // 2
    halves = most_in_a_bank(units.reshape(-1, half), active.reshape(-1, half), banks).reshape(-1, 2)
    whole = most_in_a_bank(units, active, banks)
    merged = np.zeros(len(units), np.bool_)
    lanes = np.arange(2 * half)
    for distance in (1, 2):
        partner = np.bitwise_xor(lanes, distance)
        alike = (units == units[:, partner]) | ~active | ~active[:, partner]
        merged |= alike.all(axis=1)
    taken = np.where(merged, whole, halves.sum(axis=1))
    groups = np.where(merged, np.minimum(whole, 1), np.minimum(halves, 1).sum(axis=1))
    return taken, groups


def most_in_a_bank(units: Addresses, active: Mask, banks: int) -> Addresses:
    """For each row, the maximum number of distinct units in one of this many banks; 0 in a row without active lanes."""
    if active.all():
        low, high = units.min(axis=1), units.max(axis=1)
        if (high - low < banks).all():
            return np.ones(len(units), np.int64)
    rows, words = ordered(units, active)
    new = runs(rows, words)
    places = rows[new] * banks + words[new] % banks
    return np.bincount(places, minlength=len(units) * banks).reshape(-1, banks).max(axis=1)
