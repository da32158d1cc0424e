"""What holds for all tests."""

import gc


def pytest_collection_finish() -> None:
    """Take the collected tests out of the garbage collector's sight.

    There are over ten thousand of them, a million objects that live to the end. A test that calls `gc.collect()`, for
    arrays and modules whose memory it wants back, walked them all: half a second each time, a minute of each worker.
    """
    gc.collect()
    gc.freeze()
