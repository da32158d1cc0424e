"""Section 9.7 of the manual: one module or a few for each of its sections."""

from __future__ import annotations

import sys

from openptx.isa.mnemonics import MODULES
from openptx.isa.notation import INSTRUCTIONS, Instruction

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
    "tensor_overrides":     "9.7.9",
    "tensor_map":           "9.7.9",
    "texture":              "9.7.10",
    "surface":              "9.7.11",
    "control_flow":         "9.7.12",
    "barrier":              "9.7.13",
    "fence":                "9.7.13",
    "atomic":               "9.7.13",
    "warp":                 "9.7.13",
    "launch_control":       "9.7.13",
    "mbarrier":             "9.7.13",
    "mbarrier_reports":     "9.7.13",
    "fabric":               "9.7.13",
    "wmma":                 "9.7.14",
    "mma":                  "9.7.14",
    "mma_sparse":           "9.7.14",
    "matrix_movement":      "9.7.14",
    "wgmma":                "9.7.15",
    "tensor_allocation":    "9.7.16",
    "tensor_memory":        "9.7.16",
    "structured_sparsity":  "9.7.16",
    "tensor_multiply":      "9.7.16",
    "stack":                "9.7.17",
    "video":                "9.7.18",
    "miscellaneous":        "9.7.19",
    "undescribed":          "9.7.19",
}
"""Modules and the sections that they mirror, in the manual's order, which is the order of candidate forms."""
# fmt: on
_PLACES = {module: place for place, module in enumerate(SECTIONS)}
_mnemonics: dict[str, list[Instruction]] = {}
"""All instructions by mnemonic; empty until all are first requested."""


def instructions_of(mnemonic: str) -> list[Instruction]:
    """The instructions of a mnemonic, in the manual's order; imports only the modules that declare them.

    A mnemonic that `MODULES` lacks may be newer than that table, so all modules are searched.
    """
    if mnemonic not in MODULES:
        return mnemonics().get(mnemonic, [])
    for module in MODULES[mnemonic].split():
        _import(module)
    return sorted((each for each in INSTRUCTIONS if each.mnemonic == mnemonic), key=_place)


def mnemonics() -> dict[str, list[Instruction]]:
    """All instructions by mnemonic, in the manual's order; imports every module."""
    if not _mnemonics:
        for module in SECTIONS:
            _import(module)
        INSTRUCTIONS[:] = sorted(INSTRUCTIONS, key=_place)  # at once: other threads never see it empty
        found: dict[str, list[Instruction]] = {}
        for each in INSTRUCTIONS:
            found.setdefault(each.mnemonic, []).append(each)
        _mnemonics.update(found)
    return _mnemonics


def _import(module: str) -> None:
    """Imports a module, and keeps its instructions in the order of their declaration.

    A module may import others, whose instructions start later in the list, so the newest modules are searched first for
    their own.
    """
    known, wanted = len(sys.modules), f"{__name__}.{module}"
    __import__(wanted)
    for name in (*reversed(tuple(sys.modules)[known:]), wanted):
        own = name.removeprefix(f"{__name__}.")
        if own not in SECTIONS or own == name:
            continue
        for each in vars(sys.modules[name]).values():
            if isinstance(each, Instruction) and not each.module:
                each.module, each.section = own, SECTIONS[own]


def _place(instruction: Instruction) -> int:
    return _PLACES.get(instruction.module, len(_PLACES))
