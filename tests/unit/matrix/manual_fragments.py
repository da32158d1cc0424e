"""The manual's formulas for fragments of mma, transcribed one by one (9.7.14.5.1 to 9.7.14.5.13).

Each tells row and column of element i from groupID (g) and threadID_in_group (t).
"""

from __future__ import annotations

from collections.abc import Callable

Place = Callable[[int, int, int], tuple[int, int]]

# fmt: off
#    shape        width            row                                          column
A: dict[tuple[str, int], Place] = {
    ("m8n8k4",    64): lambda g, t, i: (g,                                      t),
    ("m8n8k16",    8): lambda g, t, i: (g,                                      t * 4 + i),
    ("m8n8k32",    4): lambda g, t, i: (g,                                      t * 8 + i),
    ("m8n8k128",   1): lambda g, t, i: (g,                                      t * 32 + i),
    ("m16n8k4",   32): lambda g, t, i: (g if i == 0 else g + 8,                 t),
    ("m16n8k4",   64): lambda g, t, i: (g if i == 0 else g + 8,                 t),
    ("m16n8k8",   16): lambda g, t, i: (g if i in (0, 1) else g + 8,            t * 2 + (i & 1)),
    ("m16n8k8",   32): lambda g, t, i: (g if i in (0, 2) else g + 8,            t if i in (0, 1) else t + 4),
    ("m16n8k8",   64): lambda g, t, i: (g if i in (0, 2) else g + 8,            t if i in (0, 1) else t + 4),
    ("m16n8k16",  16): lambda g, t, i: (g if i < 2 or 4 <= i < 6 else g + 8,    t * 2 + (i & 1) + 8 * (i >= 4)),
    ("m16n8k16",  64): lambda g, t, i: (g if i % 2 == 0 else g + 8,             i * 2 + t - 2 * (i % 2)),
    ("m16n8k16",   8): lambda g, t, i: (g if i < 4 else g + 8,                  t * 4 + (i & 3)),
    ("m16n8k32",   4): lambda g, t, i: (g if i < 8 else g + 8,                  t * 8 + (i & 7)),
    ("m16n8k32",   8): lambda g, t, i: (g if i < 4 or 8 <= i < 12 else g + 8,   t * 4 + (i & 3) + 16 * (i >= 8)),
    ("m16n8k64",   4): lambda g, t, i: (g if i < 8 or 16 <= i < 24 else g + 8,  t * 8 + (i & 7) + 32 * (i >= 16)),
    ("m16n8k128",  1): lambda g, t, i: (g if i < 32 else g + 8,                 t * 32 + (i & 31)),
    ("m16n8k256",  1): lambda g, t, i: (g if i < 32 or 64 <= i < 96 else g + 8, t * 32 + (i & 31) + 128 * (i >= 64)),
}
B: dict[tuple[str, int], Place] = {
    ("m8n8k4",    64): lambda g, t, i: (t,                                      g),
    ("m8n8k16",    8): lambda g, t, i: (t * 4 + i,                              g),
    ("m8n8k32",    4): lambda g, t, i: (t * 8 + i,                              g),
    ("m8n8k128",   1): lambda g, t, i: (t * 32 + i,                             g),
    ("m16n8k4",   32): lambda g, t, i: (t,                                      g),
    ("m16n8k4",   64): lambda g, t, i: (t,                                      g),
    ("m16n8k8",   16): lambda g, t, i: (t * 2 + i,                              g),
    ("m16n8k8",   32): lambda g, t, i: (t if i == 0 else t + 4,                 g),
    ("m16n8k8",   64): lambda g, t, i: (t if i == 0 else t + 4,                 g),
    ("m16n8k16",  16): lambda g, t, i: (t * 2 + (i & 1) + 8 * (i >= 2),         g),
    ("m16n8k16",  64): lambda g, t, i: (t + i * 4,                              g),
    ("m16n8k16",   8): lambda g, t, i: (t * 4 + i,                              g),
    ("m16n8k32",   4): lambda g, t, i: (t * 8 + (i & 7),                        g),
    ("m16n8k32",   8): lambda g, t, i: (t * 4 + (i & 3) + 16 * (i >= 4),        g),
    ("m16n8k64",   4): lambda g, t, i: (t * 8 + (i & 7) + 32 * (i >= 8),        g),
    ("m16n8k128",  1): lambda g, t, i: (t * 32 + i,                             g),
    ("m16n8k256",  1): lambda g, t, i: (t * 32 + (i & 31) + 128 * (i >= 32),    g),
}
C: dict[int, Place] = {  # by the number of rows
    8:                 lambda g, t, i: (g,                                      t * 2 + (i & 1)),
    16:                lambda g, t, i: (g if i < 2 else g + 8,                  t * 2 + (i & 1)),
}
# fmt: on

# m8n8k4 of f16: four products, each in lanes 4q to 4q + 3 and 16 + 4q to 16 + 4q + 3; from %laneid and i.

Old = Callable[[int, int], tuple[int, int]]


def _half(lane: int, i: int) -> int:
    return i if lane < 16 else i + 4


OLD_A: dict[str, Old] = {
    "row": lambda lane, i: (_half(lane, lane % 4), i),
    "col": lambda lane, i: (_half(lane, i % 4), lane % 4),
}
OLD_B: dict[str, Old] = {
    "row": lambda lane, i: (lane % 4, _half(lane, i)),
    "col": lambda lane, i: (i, _half(lane, lane % 4)),
}
OLD_C: dict[str, Old] = {
    "f16": lambda lane, i: (_half(lane, lane % 4), i),
    "f32": lambda lane, i: (_half(lane, (lane & 1) + (i & 2)), (i & 4) + (lane & 2) + (i & 1)),
}
