"""Runs the programs that are given, one after the other in one process. The status is 1 where one failed."""

from __future__ import annotations

import runpy
import sys
import traceback

failed = False
for path in sys.argv[1:]:
    try:
        runpy.run_path(path)
    except (Exception, SystemExit):
        failed = True
        print(f"{path}:", traceback.format_exc(), sep="\n", file=sys.stderr)
sys.exit(failed)
