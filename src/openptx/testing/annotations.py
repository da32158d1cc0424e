"""Parses the annotations of a PTX file: expected results of functions, and expected diagnostics of lines.

// run: negate(1.0) == -1.0                 the function gives this, bit for bit; `nan` is any NaN
// run: split(7) == (3, 4)                  several results
// run: ex2(1.5) == 2.828427 within 2 ulp   or `within 1e-6`
// run: load(0) faults out-of-bounds        or PTX9001
// run: next_lane([0..31]) == [1..31, 0]    a value for each thread of one block; others are the same for all
neg.u32 %r1, %r2;  //~ PTX0301 has no `.u32` form      this line has this diagnostic, and its message holds the text
                   //~^ PTX0301                        the same for the line above
// profile: isa                             check with this profile
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice, repeat

from openptx.errors import InputError
from openptx.testing.values import Tolerance

RUN = re.compile(r"//\s*run:\s*(?P<rest>.*)")
CALL = re.compile(r"(?P<name>[\w$%]+)\s*\((?P<arguments>.*?)\)\s*(?P<verb>==|faults\b)\s*(?P<result>.*)")
WITHIN = re.compile(r"(?P<result>.*?)\s+within\s+(?P<amount>\S+)(?P<ulp>\s+ulps?)?")
EXPECTED = re.compile(r"//~(?P<up>\^*)\s*(?P<code>[\w-]+)\s*(?P<text>.*)")
PROFILE = re.compile(r"//\s*profile:\s*(\w+)")
LONGEST = 4000
"""The maximum number of characters of a run, which people must be able to read."""
THREADS = 1024
"""The maximum number of values in a list: one for each thread of a block (manual, .maxntid)."""
RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)")

Value = str | tuple[str, ...]
"""One value, or one for each thread."""


@dataclass(frozen=True, slots=True)
class Run:
    """One `// run:` line. `fault` is a code or a name, and then there are no results."""

    row: int
    function: str
    arguments: tuple[Value, ...]
    results: tuple[Value, ...]
    tolerance: Tolerance
    fault: str

    @property
    def threads(self) -> int:
        """The length of the lists in it; 1 without any. Raises InputError if they differ in length."""
        lengths = {len(value) for value in (*self.arguments, *self.results) if isinstance(value, tuple)}
        if len(lengths) > 1:
            raise InputError(f"line {self.row}: lists of different lengths in one run")
        return lengths.pop() if lengths else 1


@dataclass(frozen=True, slots=True)
class ExpectedFinding:
    """One `//~` comment: the row that it refers to, the code or name, and a part of the message."""

    row: int
    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Annotations:
    """All annotations of a file."""

    runs: tuple[Run, ...]
    diagnostics: tuple[ExpectedFinding, ...]
    profile: str

    @property
    def empty(self) -> bool:
        """Whether the file has no annotations."""
        return not self.runs and not self.diagnostics


def read_annotations(text: str) -> Annotations:
    """The annotations of a PTX text. Raises InputError for a malformed one."""
    runs: list[Run] = []
    diagnostics: list[ExpectedFinding] = []
    profile = "ptxas"
    for row, line in enumerate(text.split("\n"), 1):
        if "//" not in line:
            continue
        if match := RUN.search(line):
            runs.append(read_run(match["rest"].strip(), row))
        for match in EXPECTED.finditer(line.replace("//~", "\n//~")):
            diagnostics.append(ExpectedFinding(row - len(match["up"]), match["code"], match["text"].strip()))
        if match := PROFILE.search(line):
            profile = match[1]
    return Annotations(tuple(runs), tuple(diagnostics), profile)


def read_run(text: str, row: int) -> Run:
    """The text after `// run:`. Raises InputError if it is no run."""
    if len(text) > LONGEST:
        raise InputError(f"line {row}: a run of {len(text):,} characters; {LONGEST:,} are the most")
    match = CALL.fullmatch(text)
    if match is None:
        raise InputError(f"line {row}: `{text}` is not a run: write name(arguments) == result, or faults CODE")
    arguments = read_values(match["arguments"], row)
    if match["verb"] == "faults":
        return Run(row, match["name"], arguments, (), Tolerance(), match["result"])
    result, tolerance = match["result"], Tolerance()
    if within := WITHIN.fullmatch(result):
        result = within["result"]
        amount = within["amount"]
        tolerance = Tolerance(ulps=int(amount)) if within["ulp"] else Tolerance(absolute=float(amount))
    if result.startswith("(") and result.endswith(")"):
        result = result[1:-1]
    return Run(row, match["name"], arguments, read_values(result, row), tolerance, "")


def read_values(text: str, row: int) -> tuple[Value, ...]:
    """`1, [0..3], -0.0`: values between commas, lists in brackets. Raises InputError if one is missing."""
    parts = [part.strip() for part in re.split(r",(?![^\[]*\])", text)] if text.strip() else []
    if "" in parts:
        raise InputError(f"line {row}: a value is missing in `{text}`")
    return tuple(read_list(part[1:-1]) if part.startswith("[") and part.endswith("]") else part for part in parts)


def read_list(text: str) -> tuple[str, ...]:
    """`0..3, 7 x 4, 9`: single values, ranges with both ends, and values that are repeated. Raises InputError for more
    values than a block has threads."""
    values: list[str] = []
    for part in (part.strip() for part in text.split(",")):
        value, _, times = part.partition(" x ")
        if match := RANGE.fullmatch(part):
            first, last = int(match[1]), int(match[2])
            step = 1 if last >= first else -1
            found, count = range(first, last + step, step), abs(last - first) + 1
        else:
            found, count = repeat(value), int(times) if times else 1
        if count + len(values) > THREADS:
            raise InputError(f"a list of more than {THREADS} values: `{part}`; a block has no more threads")
        values += map(str, islice(found, count))
    return tuple(values)
