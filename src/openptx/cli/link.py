"""Link PTX files into one.

The result is PTX: `openptx run` runs it, NVIDIA's assembler takes it. Of the definitions of a name the one that is
neither `.weak` nor `.common` stands. Static names that two files use are renamed. Debug information is left out,
except for lines.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from openptx.api import require_options
from openptx.cli.checking import show
from openptx.cli.exit_status import CLEAN, FINDINGS
from openptx.cli.files import load
from openptx.cli.rewriting import print_text
from openptx.cli.saving import save_files
from openptx.errors import CheckError
from openptx.linking import link_files
from openptx.reading import encode


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `openptx link`."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="a PTX file, or - for stdin")
    parser.add_argument("-o", "--output", metavar="FILE", help="where to write the linked module, instead of stdout")
    parser.add_argument("--target", metavar="SM", help="link for this target instead of the newest of the files'")


def run(args: Namespace) -> int:
    """Links and writes, or reports the errors between the files."""
    require_options(args.target)
    try:
        linked = link_files([load(path) for path in args.files], args.target)
    except CheckError as error:
        show(error.diagnostics, "full", sys.stdout)
        return FINDINGS
    if args.output is None:
        print_text(linked.text)
    else:
        save_files([(args.output, encode(linked.text))])
    return CLEAN
