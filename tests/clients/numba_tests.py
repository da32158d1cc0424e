"""Runs modules of numba-cuda's own tests and prints the outcomes as a line of JSON.

openptx exec -- python numba_tests.py cudadrv.test_linker cudapy.test_atomics
"""

from __future__ import annotations

import json
import sys
import unittest
from collections.abc import Iterator

PACKAGE = "numba.cuda.tests"


def name(test: unittest.TestCase) -> str:
    return test.id().removeprefix(f"{PACKAGE}.")


def every(suite: unittest.TestSuite) -> Iterator[unittest.TestCase]:
    for one in suite:
        if isinstance(one, unittest.TestSuite):
            yield from every(one)
        else:
            yield one


def main(wanted: list[str]) -> None:
    left_out = {one.removeprefix("-") for one in wanted if one.startswith("-")}
    modules = [f"{PACKAGE}.{one}" for one in wanted if not one.startswith("-")]
    found = every(unittest.defaultTestLoader.loadTestsFromNames(modules))
    suite = unittest.TestSuite(test for test in found if name(test) not in left_out)
    result = unittest.TextTestRunner().run(suite)
    failed = {name(test): words for test, words in (*result.failures, *result.errors)}
    print(json.dumps({"ran": result.testsRun, "failed": failed, "skipped": len(result.skipped)}))


if __name__ == "__main__":  # tests of numba start processes that import this module
    main(sys.argv[1:])
