"""Definite assignment on text, for bodies with one statement per line: whether a write reaches each read.

Accept-only: `flow/cfg.py` analyses all other bodies. Missed edges and false reads are conservative.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Collection, Iterator
from functools import cache, lru_cache

from openptx.check.flow.cfg import generated_before
from openptx.check.flow.reads_writes import assigns, lists, passed_on
from openptx.isa.control import JUMPS, LEAVES, calls, mnemonics
from openptx.isa.notation import resolve
from openptx.patterns import pattern
from openptx.source import Span
from openptx.syntax.lexical import LETTER, WORD

_NUMBER = pattern(r"[0-9]++\Z", re.A)
_MAX_PREFIXES = 64
"""The number of name prefixes that are searched for one by one: each such search costs more than one for all words."""


def mentions(text: str, body: Span, names: Collection[str]) -> Iterator[re.Match[str]]:
    """The positions of any of these names."""
    beginnings = {_NUMBER.sub("", name) for name in names}
    wanted = (
        rf"(?:{'|'.join(map(re.escape, beginnings))})[0-9]*+(?!{LETTER})" if len(beginnings) <= _MAX_PREFIXES else WORD
    )
    return (match for match in pattern(wanted, re.A).finditer(text, *body) if match[0] in names)


def control_transfers(text: str, body: Span) -> Iterator[int]:
    """The positions where a statement may transfer control.

    Searching for each of a few words is a hundred times as fast as one expression for all of them.
    """
    for word in mnemonics(*JUMPS, *LEAVES):
        at = text.find(word, *body)
        while at >= 0:
            yield at
            at = text.find(word, at + 1, body[1])


_LONGEST = 1 << 11
"""The most characters before a name, and of operands, that are read again for each name of a statement: more would take
quadratic time. Lists of 256 registers are shorter."""
_OPERANDS = rf"[^;\n/\"()]{{0,{_LONGEST}}}+"
_STATEMENT = pattern(rf"[ \t]*+(?:@[ \t]*+!?[ \t]*+({WORD})[ \t]++)?+([a-z][\w.:]*+)[ \t]++({_OPERANDS});", re.A)
"""An instruction on a line of its own."""
_DECLARATION = pattern(rf"[ \t]*+\.reg[ \t.][^;\n/]{{0,{_LONGEST}}}+;")


_BATCH = 1 << 10
"""The number of registers that are tracked together; the facts of each block have as many bits."""


class _Blocks:
    """The basic blocks of a body: the start of each, whether it falls through, and the label that it jumps to.

    `exact`: no edge is missing, as those of indirect jumps are.
    """

    def __init__(self) -> None:
        self.exact = True
        self.starts: list[int] = []
        self.falls: list[bool] = []  # whether the next one follows it
        self.targets: list[str] = []  # the label that it jumps to, if any
        self.labels: dict[str, int] = {}

    def begin(self, place: int) -> None:
        """Starts a block; the previous one falls through unless `falls` is cleared."""
        self.starts.append(place)
        self.falls.append(True)
        self.targets.append("")

    def successors(self, number: int) -> list[int]:
        """The successors of a block."""
        found = [number + 1] if self.falls[number] and number + 1 < len(self.starts) else []
        if target := self.targets[number]:
            found.append(self.labels[target])
        return found


class Reads:
    """Facts about registers that are read before all writes in text order."""

    def __init__(self) -> None:
        self.unwritten: list[tuple[str, int]] = []
        """Registers that nothing writes, each with the position of its first read, in that order."""
        self.maybe_unwritten: set[str] = set()
        """Registers for which it is uncertain whether a write reaches every read."""


def early_reads(text: str, body: Span, names: Collection[str]) -> Reads:
    """The facts about these registers. Each name must mean one register in the whole body, which is otherwise
    correct."""
    found = Reads()
    first: dict[str, int] = {}  # reads that are certain
    writes: dict[str, list[int]] = {}
    early: dict[str, list[int]] = {}  # reads that may come before the end of the first write
    closed: dict[str, int] = {}  # end of the statement that first writes a register
    for match in mentions(text, body, names):
        name, (start, end) = match[0], match.span()
        effect, after = _effect(text, start, end)
        if effect == "writes":
            writes.setdefault(name, []).append(start)
            closed.setdefault(name, after)
        elif effect in ("reads", "perhaps reads"):
            if start < closed.get(name, body[1]):
                early.setdefault(name, []).append(start)
            if effect == "reads":
                first.setdefault(name, start)
            else:
                found.maybe_unwritten.add(name)
    never = first.keys() - writes.keys() - found.maybe_unwritten
    asked = {name: places for name, places in early.items() if name in writes}
    unreached = _unreached(text, body, asked, writes)
    perhaps, found.maybe_unwritten = found.maybe_unwritten, (found.maybe_unwritten & early.keys()) - asked.keys()
    for name, place in unreached.items():
        if place is None or name in perhaps:
            found.maybe_unwritten.add(name)
        else:
            first[name] = place
    unwritten = [*never, *(unreached.keys() - found.maybe_unwritten)]
    found.unwritten = sorted(((name, first[name]) for name in unwritten), key=lambda read: read[1])
    return found


def _unreached(
    text: str, body: Span, asked: dict[str, list[int]], writes: dict[str, list[int]]
) -> dict[str, int | None]:  # fmt: skip
    """The registers of which no write reaches one of the reads at these positions, and the first such read; None if
    that is unclear."""
    blocks = _blocks(text, body) if asked else None
    if blocks is None:
        return dict.fromkeys(asked)
    found: dict[str, int | None] = {}
    names = list(asked)
    for start in range(0, len(names), _BATCH):
        bits = {name: 1 << number for number, name in enumerate(names[start : start + _BATCH])}
        written = [0] * len(blocks.starts)
        for name, bit in bits.items():
            for place in writes[name]:
                written[bisect(blocks.starts, place) - 1] |= bit
        before = generated_before(written, blocks.successors)
        for name, bit in bits.items():
            for place in asked[name]:
                known = before.get(bisect(blocks.starts, place) - 1)
                if known is None or not known & bit:  # unreachable: left to the full checker
                    found[name] = place if known is not None and blocks.exact else None
                    break
    return found


def _effect(text: str, start: int, end: int) -> tuple[str, int]:
    """What a statement does with the register between two positions, and where the statement ends: "writes", "reads",
    "perhaps reads", "passes on" or "declares"."""
    line = text.rfind("\n", max(0, start - _LONGEST), start) + 1
    statement = _STATEMENT.match(text, line) if line else None
    if statement is None:
        declared = _DECLARATION.match(text, line)
        return ("declares" if declared and end < declared.end() else "perhaps reads"), end
    if end > statement.end(3):
        return "perhaps reads", end
    first = statement.start(3)
    if start < first:
        return ("reads" if statement.span(1) == (start, end) else "perhaps reads"), end
    listed = text[first] == "{" and start < text.find("}", first) and text[start - 1] in "{, \t"
    if (listed or (start == first and _next(text, end) == ",")) and assigns(statement[2]):
        return "writes", statement.end()
    return _source_effect(text, start, end, statement), end


def _next(text: str, end: int) -> str:
    """The character that follows an operand, after blanks."""
    while text[end] in " \t":
        end += 1
    return text[end]


def _source_effect(text: str, start: int, end: int, statement: re.Match[str]) -> str:
    """What a statement does with a source operand: "reads", "perhaps reads" or "passes on"."""
    opcode, operands, first = statement[2], statement[3], statement.start(3)
    after = _next(text, end)
    if after in "+]" and text[start - 1] == "[":
        return "reads"
    if text[start - 1] not in "{, \t" or after not in ",;}" or _is_special(opcode):
        return "perhaps reads"
    if "{" in operands and text.rfind("{", first, start) > text.rfind("}", first, start):
        return "passes on" if lists(opcode, "packed") else "perhaps reads" if lists(opcode, "padded") else "reads"
    passed = passed_on(opcode)
    if passed and ("[" in operands or "{" in operands):
        return "perhaps reads"
    return "passes on" if passed and text.count(",", first, start) in passed else "reads"


@lru_cache(1 << 12)
def _is_special(opcode: str) -> bool:
    """Whether an instruction may write an operand after the first, or may leave an operand unread."""
    several = any(sum(operand.role == "write" for operand in form.operands) > 1 for form, _ in resolve(opcode))
    return several or calls(opcode)


@cache
def _control_flow_lines() -> re.Pattern[str]:
    """Lines that are or start with a label, or transfer control."""
    words = "|".join(sorted(mnemonics(*JUMPS, *LEAVES)))
    guard = rf"(@[ \t]*+!?[ \t]*+{WORD}[ \t]++)?+"
    line = rf"\n[ \t]*+(?:({WORD}):(?!:)|{guard}({words})(?!{LETTER})[\w.:]*+[ \t]*+([^;\n]*+);)"
    return pattern(line, re.A)


def _count_transfers(text: str, body: Span) -> int:
    """The number of occurrences in the text of mnemonics that transfer control, including those inside other words."""
    return sum(text.count(word, *body) for word in mnemonics(*JUMPS, *LEAVES))


def _blocks(text: str, body: Span) -> _Blocks | None:
    """The basic blocks of a body; None if a jump has no line of its own. Indirect jumps have no edges."""
    branches, jumps = mnemonics("branch"), mnemonics(*JUMPS)
    blocks = _Blocks()
    blocks.begin(body[0])
    leading = 0
    for match in _control_flow_lines().finditer(text, *body):
        label, guard, mnemonic, target = match.groups()
        if label:
            if label in blocks.labels:
                return None
            blocks.begin(match.start(1))
            blocks.labels[label] = len(blocks.starts) - 1
            continue
        leading += 1
        blocks.falls[-1] = guard is not None
        if mnemonic in branches:
            blocks.targets[-1] = target.strip()
        elif mnemonic in jumps:
            blocks.exact = False
        blocks.begin(match.end())
    if leading != _count_transfers(text, body) or not blocks.labels.keys() >= set(blocks.targets) - {""}:
        return None
    return blocks
