"""Compares `openptx check` with the recorded verdicts of NVIDIA's assembler, one statement a file.

    python tests/oracles/ptxas_corpus.py [--profile ptxas|isa] [--group T26] [--every 50] [--show 40] [--where TEXT]

prints the agreement of every group, statements a second, and the disagreements, the commonest kind first.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from openptx.check import check
from openptx.source import File

_OF_THE_WRAPPER = frozenset(("uninitialized-register",))  # its registers hold nothing, which is not the question

CORPUS = Path(__file__).parents[1] / "data" / "ptxas" / "verdicts.jsonl.gz"


def records(path: Path = CORPUS, every: int = 1) -> Iterator[dict[str, str]]:
    """The records of the corpus, in its order; of each `every` the first."""
    with gzip.open(path, "rt") as lines:
        for line in islice(lines, 0, None, every):
            yield json.loads(line)


def wrap(record: dict[str, str]) -> str:
    """The file that the assembler saw: declarations and statement in a block of their own."""

    def line(text: str) -> str:
        return " ".join(text.split())

    return (
        f".version {record['version']}\n.target {record['target']}\n.address_size 64\n"
        f"{line(record.get('module', ''))}\n.visible .entry k({line(record.get('kparams', ''))})\n{{\n"
        f"{{ {line(record['decls'])} {line(record['stmt'])} }}\nret;\n}}\n"
    )


def verdict(record: dict[str, str], profile: str = "ptxas") -> tuple[str, list[str]]:
    """`accept`, `warn` or `reject`, and the concise diagnostics."""
    found = [d for d in check(File(record["id"], wrap(record)), profile=profile) if d.name not in _OF_THE_WRAPPER]
    rejected = any(d.severity == "error" for d in found)
    return "reject" if rejected else "warn" if found else "accept", [f"{d.code} {d.message}" for d in found]


def agrees(record: dict[str, str], word: str, profile: str = "ptxas") -> bool:
    """Whether a verdict is the expected one. What the code generator refuses is right as an error or as a warning."""
    if profile == "isa":
        return "seed" not in record or (word == "reject") == (record["seed"] == "reject")
    if "codegen" in record and record["ptxas"] == "accept":
        return word != "accept"
    return (word == "reject") == (record["ptxas"] == "reject")


def main() -> None:
    """Prints the comparison."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--profile", default="ptxas")
    options.add_argument("--group", default="")
    options.add_argument("--where", default="")
    options.add_argument("--every", type=int, default=1)
    options.add_argument("--show", type=int, default=40)
    chosen = options.parse_args()
    counts: dict[str, Counter[bool]] = defaultdict(Counter)
    wrong: list[tuple[dict[str, str], str, list[str]]] = []
    crashes: Counter[str] = Counter()
    start = time.perf_counter()
    for record in records(every=chosen.every):
        if not record["group"].startswith(chosen.group) or chosen.where not in record["stmt"]:
            continue
        try:
            word, why = verdict(record, chosen.profile)
        except Exception as error:  # a crash is a disagreement to count, whatever it is
            word, why = "crash", [f"{type(error).__name__}: {error}"]
            crashes[why[0][:100]] += 1
            if crashes.total() > 200:
                sys.exit(f"gave up: {crashes.most_common(3)}")
        good = word != "crash" and agrees(record, word, chosen.profile)
        counts[record["group"]][good] += 1
        if not good:
            wrong.append((record, word, why))
    seconds = time.perf_counter() - start
    for group in sorted(counts):
        right, bad = counts[group][True], counts[group][False]
        print(f"{group:16} {right:6} of {right + bad:6}  {100 * right / (right + bad):6.2f} %")
    total = sum(map(Counter.total, counts.values()))
    print(f"{'all':16} {total - len(wrong):6} of {total:6}  {100 * (1 - len(wrong) / max(total, 1)):6.2f} %")
    print(f"{total / seconds:.0f} statements/s, {seconds:.1f} s")
    for text, count in crashes.most_common(10):
        print(f"crash {count:5} {text}")
    groups: dict[tuple[str, str, str], list[tuple[dict[str, str], list[str]]]] = defaultdict(list)
    for record, _, why in wrong:
        expected = record["seed"] if chosen.profile == "isa" else record["ptxas"]
        groups[record["group"], expected, (record["message"] or (why[0] if why else ""))[:60]].append((record, why))
    for (group, expected, _), members in sorted(groups.items(), key=lambda item: -len(item[1]))[: chosen.show]:
        print(f"\n{len(members)} x {group}: expected {expected}")
        for record, why in members[:: max(1, len(members) // 3)][:3]:
            gate = (
                ""
                if (record["target"], record["version"]) == ("sm_100a", "9.0")
                else record["target"] + " " + record["version"]
            )
            print(f"   {record['stmt']}   {record['decls'][-90:]}  {gate}")
            print(f"       ptxas: {record['message'][:150]}{' CODEGEN' if 'codegen' in record else ''}")
            print(f"       ours:  {why[:2]}")


if __name__ == "__main__":
    sys.exit(main())
