"""Format PTX files: one statement per line, blocks indented, comments kept.

Files are rewritten in place. `-` reads stdin and prints to stdout; a folder stands for every *.ptx file in it. With
--check or --diff nothing is written, and the exit status is 1 if a file would change. Files with syntax errors are not
changed.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from openptx.cli.checking import show
from openptx.cli.difference import unified
from openptx.cli.exit_status import ABNORMAL, CLEAN, FINDINGS
from openptx.cli.failures import complain
from openptx.cli.files import expand, load
from openptx.cli.fix import fix
from openptx.cli.rewriting import print_text, replace
from openptx.diagnostics import Diagnostic
from openptx.errors import InputError, about_file
from openptx.source import File
from openptx.syntax import parse
from openptx.syntax.format import formatted


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `openptx fmt`."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="a PTX file, a folder, or - for stdin")
    parser.add_argument("--check", action="store_true", help="write nothing; list the files that would change")
    parser.add_argument("--diff", action="store_true", help="write nothing; print the changes as a unified diff")


def stray_characters(file: File) -> list[Diagnostic]:
    """The characters in a file that PTX does not have, such as a byte order mark."""
    return [diagnostic for diagnostic in parse(file).diagnostics if diagnostic.name == "invalid-character"]


def run(args: Namespace) -> int:
    """Formats every file, or only reports which would change."""
    only_look = args.check or args.diff
    wrong: list[Diagnostic] = []
    changed: list[str] = []

    def format_one(file: File) -> None:
        name, before = file.name, file.text
        file = fix(file, stray_characters).file
        module = parse(file)
        if module.diagnostics:
            wrong.extend(module.diagnostics)
            return
        text = formatted(module)
        if text != before:
            changed.append(name)
        if args.diff:
            print_text(unified(before, text, name))
        if only_look:
            return
        if name == "<stdin>":
            print_text(text)
        elif text != before:
            replace(name, text)

    paths, good = expand(args.files), True
    for path in paths:
        try:
            format_one(load(path))
        except (OSError, InputError) as error:
            complain(about_file(error))
            good = False
    if wrong:
        show(wrong, "full", sys.stdout)
    report(changed, only_look, complete=good and not wrong)
    if not good:
        return ABNORMAL
    return FINDINGS if wrong or (only_look and changed) else CLEAN


def report(changed: list[str], checked: bool, complete: bool) -> None:
    """One line per file; reports success only if all files could be read."""
    for name in changed:
        if checked or name != "<stdin>":
            print(f"{'would change' if checked else 'changed'} {name}", file=sys.stderr)
    if not changed and checked and complete:
        print("All files are formatted.", file=sys.stderr)
