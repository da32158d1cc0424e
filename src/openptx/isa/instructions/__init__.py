"""Section 9.7 of the manual, a module or a few for each of its sections."""

from __future__ import annotations

import sys

from openptx.isa.notation import Instruction

# fmt: off
SECTIONS: dict[str, str] = {
    "integer_arithmetic":   "9.7.1",
    "integer_bits":         "9.7.1",
    "extended_precision":   "9.7.2",
    "floating_point":       "9.7.3",
    "elementary_functions": "9.7.3",
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


def _load() -> None:
    """Imports the modules, and tells every instruction its module and section.

    A module may import others; those start later, so the newest modules are asked first for what is theirs.
    """
    for module in SECTIONS:
        known = len(sys.modules)
        __import__(f"{__name__}.{module}")
        for name in reversed(tuple(sys.modules)[known:]):
            own = name.removeprefix(f"{__name__}.")
            if own in SECTIONS and own != name:
                _place(own, vars(sys.modules[name]))


def _place(module: str, names: dict[str, object]) -> None:
    for each in names.values():
        if isinstance(each, Instruction) and not each.module:
            each.module, each.section = module, SECTIONS[module]


_load()
