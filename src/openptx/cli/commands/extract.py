"""Extract the PTX from a program, a library, an object file or a fat binary.

Each module becomes a file that is named after its source file and target, such as kernel.sm_90.ptx. With --list
nothing is written.
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace

from openptx.cli.exit_status import CLEAN
from openptx.cli.files import require_names
from openptx.cli.saving import save_files
from openptx.fatbin import ExtractedPtx, extract
from openptx.reading import encode


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `openptx extract`."""
    parser.add_argument("program", metavar="PROGRAM", help="an executable, a library, an object file or a .fatbin file")
    parser.add_argument(
        "-o", "--output", default=".", metavar="DIR", help="the folder for the files (default: the current folder)"
    )
    parser.add_argument("--list", action="store_true", help="list the modules and write nothing")


def run(args: Namespace) -> int:
    """Find the modules, write them all or none."""
    require_names(args.program)
    found = extract(args.program)
    names = file_names(args.program, found)
    if not args.list:
        os.makedirs(args.output, exist_ok=True)
        paths = [os.path.join(args.output, name) for name in names]
        save_files((path, encode(module.text)) for path, module in zip(paths, found, strict=True))
    for name, module in zip(names, found, strict=True):
        print(f"{name}  {len(module.text):,} characters")
    return CLEAN


def file_names(program: str, found: list[ExtractedPtx]) -> list[str]:
    """A unique name for each module, without the folders of the source file."""
    taken: dict[str, int] = {}
    names: list[str] = []
    for module in found:
        source = os.path.basename(module.name.replace("\\", "/")) or os.path.basename(program)
        stem = f"{os.path.splitext(source)[0].lstrip('.') or 'module'}.{module.target}"
        taken[stem] = number = taken.get(stem, 0) + 1
        names.append(f"{stem}.ptx" if number == 1 else f"{stem}.{number}.ptx")
    return names
