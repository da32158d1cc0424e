"""The members of a `.samplerref` initialiser (5.3.2, Table 11), and the bytes that encode them in memory."""

from __future__ import annotations

# fmt: off
#       member                        default
MEMBERS = {
    "filter_mode":               0,  # nearest
    "addr_mode_0":               3,  # clamp_to_edge
    "addr_mode_1":               3,
    "addr_mode_2":               3,
    "force_unnormalized_coords": 0,
}
VALUES = {
    "nearest": 0, "linear": 1,
    "wrap": 0, "mirror": 1, "clamp_ogl": 2, "clamp_to_edge": 3, "clamp_to_border": 4,
}
# fmt: on
SIZE = 8


def encoded(members: dict[str, int | str]) -> bytes:
    """One byte per member, in the order of the table."""
    found = {name: members.get(name, default) for name, default in MEMBERS.items()}
    values = [VALUES.get(value, 0) if isinstance(value, str) else value & 0xFF for value in found.values()]
    return bytes(values).ljust(SIZE, b"\0")
