"""Directives, attributes and pragmas: where each is allowed, since which version, and its purpose (5.4.8, 11, 12)."""

from __future__ import annotations

from openptx.isa.notation.gates import Gate, gate


class Directive:
    """A directive by its name without the dot.

    `places` lists where it is allowed: module, entry (the header of a kernel), func (that of a function), body,
    prototype, variable, linkage (before a function or a variable).
    """

    __slots__ = ("anchor", "gate", "name", "places", "section", "summary")

    def __init__(self, name: str, places: str, since: str, section: str, summary: str) -> None:
        self.name = name
        self.places = frozenset(places.split())
        self.gate: Gate = gate(since)
        self.section = section
        self.summary = summary
        self.anchor = f"directives-{name.replace('_', '-')}"

    def __repr__(self) -> str:
        return f".{self.name}"


# fmt: off
DIRECTIVES: dict[str, Directive] = {d.name: d for d in (
    #         name                    stands in          since              section   is for
    Directive("version",              "module",          "PTX 1.0",         "11.1.1", "the PTX version of the file"),
    Directive("target",               "module",          "PTX 1.0",         "11.1.2", "the architecture and options"),
    Directive("address_size",         "module",          "PTX 2.3",         "11.1.3", "the width of addresses"),
    Directive("entry",                "module",          "PTX 1.0",         "11.2.1", "a kernel"),
    Directive("func",                 "module",          "PTX 1.0",         "11.2.2", "a function"),
    Directive("alias",                "module",          "PTX 6.3, sm_30",  "11.2.3", "a second name"),
    Directive("branchtargets",        "body",            "PTX 2.1, sm_20",  "11.3.1", "the labels of a brx.idx"),
    Directive("calltargets",          "body",            "PTX 2.1, sm_20",  "11.3.2", "the callees of a call"),
    Directive("callprototype",        "body",            "PTX 2.1, sm_20",  "11.3.3", "the signature of a call"),
    Directive("maxnreg",              "entry",           "PTX 1.3",         "11.4.1", "the most registers of a thread"),
    Directive("maxntid",              "entry",           "PTX 1.3",         "11.4.2", "the largest block"),
    Directive("reqntid",              "entry",           "PTX 2.1",         "11.4.3", "the block that is launched"),
    Directive("minnctapersm",         "entry",           "PTX 2.0",         "11.4.4", "the fewest CTAs on an SM"),
    Directive("maxnctapersm",         "entry",           "PTX 1.3",         "11.4.5", "deprecated: use .minnctapersm"),
    Directive("noreturn",             "func prototype",  "PTX 6.4, sm_30",  "11.4.6", "a function that never returns"),
    Directive("pragma",               "module entry body", "PTX 2.0",       "11.4.7", "advice to the compiler"),
    Directive("abi_preserve",         "func prototype",  "PTX 9.0, sm_80",  "11.4.8", "registers the callee saves"),
    Directive("abi_preserve_control", "func prototype",  "PTX 9.0, sm_80",  "11.4.9", "predicates the callee saves"),
    Directive("section",              "module",          "PTX 2.0",         "11.5.2", "DWARF data"),
    Directive("file",                 "module",          "PTX 1.0",         "11.5.3", "a source file and its number"),
    Directive("loc",                  "body",            "PTX 1.0",         "11.5.4", "the line of what follows"),
    Directive("extern",               "linkage",         "PTX 1.0",         "11.6.1", "defined in another module"),
    Directive("visible",              "linkage",         "PTX 1.0",         "11.6.2", "seen by other modules"),
    Directive("weak",                 "linkage",         "PTX 3.1",         "11.6.3", "replaceable at linking"),
    Directive("common",               "linkage",         "PTX 5.0, sm_20",  "11.6.4", "may be defined several times"),
    Directive("reqnctapercluster",    "entry",           "PTX 7.8, sm_90",  "11.7.1", "the cluster that is launched"),
    Directive("explicitcluster",      "entry",           "PTX 7.8, sm_90",  "11.7.2", "launched with a cluster only"),
    Directive("maxclusterrank",       "entry",           "PTX 7.8, sm_90",  "11.7.3", "the most CTAs of a cluster"),
    Directive("blocksareclusters",    "entry",           "PTX 9.0, sm_90",  "11.8.1", "the grid counts clusters"),
    Directive("attribute",            "variable func",   "PTX 4.0",         "5.4.8",  "where something lives"),
    Directive("align",                "variable",        "PTX 1.0",         "5.4.5",  "the alignment of a variable"),
    Directive("ptr",                  "entry",           "PTX 2.2",         "5.1.6.3", "what a pointer points to"),
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
