"""Explains special registers (PTX ISA 10)."""

from __future__ import annotations

import re

from openptx.diagnostics.terminal import title
from openptx.explanations.descriptions import MANUAL
from openptx.isa.special_registers import SPECIAL_REGISTERS

# fmt: off
MEANINGS = {
    "tid":                        "the index of the thread in its block",
    "ntid":                       "the size of a block, in threads",
    "laneid":                     "the lane of the thread in its warp, 0 to 31",
    "warpid":                     "the number of the warp in its block; it may change while the thread runs",
    "nwarpid":                    "the most warp numbers",
    "ctaid":                      "the index of the block in the grid",
    "nctaid":                     "the size of the grid, in blocks",
    "smid":                       "the number of the multiprocessor; it may change while the thread runs",
    "nsmid":                      "the most multiprocessor numbers",
    "gridid":                     "the number of the launch, different for each within a context",
    "is_explicit_cluster":        "whether the launch gave a size of clusters",
    "clusterid":                  "the index of the cluster in the grid",
    "nclusterid":                 "the size of the grid, in clusters",
    "cluster_ctaid":              "the index of the block in its cluster",
    "cluster_nctaid":             "the size of a cluster, in blocks",
    "cluster_ctarank":            "the number of the block in its cluster, as `mapa` takes it",
    "cluster_nctarank":           "the number of blocks of a cluster",
    "lanemask_eq":                "the bit of the thread's own lane",
    "lanemask_le":                "the bits of the lanes up to the thread's own",
    "lanemask_lt":                "the bits of the lanes below the thread's own",
    "lanemask_ge":                "the bits of the lanes from the thread's own on",
    "lanemask_gt":                "the bits of the lanes above the thread's own",
    "clock":                      "a counter of clock cycles, the lower 32 bits",
    "clock_hi":                   "a counter of clock cycles, the upper 32 bits",
    "clock64":                    "a counter of clock cycles",
    "pm":                         "a performance counter, whose meaning the driver sets",
    "envreg":                     "a value that the driver sets before the launch",
    "globaltimer":                "a timer of all multiprocessors in nanoseconds, for NVIDIA's tools",
    "globaltimer_lo":             "the lower 32 bits of %globaltimer",
    "globaltimer_hi":             "the upper 32 bits of %globaltimer",
    "reserved_smem_offset_begin": "where the shared memory that the system reserves begins",
    "reserved_smem_offset_end":   "where the shared memory that the system reserves ends",
    "reserved_smem_offset_cap":   "the size of the shared memory that the system reserves",
    "reserved_smem_offset_":      "an offset within the shared memory that the system reserves",
    "total_smem_size":            "the bytes of shared memory of a block, without those that the system reserves",
    "aggr_smem_size":             "the bytes of shared memory of a block, with those that the system reserves",
    "dynamic_smem_size":          "the bytes of shared memory that the launch gave to each block",
    "current_graph_exec":         "the graph that the launch is a part of, 0 if none",
}
"""Names that have numbers in them are without them."""

SECTIONS = (
    (r"clock(_hi)?",             "clock-clock-hi"),
    (r"pm\d",                    "pm0-pm7"),
    (r"pm\d_64",                 "pm0-64-pm7-64"),
    (r"envreg\d+",               "envreg-32"),
    (r"globaltimer(_lo|_hi)?",   "globaltimer-globaltimer-lo-globaltimer-hi"),
    (r"reserved_smem_offset_.+", "reserved-smem-offset-begin-reserved-smem-offset-end-reserved-smem-offset-cap-"
                                 "reserved-smem-offset-2"),
)
"""The anchors of sections about several registers."""
# fmt: on


def explain_register(word: str) -> str | None:
    """A special register: what it contains, its type, since when; the constant `WARP_SZ`."""
    if word == "WARP_SZ":
        return f"{title(word)}\nthe number of threads of a warp, 32; a constant\n\nmanual:  {MANUAL}integer-constants"
    name, _, component = word.removeprefix("%").partition(".")
    register = SPECIAL_REGISTERS.get(name)
    if register is None or (component and (not register.vector or component not in "xyzw")):
        return None
    own = name.replace("_", "-")
    section = next((anchor for pattern, anchor in SECTIONS if re.fullmatch(pattern, name)), own)
    type = f"{register.type!r}; .x .y .z, and .w which is zero" if register.vector else repr(register.type)
    lines = [title(f"%{name}"), meaning(name), "", f"type:    {type}", f"since:   {register.gate.text}"]
    return "\n".join([*lines, f"manual:  {MANUAL}special-registers-{section}"])


def meaning(name: str) -> str:
    """What the special register with a name contains."""
    return MEANINGS.get(name) or MEANINGS[name.removesuffix("_64").rstrip("0123456789")]
