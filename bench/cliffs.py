"""`openptx check` compared with NVIDIA's assembler on files of one shape each: python bench/cliffs.py [NAME...]

Prints for each shape (those of shapes.py) the assembler's time as a ratio to ours, least of three runs each by turns,
below 1 where we are slower; and how many times as long both take for four times as much: 4, where that is linear.
"""

from __future__ import annotations

import gc
import sys

from check import race
from shapes import SHAPES


def main() -> None:
    """Prints the table."""
    gc.disable()
    for name in sys.argv[1:] or SHAPES:
        gc.collect()  # trees of the full checker have cycles: without this the whole list takes over 10 GB
        count, make = SHAPES[name]
        text = make(count)
        ours, theirs = race(name, text, runs=3)
        more, longer = race(name, make(4 * count), runs=1)
        ratio, growth = (f"{theirs / ours:.2f}", f"{longer / theirs:.1f}") if theirs and longer else ("-", "-")
        print(
            f"{name:42} {len(text) / 1e6:5.2f} MB  openptx {ours:6.3f} s  ratio {ratio:>5}"
            f"  four times as much: {more / ours:4.1f}, ptxas {growth:>4}",
            flush=True,
        )


if __name__ == "__main__":
    main()
