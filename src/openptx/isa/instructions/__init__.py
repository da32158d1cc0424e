"""Section 9.7 of the manual, a module or a few for each of its sections."""

from __future__ import annotations

from openptx.isa.notation import INSTRUCTIONS

# fmt: off
SECTIONS: dict[str, str] = {
    "integer_arithmetic":   "9.7.1",
    "extended_precision":   "9.7.2",
    "floating_point":       "9.7.3",
    "half_precision":       "9.7.4",
    "mixed_precision":      "9.7.5",
    "comparison_selection": "9.7.6",
    "half_comparison":      "9.7.7",
    "logic_shift":          "9.7.8",
    "move":                 "9.7.9",
    "load_store":           "9.7.9",
    "async_store":          "9.7.9",
    "multimem":             "9.7.9",
    "cache_control":        "9.7.9",
    "addressing":           "9.7.9",
    "convert":              "9.7.9",
    "async_copy":           "9.7.9",
    "tensor_copy":          "9.7.9",
    "texture":              "9.7.10",
    "surface":              "9.7.11",
    "control_flow":         "9.7.12",
    "barrier":              "9.7.13",
    "fence":                "9.7.13",
    "atomic":               "9.7.13",
    "warp":                 "9.7.13",
    "launch_control":       "9.7.13",
    "mbarrier":             "9.7.13",
    "wmma":                 "9.7.14",
    "mma":                  "9.7.14",
    "mma_sparse":           "9.7.14",
    "matrix_movement":      "9.7.14",
    "wgmma":                "9.7.15",
    "tensor_memory":        "9.7.16",
    "tensor_multiply":      "9.7.16",
    "stack":                "9.7.17",
    "video":                "9.7.18",
    "miscellaneous":        "9.7.19",
}
"""Modules and the sections that they mirror, in the manual's order, which is the order of candidate forms."""
# fmt: on

for _module, _section in SECTIONS.items():
    _first = len(INSTRUCTIONS)
    __import__(f"{__name__}.{_module}")
    for _each in INSTRUCTIONS[_first:]:
        _each.module, _each.section = _module, _section
