"""Introduces single errors into compilers' PTX and compares the verdicts and lines of `openptx check` and ptxas.

    python tools/compare_mutants.py [--seed 1] [--count 1000] [--rule NAME]... [--jobs 1] [--messages] [PATH]...

The files are those of the tests' corpora where none is named. Prints what differs, with both messages, then the sums by
rule. The same seed and files give the same mutants. Needs ptxas (`make .venv/.ready-oracles`).
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from mutants.known import known
from mutants.mutant import Mutant, Mutants
from mutants.rules import FILE_RULES, STATEMENT_RULES
from mutants.text import Source
from mutants.verdicts import PTXAS, Comparison, compare

TESTS = Path(__file__).parents[1] / "tests"
FOLDERS = (TESTS / "corpus" / "ptx", TESTS / "kernels", TESTS / "data" / "cases")
LARGE = 40_000
"""Bytes of a file that is taken only for opcodes that no smaller one has."""


def files(paths: list[Path]) -> list[Path]:
    """The PTX files below the paths, smaller ones first."""
    found = [f for path in paths for f in (path.rglob("*.ptx") if path.is_dir() else [path])]
    return sorted((f for f in found if "broken" not in f.parts), key=lambda f: (f.stat().st_size, str(f)))


def sources(paths: list[Path]) -> list[Source]:
    """The files, of the large ones those that have something new."""
    opcodes: set[str] = set()
    found: list[Source] = []
    for file in files(paths):
        source = Source(str(file), file.read_text("utf-8"))
        names = {statement.name for statement in source.statements}
        if len(source.text) < LARGE or names - opcodes:
            found.append(source)
            opcodes |= names
    return found


def compared(mutants: list[Mutant]) -> list[Comparison]:
    """Both verdicts of each, in a process of the pool."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        return [compare(Path(folder), mutant) for mutant in mutants]


def comparisons(mutants: Iterator[Mutant], count: int, jobs: int) -> Iterator[Comparison]:
    """Both verdicts on this many mutants."""
    chosen = list(itertools.islice(mutants, count))
    parts = [chosen[i : i + 25] for i in range(0, len(chosen), 25)]
    if jobs < 2:
        for part in parts:
            yield from compared(part)
        return
    with ProcessPoolExecutor(jobs) as pool:
        for found in pool.map(compared, parts):
            yield from found


def described(found: Comparison) -> str:
    """A difference, for a reader."""
    before, after = found.mutant.lines
    name, line = Path(found.mutant.source.name), found.mutant.line
    place = f"{name.parent.name}/{name.name}:{line}"
    ours = "; ".join(f"{line}: {said}" for line, said in found.ours.errors[:3]) or "accepted"
    theirs = "; ".join(f"{line}: {said}" for line, said in found.theirs.errors[:3]) or "accepted"
    rows = (f"- {before[:300]}", f"+ {after[:300]}", f"ptxas  {theirs}", f"ours   {ours}")
    return "\n    ".join((f"{found.mutant.rule}  {place}", *rows))


def kind_of(found: Comparison) -> str:
    """Same, line, verdict; known: on record; before: the verdicts differ without the mistake too."""
    if found.agrees:
        return "same" if found.same_line else "line"
    return "before" if found.before else "known" if known(found) else "verdict"


def main() -> int:
    """Prints the comparison; 1 where verdicts differ."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--count", type=int, default=1000)
    options.add_argument("--rule", action="append", choices=[*STATEMENT_RULES, *FILE_RULES])
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("--messages", action="store_true", help="print what agrees too")
    options.add_argument("paths", nargs="*", type=Path, default=list(FOLDERS))
    chosen = options.parse_args()
    if not PTXAS.exists():
        sys.exit("ptxas of the package nvidia-cuda-nvcc is not installed: make .venv/.ready-oracles")
    pool = sources(chosen.paths)
    rows: Counter[tuple[str, str]] = Counter()
    for found in comparisons(iter(Mutants(pool, chosen.seed, chosen.rule)), chosen.count, chosen.jobs):
        text = described(found)
        kind = kind_of(found)
        rows[found.mutant.rule, kind] += 1
        if kind in ("verdict", "line") or chosen.messages:
            print(f"{kind.upper()}  {text}", flush=True)
    for rule in sorted({rule for rule, _ in rows}):
        same, line, verdict = (rows[rule, kind] for kind in ("same", "line", "verdict"))
        print(f"{rule:28} {same:6} agree  {line:4} another line  {verdict:4} another verdict")
    verdicts = sum(count for (_, kind), count in rows.items() if kind == "verdict")
    lines = sum(count for (_, kind), count in rows.items() if kind == "line")
    asked_of = f"{rows.total()} mutants of {len(pool)} files"
    on_record = sum(count for (_, kind), count in rows.items() if kind == "known")
    print(f"seed {chosen.seed}: {asked_of}, {verdicts} other verdicts, {on_record} on record, {lines} other lines")
    return int(bool(verdicts))


if __name__ == "__main__":
    sys.exit(main())
