"""The commands of `openptx`, in the order of `openptx --help`."""

from __future__ import annotations

# fmt: off
#    command        module                    what it does
COMMANDS = {
    "check":      ("openptx.cli.check",      "find every error in PTX files"),
    "run":        ("openptx.cli.run",        "run a kernel on NumPy arrays"),
    "sanitize":   ("openptx.cli.sanitize",   "run a kernel and find races, undefined values, wrong barriers"),
    "profile":    ("openptx.cli.profile",    "run a kernel and count what it executes and what its accesses cost"),
    "prove":      ("openptx.cli.prove",      "prove that two kernels do the same, or show where they differ"),
    "debug":      ("openptx.cli.debug",      "run a kernel step by step, and look at its threads"),
    "exec":       ("openptx.cli.exec",       "run a program that uses CUDA, without a GPU"),
    "test":       ("openptx.cli.test",       "run case folders and annotated PTX files"),
    "record":     ("openptx.cli.record",     "run a program on this computer's GPU, and record its launches"),
    "replay":     ("openptx.cli.replay",     "run launches that were recorded on a GPU, and compare every byte"),
    "convert":    ("openptx.cli.convert",    "convert numbers between formats, exactly, as `cvt` does"),
    "explain":    ("openptx.cli.explain",    "explain a code, an instruction, a modifier, a literal or a format"),
    "isa":        ("openptx.cli.isa",        "list instructions, their forms, and what is covered"),
    "fmt":        ("openptx.cli.fmt",        "lay PTX files out"),
    "link":       ("openptx.cli.link",       "link PTX files into one"),
    "extract":    ("openptx.cli.extract",    "take the PTX out of programs and libraries"),
    "lsp":        ("openptx.cli.lsp",        "serve an editor: findings, fixes, explanations while one types"),
    "completion": ("openptx.cli.completion", "print a script that completes commands in a shell"),
    "cache":      ("openptx.cli.cache",      "show or empty the store of compiled kernels"),
    "demo":       ("openptx.cli.demo",       "check and run a first kernel"),
}
# fmt: on
