"""Random kernels of a range of seeds on both engines, in pieces: `python tests/properties/many_kernels.py 1000 2000`.

Prints what differs at once, and counts as it goes.
"""

from __future__ import annotations

import collections
import sys
import time

from engines import compare, planned
from random_kernels import Kernel

from openptx.engines.native import settings


def main(start: int, stop: int) -> int:
    runs, different = 0, list[int]()
    left_out: collections.Counter[str] = collections.Counter()
    for count, seed in enumerate(range(start, stop), 1):
        size, modes = planned(seed)
        with settings.cache_at(None):
            found, reasons = compare(Kernel(seed, size), modes)
        runs += len(modes)
        left_out.update(reason.split(", at")[0] for reason in reasons)
        if found:
            different.append(seed)
            print(f"seed {seed}: {found}", flush=True)
        if count % 25 == 0 or seed == stop - 1:
            share = left_out.total() / runs
            print(f"{count} kernels, {runs} runs, {share:.1%} not as machine code {dict(left_out)}, ", end="")
            print(f"{len(different)} differ, {time.process_time():.0f} s", flush=True)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
