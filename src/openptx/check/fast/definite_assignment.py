"""Definite assignment on text, for bodies of one statement a line: whether a write reaches each read.

Accept-only: `flow/cfg.py` analyses all other bodies. Missed edges and false reads are conservative.
"""

from __future__ import annotations

import re
from bisect import bisect
from functools import cache

from openptx.check.flow.cfg import generated_before
from openptx.check.flow.reads_writes import assigns, passed_on
from openptx.isa.control import JUMPS, LEAVES, mnemonics
from openptx.patterns import pattern
from openptx.syntax.lexical import LETTER, WORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from openptx.source import Span

_NUMBER = pattern(r"[0-9]++\Z", re.A)
_MOST_PLACES = 64
"""Beginnings of names that are looked for one by one: a search for each of them costs more than one for all words."""


def mentions(text: str, body: Span, names: Collection[str]) -> Iterator[re.Match[str]]:
    """The places where one of these names stands."""
    beginnings = {_NUMBER.sub("", name) for name in names}
    wanted = (
        rf"(?:{'|'.join(map(re.escape, beginnings))})[0-9]*+(?!{LETTER})" if len(beginnings) <= _MOST_PLACES else WORD
    )
    return (match for match in pattern(wanted, re.A).finditer(text, *body) if match[0] in names)


def flowing(text: str, body: Span) -> Iterator[int]:
    """The places where a statement may transfer control.

    To find each of a few words is a hundred times as fast as one expression for all of them.
    """
    for word in mnemonics(*JUMPS, *LEAVES):
        at = text.find(word, *body)
        while at >= 0:
            yield at
            at = text.find(word, at + 1, body[1])


_STATEMENT = pattern(rf"[ \t]*+(?:@[ ]?+!?[ ]?+{WORD}[ \t]++)?+([a-z][\w.:]*+)[ \t]++([^;\n/\"()]*+);", re.A)
"""An instruction that has its line to itself."""
_DECLARATION = pattern(r"[ \t]*+\.reg[ \t.][^;\n/]*+;")


_MOST = 1 << 10
"""Registers: the facts of each block are as many bits."""


class _Blocks:
    """The basic blocks of a body: where each begins, whether it falls through, and the label that it jumps to."""

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.falls: list[bool] = []  # whether the next one follows it
        self.targets: list[str] = []  # the label that it jumps to, if any
        self.labels: dict[str, int] = {}

    def begin(self, place: int) -> None:
        """A block begins here; the one before falls through unless `falls` is cleared."""
        self.starts.append(place)
        self.falls.append(True)
        self.targets.append("")

    def successors(self, number: int) -> list[int]:
        """The blocks that may follow one."""
        found = [number + 1] if self.falls[number] and number + 1 < len(self.starts) else []
        if target := self.targets[number]:
            found.append(self.labels[target])
        return found


def surely_written(text: str, body: Span, names: set[str]) -> bool:
    """Whether a write reaches every read of these registers that stands before all writes; False if that is unclear.

    Each name means one register in the whole body, and the body is right otherwise.
    """
    blocks = _blocks(text, body) if len(names) <= _MOST else None
    if blocks is None:
        return False
    bits = {name: 1 << number for number, name in enumerate(names)}
    written = [0] * len(blocks.starts)
    asked: list[tuple[int, int]] = []  # a block, and the register that it reads
    closed: dict[str, int] = {}  # where the statement ends that writes it first
    for match in mentions(text, body, names):
        name, (start, end) = match[0], match.span()
        block = bisect(blocks.starts, start) - 1
        does, after = _does(text, start, end)
        if does == "writes":
            written[block] |= bits[name]
            closed.setdefault(name, after)
        elif does == "reads" and start < closed.get(name, body[1]):
            asked.append((block, bits[name]))
    before = generated_before(written, blocks.successors)
    return all(before.get(block, 0) & bit for block, bit in asked)


def _does(text: str, start: int, end: int) -> tuple[str, int]:
    """What a statement does with the register between two places, and where it ends; "reads" if in doubt."""
    line = text.rfind("\n", 0, start) + 1
    statement = _STATEMENT.match(text, line)
    if statement is None and (declared := _DECLARATION.match(text, line)) and end < declared.end():
        return "declares", end
    if statement is None or start < statement.start(2) or end > statement.end(2):
        return "reads", end
    opcode, first = statement[1], statement.start(2)
    listed = text[first] == "{" and start < text.find("}", first) and text[start - 1] in "{, \t"
    if (listed or (start == first and text[end] == ",")) and assigns(opcode):
        return "writes", statement.end()
    plain = text[start - 1] in ", \t" and text[end] in ",;" and "[" not in statement[2] and "{" not in statement[2]
    if plain and text.count(",", first, start) in passed_on(opcode):
        return "passes on", end
    return "reads", end


@cache
def _flow() -> re.Pattern[str]:
    """Lines that are a label, begin with one, or transfer control."""
    words = "|".join(sorted(mnemonics(*JUMPS, *LEAVES)))
    line = rf"\n[ \t]*+(?:({WORD}):(?!:)|(@[ ]?+!?[ ]?+{WORD}[ \t]++)?+({words})(?!{LETTER})[\w.:]*+[ \t]*+([^;\n]*+);)"
    return pattern(line, re.A)


def _leading(text: str, body: Span) -> int:
    """The number of times that mnemonics that transfer control occur in the text, counting parts of other words too."""
    return sum(text.count(word, *body) for word in mnemonics(*JUMPS, *LEAVES))


def _blocks(text: str, body: Span) -> _Blocks | None:
    """The basic blocks of a body; None if a jump has no line of its own. Indirect jumps have no edges."""
    branches = mnemonics("branch")
    blocks = _Blocks()
    blocks.begin(body[0])
    leading = 0
    for match in _flow().finditer(text, *body):
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
        blocks.begin(match.end())
    if leading != _leading(text, body) or not blocks.labels.keys() >= set(blocks.targets) - {""}:
        return None
    return blocks
