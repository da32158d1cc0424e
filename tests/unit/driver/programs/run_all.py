"""Runs the programs in this folder one after the other in one process. The status is 1 if one failed."""

from __future__ import annotations

import runpy
import sys
import traceback
from pathlib import Path

OTHERS = (
    "driver_calls",
    "run_all",
    "sanitized_program",
    "fuzz_program",
    "null_runtime_program",
    "interrupted_program",
    "interrupted_entry_program",
)
"""What the programs share, and what test_exec_sanitize.py, test_fuzzed_calls.py or test_driver_programs.py runs."""

programs = sorted(path for path in Path(__file__).parent.glob("*.py") if path.stem not in OTHERS)
passed = 0
for path in programs:
    try:
        runpy.run_path(str(path))
        passed += 1
    except (Exception, SystemExit):
        print(f"{path}:", traceback.format_exc(), sep="\n", file=sys.stderr)
print(f"{passed} of {len(programs)} programs passed")
sys.exit(passed < len(programs))
