"""The commands of `openptx`, a module each, in the order of `openptx --help`."""

from __future__ import annotations

# fmt: off
#    command       what it does
COMMANDS = {
    "check":      "find every error in PTX files",
    "run":        "run a kernel on NumPy arrays",
    "sanitize":   "run a kernel and report races, undefined values, misused barriers",
    "profile":    "run a kernel and count its instructions and memory traffic",
    "prove":      "prove two kernels equivalent, or show where they differ",
    "debug":      "run a kernel step by step and inspect its threads and memory",
    "exec":       "run a program that uses CUDA, without a GPU",
    "test":       "run tests: case folders and annotated PTX files",
    "record":     "run a program on this computer's GPU and record its launches",
    "replay":     "run launches that were recorded on a GPU and compare every byte",
    "convert":    "convert numbers between formats exactly as `cvt` does",
    "explain":    "explain an error code, instruction, modifier, literal or type",
    "isa":        "list instructions, their forms, and which of them can be executed",
    "fmt":        "format PTX files",
    "link":       "link PTX files into one",
    "extract":    "extract the PTX from programs and libraries",
    "lsp":        "run the language server for an editor",
    "completion": "print a completion script for a shell",
    "cache":      "show or clear the cache of compiled kernels",
    "demo":       "check and run an example kernel",
}
# fmt: on
