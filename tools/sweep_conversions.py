"""Converts all 2^32 codes of f32 to every small format by definition and by the fast path, and counts differences.

The definition is the generic one, compiled without any shortcut; the fast path is what `openptx.convert` does with
NumPy, and for bf16 and f16 its compiled shortcut too. The work is cut into chunks for any executor of
`concurrent.futures`; finished chunks are remembered in a file, so that a sweep can be interrupted and taken up again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from openptx.numerics import bulk_convert
from openptx.numerics.compiled import Loop, Trace
from openptx.numerics.conversion import Conversion
from openptx.numerics.cvt_spec import CvtSpec
from openptx.numerics.dtypes import unsigned

FORMS = (
    *(f"cvt.rn.satfinite{relu}.{d}.f32" for d in ("e4m3", "e5m2", "e2m3", "e3m2", "e2m1") for relu in ("", ".relu")),
    *(f"cvt.{rnd}{finite}.ue8m0.f32" for rnd in ("rz", "rp") for finite in ("", ".satfinite")),
    *(f"cvt.rn.{d}.f32" for d in ("bf16", "f16")),
)
ALL = 1 << 32
CHUNK = 1 << 26
PIECE = 1 << 18
STATE = Path(__file__).parents[1] / ".sweep" / "conversions.jsonl"


class Plain(Trace):
    """The compiled machine without its shortcuts."""

    convert = Conversion.convert


def parse(text: str) -> CvtSpec:
    _, *modifiers, d, s = text.split(".")
    flags = {name: True for name in modifiers if name in ("sat", "satfinite", "relu", "ftz")}
    return CvtSpec(d, s, next((m for m in modifiers if m not in flags), None), **flags)


@cache
def definition(text: str) -> Loop:
    form = parse(text)
    return Loop(partial(bulk_convert.definition, form, False), [32], form.into.storage, machine=Plain)


@cache
def fast_paths(text: str) -> tuple[Any, ...]:
    form = parse(text)
    steps: list[Any] = [bulk_convert._by_numpy(form, False)]
    if form.into.name in ("bf16", "f16"):
        steps.append(Loop(partial(bulk_convert.definition, form, False), [32], form.into.storage))
    return tuple(steps)


def check(text: str, start: int, stop: int) -> dict[str, Any]:
    """Compares on the codes from `start` to `stop`; runs in a worker."""
    expected = np.empty(PIECE, unsigned(parse(text).into))
    got = np.empty_like(expected)
    differences, first = 0, None
    for at in range(start, stop, PIECE):
        size = min(PIECE, stop - at)
        a = np.arange(at, at + size, dtype=np.uint64).astype(np.uint32)
        definition(text)([a], expected[:size])
        for step in fast_paths(text):
            for i in range(0, size, bulk_convert.BLOCK):
                step([a[i : i + bulk_convert.BLOCK]], got[i : min(i + bulk_convert.BLOCK, size)])
            wrong = np.flatnonzero(got[:size] != expected[:size])
            if wrong.size:
                differences += int(wrong.size)
                first = first if first is not None else int(a[wrong[0]])
    return {"form": text, "start": start, "stop": stop, "differences": differences, "first": first}


def code_version() -> str:
    """What finished chunks are worth something for: the sources of the definitions."""
    digest = hashlib.sha256()
    for path in sorted(Path(bulk_convert.__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def finished(state: Path, version: str) -> dict[tuple[str, int, int], dict[str, Any]]:
    done: dict[tuple[str, int, int], dict[str, Any]] = {}
    if state.exists():
        for line in state.read_text().splitlines():
            try:
                row = json.loads(line)
            except ValueError:  # cut off by an interruption
                continue
            if row.get("version") == version:
                done[row["form"], row["start"], row["stop"]] = row
    return done


def sweep(
    forms: tuple[str, ...], executor: Executor, state: Path, total: int = ALL, chunk: int = CHUNK
) -> list[dict[str, Any]]:
    """Runs what is not finished yet; gives all rows, one a chunk."""
    version = code_version()
    done = finished(state, version)
    tasks = [(form, i, min(i + chunk, total)) for form in forms for i in range(0, total, chunk)]
    rows = [done[task] for task in tasks if task in done]
    state.parent.mkdir(parents=True, exist_ok=True)
    bar = Bar(len(tasks), len(rows))
    with state.open("a") as log:
        waiting: list[Future[dict[str, Any]]] = [executor.submit(check, *task) for task in tasks if task not in done]
        try:
            for future in as_completed(waiting):
                row = future.result() | {"version": version}
                log.write(json.dumps(row) + "\n")
                log.flush()
                rows.append(row)
                bar.step(row)
        except BaseException:
            for future in waiting:
                future.cancel()
            raise
    bar.end()
    return rows


class Bar:
    """Progress on a terminal; nothing in a pipe."""

    def __init__(self, total: int, done: int) -> None:
        self.total, self.done, self.fresh, self.start = total, done, 0, time.monotonic()
        self.shown = sys.stderr.isatty()

    def step(self, row: dict[str, Any]) -> None:
        self.done += 1
        self.fresh += 1
        if self.shown:
            left = (time.monotonic() - self.start) / self.fresh * (self.total - self.done)
            width = 30 * self.done // self.total
            text = f"[{'#' * width:30}] {self.done}/{self.total}  {row['form']:32} {left:5.0f} s left"
            print(f"\r{text}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self.shown:
            print(file=sys.stderr)


def summary(rows: list[dict[str, Any]]) -> list[str]:
    """A line for each form."""
    lines: list[str] = []
    for form in dict.fromkeys(row["form"] for row in rows):
        mine = [row for row in rows if row["form"] == form]
        codes = sum(row["stop"] - row["start"] for row in mine)
        differences = sum(row["differences"] for row in mine)
        first = next((f", first 0x{row['first']:08X}" for row in mine if row["first"] is not None), "")
        lines.append(f"{form:36} {codes:>13,} codes  {differences:,} differences{first}")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--state", type=Path, default=STATE, help="where finished chunks are remembered")
    parser.add_argument("--restart", action="store_true", help="forget them")
    parser.add_argument("forms", nargs="*", default=FORMS, help="such as cvt.rn.satfinite.e4m3.f32")
    args = parser.parse_args()
    if args.restart:
        args.state.unlink(missing_ok=True)
    start = time.monotonic()
    with ProcessPoolExecutor(args.workers) as executor:
        rows = sweep(tuple(args.forms), executor, args.state)
    print("\n".join(summary(rows)))
    print(f"{sum(r['stop'] - r['start'] for r in rows):,} codes in {time.monotonic() - start:.0f} s")
    return int(any(row["differences"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
