"""Random programs compiled by ptxas and here: are the same products and sums contracted? Differences by name.

    python tools/compare_contraction.py [--seed 1] [--count 100] [--target sm_90a]... [--reduce] [--order] [CLASS]...

All classes where none is named. With --order f64 operands have to be in the same order as well, which decides between
two NaNs. With --reduce differing programs are printed with as few statements as still differ.
Needs ptxas and nvdisasm (`make .venv/.ready-oracles`). The same seed gives the same programs. Ends with 1 where a
difference has no name.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

from contraction.comparison import UNNAMED, differing, reduce
from contraction.expressions import IN_ORDER
from contraction.programs import CLASSES


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--target", action="append")
    parser.add_argument("--reduce", action="store_true")
    parser.add_argument("--order", action="store_true")
    parser.add_argument("kinds", nargs="*", metavar="CLASS", choices=[*CLASSES, []])
    arguments = parser.parse_args()
    if arguments.order:
        IN_ORDER.add("f64")
    names: Counter[str] = Counter()
    compiled = 0
    with tempfile.TemporaryDirectory(prefix="contraction-") as folder:
        for target in arguments.target or ["sm_90a"]:
            for kind in arguments.kinds or CLASSES:
                if CLASSES[kind].oldest > int("".join(filter(str.isdigit, target))):
                    continue
                found = list(differing(Path(folder), kind, arguments.seed, arguments.count, target))
                compiled += arguments.count
                causes = Counter(each.cause for each in found)
                names += causes
                print(f"{target:8} {kind:14} {arguments.count:6} {len(found):5}", *sorted(causes.items()), flush=True)
                for each in found if arguments.reduce else ():
                    small = reduce(Path(folder), each, target)
                    print(
                        f"{small.cause}\n{small.program.text}\n  theirs {small.theirs}\n  ours   {small.ours}\n",
                        flush=True,
                    )
    print(f"{compiled} compiled, {sum(names.values())} differ:", *sorted(names.items()))
    return 1 if any(name.startswith((UNNAMED, "unreadable")) for name in names) else 0


if __name__ == "__main__":
    sys.exit(main())
