"""Directives, attributes and pragmas: where each is allowed, and since which version (5.4.8, 11, 12)."""

from __future__ import annotations

from openptx.isa.notation.gates import Gate, gate

# How the anchors of the manual's chapters begin, and those of sections elsewhere.
_CHAPTERS = {
    "11.1": "ptx-module-directives",
    "11.2": "kernel-and-function-directives",
    "11.3": "control-flow-directives",
    "11.4": "performance-tuning-directives",
    "11.5": "debugging-directives",
    "11.6": "linking-directives",
    "11.7": "cluster-dimension-directives",
    "11.8": "miscellaneous-directives",
}
_SECTIONS = {
    "5.4.8": "variable-and-function-attribute-directive-attribute",
    "5.4.5": "alignment",
    "5.1.6.3": "kernel-parameter-attribute-ptr",
}


class Directive:
    """A directive by its name without the dot.

    `places` lists where it is allowed: module, entry (the header of a kernel), func (that of a function), body,
    prototype, variable, linkage (before a function or a variable).
    """

    __slots__ = ("anchor", "gate", "name", "places", "section")

    def __init__(self, name: str, places: str, since: str, section: str) -> None:
        self.name = name
        self.places = frozenset(places.split())
        self.gate: Gate = gate(since)
        self.section = section
        chapter = _CHAPTERS.get(section.rpartition(".")[0])
        self.anchor = f"{chapter}-{name.replace('_', '-')}" if chapter else _SECTIONS[section]

    def __repr__(self) -> str:
        return f".{self.name}"


# fmt: off
DIRECTIVES: dict[str, Directive] = {d.name: d for d in (
    #         name                    stands in          since              section
    Directive("version",              "module",          "PTX 1.0",         "11.1.1"),
    Directive("target",               "module",          "PTX 1.0",         "11.1.2"),
    Directive("address_size",         "module",          "PTX 2.3",         "11.1.3"),
    Directive("entry",                "module",          "PTX 1.0",         "11.2.1"),
    Directive("func",                 "module",          "PTX 1.0",         "11.2.2"),
    Directive("alias",                "module",          "PTX 6.3, sm_30",  "11.2.3"),
    Directive("branchtargets",        "body",            "PTX 2.1, sm_20",  "11.3.1"),
    Directive("calltargets",          "body",            "PTX 2.1, sm_20",  "11.3.2"),
    Directive("callprototype",        "body",            "PTX 2.1, sm_20",  "11.3.3"),
    Directive("maxnreg",              "entry",           "PTX 1.3",         "11.4.1"),
    Directive("maxntid",              "entry",           "PTX 1.3",         "11.4.2"),
    Directive("reqntid",              "entry",           "PTX 2.1",         "11.4.3"),
    Directive("minnctapersm",         "entry",           "PTX 2.0",         "11.4.4"),
    Directive("maxnctapersm",         "entry",           "PTX 1.3",         "11.4.5"),
    Directive("noreturn",             "func prototype",  "PTX 6.4, sm_30",  "11.4.6"),
    Directive("pragma",               "module entry body", "PTX 2.0",       "11.4.7"),
    Directive("abi_preserve",         "func prototype",  "PTX 9.0, sm_80",  "11.4.8"),
    Directive("abi_preserve_control", "func prototype",  "PTX 9.0, sm_80",  "11.4.9"),
    Directive("section",              "module",          "PTX 2.0",         "11.5.2"),
    Directive("file",                 "module",          "PTX 1.0",         "11.5.3"),
    Directive("loc",                  "body",            "PTX 1.0",         "11.5.4"),
    Directive("extern",               "linkage",         "PTX 1.0",         "11.6.1"),
    Directive("visible",              "linkage",         "PTX 1.0",         "11.6.2"),
    Directive("weak",                 "linkage",         "PTX 3.1",         "11.6.3"),
    Directive("common",               "linkage",         "PTX 5.0, sm_20",  "11.6.4"),
    Directive("reqnctapercluster",    "entry",           "PTX 7.8, sm_90",  "11.7.1"),
    Directive("explicitcluster",      "entry",           "PTX 7.8, sm_90",  "11.7.2"),
    Directive("maxclusterrank",       "entry",           "PTX 7.8, sm_90",  "11.7.3"),
    Directive("blocksareclusters",    "entry",           "PTX 9.0, sm_90",  "11.8.1"),
    Directive("attribute",            "variable func",   "PTX 4.0",         "5.4.8"),
    Directive("align",                "variable",        "PTX 1.0",         "5.4.5"),
    Directive("ptr",                  "entry",           "PTX 2.2",         "5.1.6.3"),
)}

ATTRIBUTES: dict[str, Gate] = {
    "managed": gate("PTX 4.0, sm_30"),
    "unified": gate("PTX 8.0, sm_90"),
}
"""What is allowed in `.attribute(...)` (5.4.8)."""

PRAGMAS: dict[str, Gate] = {
    "nounroll":             gate("PTX 2.0, sm_20"),
    "used_bytes_mask":      gate("PTX 8.3, sm_50"),
    "enable_smem_spilling": gate("PTX 9.0, sm_75"),
    "frequency":            gate("PTX 9.0"),
}
"""The pragma strings that the manual describes (chapter 12); unknown ones are ignored."""
# fmt: on

_SPACES = ("const", "global", "local", "param", "reg", "shared", "tex")
NAMES = tuple(sorted(f".{name}" for name in (*DIRECTIVES, *_SPACES) if name != "ptr"))
"""The words, dots included, that a statement, or a declaration within one, may begin with."""


def pragma_in(string: str) -> str:
    """The pragma that a string begins with, or nothing: the assembler compares no more than that (ptxas 13.5)."""
    return next((name for name in PRAGMAS if string.startswith(name)), "")
