"""Results of tests, and the conversion of a test's exceptions to results."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from openptx.errors import Bug, CheckError, Error, Fault, InputError, Unsupported, about_file
from openptx.sanitize.error import SanitizerError

PASSED, FAILED, UNSUPPORTED, ERROR = "passed", "failed", "unsupported", "error"
"""`error` is a test that cannot be run as written; `failed` is a test with a wrong result."""


@dataclass(frozen=True, slots=True)
class Result:
    """One test: its name, one of the four words, the failure (empty if there is none), and its duration."""

    name: str
    status: str
    message: str
    seconds: float


class Mismatch(Exception):
    """A test had a wrong result."""


def timed(name: str, run: Callable[[], None]) -> Result:
    """Runs a test. A bug of ours is an `error` of this test, and keeps no other from running."""
    start = time.perf_counter()
    status, message = PASSED, ""
    try:
        run()
    except (Mismatch, CheckError, Fault, SanitizerError) as error:
        status, message = FAILED, str(error)
    except Unsupported as error:
        status, message = UNSUPPORTED, str(error)
    except (OSError, InputError) as error:
        status, message = ERROR, about_file(error)
    except Exception as error:
        status, message = ERROR, str(error if isinstance(error, Error) else Bug.of(error))
    return Result(name, status, message, time.perf_counter() - start)
