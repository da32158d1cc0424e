"""Runs the tests with independent expected results, and records the first that executes each form.

These are annotated PTX, kernels with NumPy's results, and models in Python. `openptx isa --coverage` counts what is in
the record. A few minutes; with `--check` it only says what is out of date. With paths of tests it runs those alone, and
adds what no other test reaches.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "src"))

from openptx.engines.interp.decode import Block, DecodedFunction  # noqa: E402
from openptx.isa.notation.forms import Form  # noqa: E402
from openptx.isa.tested import RECORD, labels, witnesses  # noqa: E402

TESTS = ("spec", "kernels", "unit/interp", "unit/textures", "unit/matrix")
NOTE = "# The first test that executes each form. Written by tools/record_tested.py."


class Recorder:
    """A plugin of pytest: notes the forms of all instructions that the reference engine comes to, and in which test.

    Engines reach a meaning block by block, so a form counts as executed when the block that it is in is made.
    """

    def __init__(self) -> None:
        self.found: dict[Form, str] = {}
        self._test = ""
        self._new: set[Form] = set()
        make, recorder = DecodedFunction.block, self

        def block(self: DecodedFunction, pc: int) -> Block:
            made = make(self, pc)
            recorder._new.update(op.form for op in self.code[made.start : made.end])
            return made

        DecodedFunction.block = block

    def pytest_runtest_logstart(self, nodeid: str, location: tuple[str, int | None, str]) -> None:
        path, _, parameters = nodeid.partition("::")
        files = [Path(path).with_name(f"{each}.ptx") for each in parameters.partition("[")[2].rstrip("]").split("-")]
        annotated = next((file for file in files if file.exists()), None)  # of tests/spec/test_spec_files.py
        self._test = annotated.as_posix() if annotated is not None else path
        self._new = set()

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "call" and report.passed:
            for form in self._new:
                self.found.setdefault(form, self._test)


def main() -> int:
    recorder = Recorder()
    options = ["-q", "-p", "no:cacheprovider", "-p", "openptx.testing.plugin", "--ptx-engine=interp"]
    paths = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
    status = pytest.main([*options, *(paths or (str(ROOT / "tests" / each) for each in TESTS))], plugins=[recorder])
    if status:
        return int(status)
    if paths:
        recorder.found |= witnesses()
    rows = [f"{recorder.found[form]}\t{label}" for form, label in labels().items() if form in recorder.found]
    text = "\n".join([NOTE, *rows]) + "\n"
    if "--check" in sys.argv[1:]:
        old = RECORD.read_text("utf-8").splitlines()
        lost = [row for row in old[1:] if row.partition("\t")[2] not in {r.partition("\t")[2] for r in rows}]
        print("\n".join([*lost, "no test executes these any more"]) if lost else f"{RECORD.name} is up to date")
        return int(bool(lost))
    RECORD.write_text(text, encoding="utf-8")
    print(f"wrote {RECORD}: {len(rows)} forms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
