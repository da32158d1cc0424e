"""The commands of `openptx`, in the order of `openptx --help`."""

from __future__ import annotations

# fmt: off
#    command        module                    what it does
COMMANDS = {
    "check":      ("openptx.cli.check",      "find every error in PTX files"),
    "run":        ("openptx.cli.run",        "run a kernel on NumPy arrays"),
    "sanitize":   ("openptx.cli.sanitize",   "run a kernel and report races, undefined values, misused barriers"),
    "profile":    ("openptx.cli.profile",    "run a kernel and count its instructions and memory traffic"),
    "prove":      ("openptx.cli.prove",      "prove two kernels equivalent, or show where they differ"),
    "debug":      ("openptx.cli.debug",      "run a kernel step by step and inspect its threads and memory"),
    "exec":       ("openptx.cli.exec",       "run a program that uses CUDA, without a GPU"),
    "test":       ("openptx.cli.test",       "run tests: case folders and annotated PTX files"),
    "record":     ("openptx.cli.record",     "run a program on this computer's GPU and record its launches"),
    "replay":     ("openptx.cli.replay",     "run launches that were recorded on a GPU and compare every byte"),
    "convert":    ("openptx.cli.convert",    "convert numbers between formats exactly as `cvt` does"),
    "explain":    ("openptx.cli.explain",    "explain an error code, instruction, modifier, literal or type"),
    "isa":        ("openptx.cli.isa",        "list instructions, their forms, and which of them can be executed"),
    "fmt":        ("openptx.cli.fmt",        "format PTX files"),
    "link":       ("openptx.cli.link",       "link PTX files into one"),
    "extract":    ("openptx.cli.extract",    "extract the PTX from programs and libraries"),
    "lsp":        ("openptx.cli.lsp",        "run the language server for an editor"),
    "completion": ("openptx.cli.completion", "print a completion script for a shell"),
    "cache":      ("openptx.cli.cache",      "show or clear the cache of compiled kernels"),
    "demo":       ("openptx.cli.demo",       "check and run an example kernel"),
}
# fmt: on
