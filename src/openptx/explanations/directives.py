"""Explains directives, attributes of variables, pragmas and the state spaces of declarations (PTX ISA 5.1, 5.4.8, 11,
12)."""

from __future__ import annotations

from openptx.diagnostics.terminal import title
from openptx.explanations.descriptions import MANUAL
from openptx.isa.directives import ATTRIBUTES, DIRECTIVES, PRAGMAS

# fmt: off
SYNTAX = {
    # the file
    "version":                ".version major.minor",
    "target":                 ".target sm_NN{, option}",
    "address_size":           ".address_size 64",
    # kernels and functions
    "entry":                  ".entry name(params) { ... }",
    "func":                   ".func (result) name(params) { ... }",
    "alias":                  ".alias name, function;",
    # lists of a body
    "branchtargets":          "list: .branchtargets label, label;",
    "calltargets":            "list: .calltargets function, function;",
    "callprototype":          "prototype: .callprototype (result) _ (params);",
    # limits of a kernel
    "maxnreg":                ".maxnreg n",
    "maxntid":                ".maxntid nx{, ny{, nz}}",
    "reqntid":                ".reqntid nx{, ny{, nz}}",
    "minnctapersm":           ".minnctapersm n",
    "maxnctapersm":           ".maxnctapersm n",
    "noreturn":               ".noreturn",
    "pragma":                 '.pragma "string";',
    "abi_preserve":           ".abi_preserve n",
    "abi_preserve_control":   ".abi_preserve_control n",
    # debug information
    "section":                ".section .debug_info { .b8 1, 2 ... }",
    "file":                   '.file index "name"{, timestamp, size}',
    "loc":                    ".loc file line column{, function_name label, inlined_at file line column}",
    # linking
    "extern":                 ".extern declaration",
    "visible":                ".visible definition",
    "weak":                   ".weak definition",
    "common":                 ".common .global declaration",
    # clusters
    "reqnctapercluster":      ".reqnctapercluster nx{, ny{, nz}}",
    "explicitcluster":        ".explicitcluster",
    "maxclusterrank":         ".maxclusterrank n",
    "blocksareclusters":      ".blocksareclusters",
    # variables and parameters
    "attribute":              ".attribute(attribute, attribute)",
    "managed":                ".attribute(.managed)",
    "unified":                ".attribute(.unified(high, low))",
    "align":                  ".align n",
    "ptr":                    ".param .u64 .ptr{.space}{.align n} name",
    # state spaces
    "reg":                    ".reg .type name{<n>};",
    "global":                 ".global .type name{[n]}{ = value};",
    "shared":                 ".shared .type name{[n]};",
    "local":                  ".local .type name{[n]};",
    "const":                  ".const .type name{[n]}{ = value};",
    "param":                  ".param .type name{[n]}",
    "tex":                    ".tex .u64 name;",
    # pragmas
    "nounroll":               '.pragma "nounroll";',
    "used_bytes_mask":        '.pragma "used_bytes_mask mask";',
    "enable_smem_spilling":   '.pragma "enable_smem_spilling";',
    "frequency":              '.pragma "frequency n";',
}
"""How it is written."""

MEANINGS = {
    # the file
    "version":                "the version of PTX that the file is written in; its first statement",
    "target":                 "the architecture that the file is for, and options such as `debug`; follows `.version`",
    "address_size":           "the width of addresses, 32 or 64; without it 32",
    # kernels and functions
    "entry":                  "a kernel, which the host launches",
    "func":                   "a function, which kernels and functions call; without a body, its declaration",
    "alias":                  "a second name of a function that this file defines; both have the same parameters",
    # lists of a body
    "branchtargets":          "the labels that a `brx.idx` may branch to",
    "calltargets":            "the functions that an indirect `call` may call",
    "callprototype":          "the parameters and the result of the functions that an indirect `call` may call",
    # limits of a kernel
    "maxnreg":                "the most registers that each thread may have",
    "maxntid":                "a launch may have at most nx * ny * nz threads in a block",
    "reqntid":                "a launch must have blocks of this size",
    "minnctapersm":           "at least so many blocks fit on a multiprocessor at once; needs `.maxntid` or `.reqntid`",
    "maxnctapersm":           "the former name of `.minnctapersm`",
    "noreturn":               "the function does not return to its caller; it has no result",
    "pragma":                 "advice to the compiler, without influence on results; unknown strings are ignored",
    "abi_preserve":           "the number of registers that the function preserves for its callers",
    "abi_preserve_control":   "the number of control registers that the function preserves for its callers",
    # debug information
    "section":                "a section of DWARF data",
    "file":                   "the number of a source file, for `.loc`",
    "loc":                    "the place in the source of the instructions that follow",
    # linking
    "extern":                 "another module defines the symbol",
    "visible":                "other modules, and the host, can name the symbol; without it only this file can",
    "weak":                   "visible, but the linker prefers a definition that is `.visible`",
    "common":                 "several modules may define the variable; the linker keeps the largest definition",
    # clusters
    "reqnctapercluster":      "a launch has clusters of this many blocks",
    "explicitcluster":        "a launch must say the size of its clusters, unless `.reqnctapercluster` does",
    "maxclusterrank":         "a cluster may have at most n blocks; not together with `.reqnctapercluster`",
    "blocksareclusters":      "the grid of a launch counts clusters; needs `.reqntid` and `.reqnctapercluster`",
    # variables and parameters
    "attribute":              "what else is known of a variable or a function",
    "managed":                "the host and all GPUs share the memory",
    "unified":                "the variable is the host's that has this identifier of 128 bits",
    "align":                  "the address is a multiple of n, a power of two",
    "ptr":                    "the parameter is a pointer, to this state space and with this alignment",
    # state spaces
    "reg":                    "registers of a thread; `%r<4>` declares %r0 to %r3",
    "global":                 "a variable in global memory, which all threads and the host access",
    "shared":                 "a variable in the shared memory of a block; a launch sets the size of an `.extern` one",
    "local":                  "a variable in the memory of a thread",
    "const":                  "a variable in constant memory: at most 64 KB, read by all threads, written by the host",
    "param":                  "a parameter of a kernel or a function, or, within a body, an argument of a call",
    "tex":                    "a texture; deprecated, `.global .texref name;` replaces it",
    # pragmas
    "nounroll":               "loops are not unrolled: of the module, the kernel, or from the next label on",
    "used_bytes_mask":        "the bytes of the next load's result that are used, as a mask of 32 bits",
    "enable_smem_spilling":   "registers are spilled to shared memory before local memory",
    "frequency":              "how often a thread executes the basic block that begins here",
}
"""What it means."""

PLACES = {
    "module":    "outside of functions",
    "entry":     "in the header of a kernel",
    "func":      "in the header of a function",
    "prototype": "in a `.callprototype`",
    "body":      "in a body",
    "variable":  "in the declaration of a variable",
    "linkage":   "before the declaration of a function or a variable",
}
# fmt: on


def explain_directive(word: str) -> str | None:
    """A directive, a state space of declarations, an attribute or a pragma, with or without its dot."""
    name = word.removeprefix(".")
    if name not in SYNTAX:
        return None
    where, since, anchor = _facts(name)
    shown = f'"{name}"' if name in PRAGMAS else f".{name}"
    lines = [title(shown), MEANINGS[name], "", f"    {SYNTAX[name]}", "", f"where:  {where}", f"since:  {since}"]
    return "\n".join([*lines, f"manual: {MANUAL}{anchor}"])


def _facts(name: str) -> tuple[str, str, str]:
    """Where it is allowed, since when, and its anchor in the manual."""
    if name in ATTRIBUTES:
        return PLACES["variable"], ATTRIBUTES[name].text, DIRECTIVES["attribute"].anchor
    if name in PRAGMAS:
        return PLACES["body"], PRAGMAS[name].text, f"pragma-strings-{name.replace('_', '-')}"
    if name not in DIRECTIVES:
        return f"{PLACES['module']} or {PLACES['body']}", "PTX 1.0", "state-spaces"
    directive = DIRECTIVES[name]
    where = " or ".join(words for place, words in PLACES.items() if place in directive.places)
    return where, directive.gate.text, directive.anchor
