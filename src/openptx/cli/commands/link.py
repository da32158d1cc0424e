"""Link PTX files into one.

The result is a PTX file that `openptx run` and NVIDIA's assembler accept. Of several definitions of a name, the one
that is neither `.weak` nor `.common` is used. Names without linkage that occur in two files are renamed. Of the debug
information only the line table is kept.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from openptx.api import require_options
from openptx.cli.checking import show
from openptx.cli.exit_status import CLEAN, FINDINGS
from openptx.cli.files import load, require_one_stdin
from openptx.cli.rewriting import print_text
from openptx.cli.saving import save_files
from openptx.errors import CheckError
from openptx.linking import link_files
from openptx.reading import encode


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `openptx link`."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="a PTX file, or - for stdin")
    parser.add_argument("-o", "--output", metavar="FILE", help="the file for the linked module (default: -, stdout)")
    parser.add_argument(
        "--target", metavar="SM", help="link for this target (default: the newest of the files' targets)"
    )


def run(args: Namespace) -> int:
    """Links and writes, or reports the errors between the files."""
    require_options(args.target)
    require_one_stdin(*args.files)
    try:
        linked = link_files([load(path) for path in args.files], args.target)
    except CheckError as error:
        show(error.diagnostics, "full", sys.stdout)
        return FINDINGS
    if args.output in (None, "-"):
        print_text(linked.text)
    else:
        save_files([(args.output, encode(linked.text))])
    return CLEAN
