"""The predefined, read-only registers of chapter 10: their types, and the versions since which they exist."""

from __future__ import annotations

from openptx.isa.notation.gates import Gate, gate
from openptx.isa.types import TYPES, Type


class SpecialRegister:
    """A special register by its name without `%`. `vector` ones have `.x .y .z .w` (`.w` is always zero).

    `narrowest`: the smallest width in which `mov` reads it or a component of it: smaller than its type if it was so in
    an early PTX version.
    """

    __slots__ = ("gate", "name", "narrowest", "type", "vector")

    def __init__(self, name: str, type: Type, vector: bool, narrowest: int, gate: Gate) -> None:
        self.name = name
        self.type = type
        self.vector = vector
        self.narrowest = narrowest
        self.gate = gate

    def __repr__(self) -> str:
        return f".sreg {'.v4 ' if self.vector else ''}{self.type} %{self.name}"


_ONCE_NARROWER = {"tid": 16, "ntid": 16, "ctaid": 16, "nctaid": 16, "gridid": 16}
"""The width of these registers in PTX 1.0. Programs may still read them in that width (10.1, 10.2, 10.6, 10.7,
10.10)."""

# fmt: off
# name                           type       since                section
_ROWS = (
    ("tid",                        "v4.u32", "PTX 1.0"),         # 10.1
    ("ntid",                       "v4.u32", "PTX 1.0"),         # 10.2
    ("laneid",                     "u32",    "PTX 1.3"),         # 10.3
    ("warpid",                     "u32",    "PTX 1.3"),         # 10.4
    ("nwarpid",                    "u32",    "PTX 2.0, sm_20"),  # 10.5
    ("ctaid",                      "v4.u32", "PTX 1.0"),         # 10.6
    ("nctaid",                     "v4.u32", "PTX 1.0"),         # 10.7
    ("smid",                       "u32",    "PTX 1.3"),         # 10.8
    ("nsmid",                      "u32",    "PTX 2.0, sm_20"),  # 10.9
    ("gridid",                     "u64",    "PTX 1.0"),         # 10.10
    ("is_explicit_cluster",        "pred",   "PTX 7.8, sm_90"),  # 10.11
    ("clusterid",                  "v4.u32", "PTX 7.8, sm_90"),  # 10.12
    ("nclusterid",                 "v4.u32", "PTX 7.8, sm_90"),  # 10.13
    ("cluster_ctaid",              "v4.u32", "PTX 7.8, sm_90"),  # 10.14
    ("cluster_nctaid",             "v4.u32", "PTX 7.8, sm_90"),  # 10.15
    ("cluster_ctarank",            "u32",    "PTX 7.8, sm_90"),  # 10.16
    ("cluster_nctarank",           "u32",    "PTX 7.8, sm_90"),  # 10.17
    ("lanemask_eq",                "u32",    "PTX 2.0, sm_20"),  # 10.18
    ("lanemask_le",                "u32",    "PTX 2.0, sm_20"),  # 10.19
    ("lanemask_lt",                "u32",    "PTX 2.0, sm_20"),  # 10.20
    ("lanemask_ge",                "u32",    "PTX 2.0, sm_20"),  # 10.21
    ("lanemask_gt",                "u32",    "PTX 2.0, sm_20"),  # 10.22
    ("clock",                      "u32",    "PTX 1.0"),         # 10.23
    ("clock_hi",                   "u32",    "PTX 5.0, sm_20"),
    ("clock64",                    "u64",    "PTX 2.0, sm_20"),  # 10.24
    ("pm0 pm1 pm2 pm3",            "u32",    "PTX 1.3"),         # 10.25
    ("pm4 pm5 pm6 pm7",            "u32",    "PTX 3.0, sm_20"),
    (" ".join(f"pm{i}_64" for i in range(8)), "u64", "PTX 4.0, sm_50"),  # 10.26
    (" ".join(f"envreg{i}" for i in range(32)), "b32", "PTX 2.1"),  # 10.27
    ("globaltimer",                "u64",    "PTX 3.1, sm_30"),  # 10.28
    ("globaltimer_lo globaltimer_hi", "u32", "PTX 3.1, sm_30"),
    ("reserved_smem_offset_begin reserved_smem_offset_end reserved_smem_offset_cap "
     "reserved_smem_offset_0 reserved_smem_offset_1", "b32", "PTX 7.6, sm_80"),  # 10.29
    ("total_smem_size",            "u32",    "PTX 4.1, sm_20"),  # 10.30
    ("aggr_smem_size",             "u32",    "PTX 8.1, sm_90"),  # 10.31
    ("dynamic_smem_size",          "u32",    "PTX 4.1, sm_20"),  # 10.32
    ("current_graph_exec",         "u64",    "PTX 8.0, sm_50"),  # 10.33
)
# fmt: on


def _registers() -> dict[str, SpecialRegister]:
    registers: dict[str, SpecialRegister] = {}
    for names, type_name, since in _ROWS:
        vector, _, scalar = type_name.rpartition(".")
        for name in names.split():
            type = TYPES[scalar]
            narrowest = _ONCE_NARROWER.get(name, type.width)
            registers[name] = SpecialRegister(name, type, bool(vector), narrowest, gate(since))
    return registers


SPECIAL_REGISTERS: dict[str, SpecialRegister] = _registers()
"""All special registers by name, without `%`."""

NOT_ENFORCED = frozenset((gate("PTX 2.1"),))
"""Gates of special registers that the assembler does not enforce: `%envreg0` in PTX 1.0 (measured)."""


def is_predefined(name: str) -> bool:
    """Whether PTX itself predefines this name."""
    return name == "WARP_SZ" or (name[:1] == "%" and name[1:] in SPECIAL_REGISTERS)


MULTIPROCESSORS = 1  # all CTAs report multiprocessor 0: they share one processor's caches
RESERVED_SHARED = 1024
"""Bytes of shared memory reserved by the system for each CTA from sm_80 on. Cooperative groups larger than a warp keep
their barriers there (cooperative_groups/details/memory.h), at `%reserved_smem_offset_1`; these 288 bytes need no
initial value."""
RESERVED_OFFSETS = {"begin": 0, "end": RESERVED_SHARED, "cap": RESERVED_SHARED, "0": 0, "1": RESERVED_SHARED // 2}
"""The values of `%reserved_smem_offset_<key>`: reserved bytes precede the CTA's own."""


def allocation_unit(target: str) -> int:
    """The granularity in bytes at which a target allocates shared memory to CTAs (10.30)."""
    return 256 if len(target) == 5 and target[3] in "3567" else 128


WARPS = 64  # the maximum on a multiprocessor, as on an H100
