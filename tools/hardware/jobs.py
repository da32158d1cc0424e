"""Runs launches from a file on a GPU, several at once, and writes the results.

    python tools/hardware/jobs.py LAUNCHES.pkl RESULTS.pkl --workers 8

The file is a pickled list of (name, Request, numbers of the arrays to keep). RESULTS is a dictionary of lists of
arrays, or of words where the launch failed; `device` is what it ran on.
"""

from __future__ import annotations

import argparse
import itertools
import os
import pickle
import sys
import threading
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from hardware.client import Gpu
from hardware.requests import Elsewhere, Request

HARMLESS = ("cuTensorMap", "cuModuleLoad", "cuArray3DCreate", "cuTexObject", "cuMipmappedArrayCreate")
"""Refusals after which the context is as it was."""

Job = tuple[str, Request, list[int]]


def run(jobs: list[Job], workers: int, seconds: float, command: tuple[str, ...]) -> dict[str, Any]:
    """What each leaves. Launches of one module go to one worker."""
    groups = [list(g) for _, g in itertools.groupby(jobs, key=lambda job: job[1].text)]
    found: dict[str, Any] = {}
    until = time.monotonic() + seconds

    def work() -> None:
        gpu = Gpu(command)
        while groups and time.monotonic() < until:
            try:
                group = groups.pop(0)
            except IndexError:
                break
            for name, wanted, kept in group:
                if time.monotonic() > until:
                    break
                try:
                    arrays, printed = gpu.launch(wanted)
                    found[name] = [arrays[i] for i in kept]
                    if printed:
                        found[name].append(printed)
                except Elsewhere as error:
                    found[name] = str(error)
                    if not str(error).startswith(HARMLESS):
                        gpu.stop()
                except OSError as error:  # the process has gone between two launches
                    gpu.stop()
                    found[name] = f"lost: {error}"
        found["device"] = found.get("device") or gpu.device
        gpu.stop()

    threads = [threading.Thread(target=work) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jobs", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no launch after so long")
    args = parser.parse_args()
    jobs = pickle.loads(args.jobs.read_bytes())
    found = run(jobs, args.workers, args.seconds, tuple(os.environ.get("HARDWARE_SERVER", "").split()))
    args.results.write_bytes(pickle.dumps(found))
    failed = [name for name, one in found.items() if isinstance(one, str)]
    print(f"{args.jobs}: {len(found) - 1} of {len(jobs)} launches, {len(failed)} failed")
    for name in failed[:8]:
        print(f"  {name}: {found[name][:300]}")


if __name__ == "__main__":
    main()
