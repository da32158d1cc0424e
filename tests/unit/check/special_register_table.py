"""The recorded table of ptxas 13.5's verdicts on special registers, by version, target and place.

`special_registers.txt` has two parts. *gates*: registers, the `mov` that reads them, and the first version that takes
it for each target (every later one does). *uses*: statements with `{}` for the register, and for each context of the
header a string with one character for each register of the header, `.` where it is taken and `x` where it is refused.
tests/oracles/test_ptxas_special_registers.py measures it again.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from openptx.isa.special_registers import SPECIAL_REGISTERS
from openptx.isa.targets import TARGETS

TABLE = Path(__file__).with_name("special_registers.txt")

Version = tuple[int, int]
Context = tuple[Version, str]
Refused = Callable[[str, str], set[int]]
"""The lines with errors of a text for a target."""

_LAST = {1: 5, 2: 3, 3: 2, 4: 3, 5: 0, 6: 5, 7: 8, 8: 8, 9: 5}
VERSIONS = [(major, minor) for major, last in _LAST.items() for minor in range(last + 1)]
CONTEXTS = [  # every kind of file whose answers may differ by more than a gate
    ((1, 0), "sm_10"), ((1, 4), "sm_13"), ((2, 1), "sm_20"), ((3, 0), "sm_30"), ((6, 4), "sm_70"), ((7, 7), "sm_80"),
    ((9, 0), "sm_90"), ((9, 5), "sm_100a"),
]  # fmt: skip

_REGISTERS = {"u16": "h", "s16": "h", "b16": "h", "u32": "r", "s32": "r", "b32": "r", "u64": "q", "s64": "q"}
_REGISTERS |= {"b64": "q", "f32": "f", "f64": "d", "pred": "p", "u8": "c", "s8": "c", "f16": "e"}
DECLARATIONS = (
    ".reg .b8 c; .reg .b16 h, e; .reg .b32 r, r1, r2, r3; .reg .b64 q; .reg .pred p; .reg .f32 f; .reg .f64 d; "
    ".reg .v4 .u32 v; .reg .v2 .u32 w; .reg .v4 .u16 vh;"
)
# One register, or component, of each kind that a rule may tell apart.
# fmt: off
REPRESENTATIVES = [
    "%tid", "%tid.x", "%tid.w", "%nctaid.a", "%clusterid", "%clusterid.x", "%cluster_ctarank", "%laneid",
    "%laneid.x", "%nwarpid", "%gridid", "%clock", "%clock_hi", "%clock64", "%pm4", "%pm0_64", "%envreg0",
    "%globaltimer", "%globaltimer_lo", "%reserved_smem_offset_0", "%total_smem_size", "%aggr_smem_size",
    "%current_graph_exec", "%is_explicit_cluster",
]
# fmt: on


def names() -> list[str]:
    """All registers; of vectors, all components."""
    return [
        f"%{name}{component}"
        for name, register in SPECIAL_REGISTERS.items()
        for component in ((".x", ".y", ".z", ".w") if register.vector else ("",))
    ]


def move(name: str) -> str:
    """What reads a register as the type that it has."""
    type = SPECIAL_REGISTERS[name[1:].partition(".")[0]].type.name
    return f"mov.{type} {_REGISTERS[type]}, {name};"


def contexts() -> list[Context]:
    """Every version with every target that it has."""
    return [
        (version, target.name)
        for target in TARGETS.values()
        for version in VERSIONS
        if version >= target.since and not (target.renamed and version >= (9, 0))
    ]


def text(context: Context, statements: list[str]) -> str:
    """A file with one statement a line, the first of them in line 6."""
    (major, minor), target = context
    size = ".address_size 64" if (major, minor) >= (2, 3) else ""
    body = "\n".join(f"{{ {statement} }}" for statement in statements)
    functions = ".func one(.reg .u32 a) { ret; } .func (.reg .u32 b) two(.reg .u32 a) { ret; }"
    head = f".version {major}.{minor}\n.target {target}\n{size}\n{functions}\n"
    return f"{head}.entry k() {{ {DECLARATIONS}\n{body}\nexit; }}\n"


def verdicts(context: Context, statements: list[str], refused: Refused) -> list[bool]:
    """Whether each statement is taken."""
    wrong = refused(text(context, statements), context[1])
    assert wrong.isdisjoint(range(6)), (context, wrong)
    return [line not in wrong for line in range(6, 6 + len(statements))]


def gates(refused: Refused) -> dict[str, dict[str, Version | None]]:
    """By register, the first version of each target that takes it; None for none."""
    everything = names()
    found: dict[str, dict[str, Version | None]] = {name: dict.fromkeys(TARGETS) for name in everything}
    for context in contexts():
        version, target = context
        taken = verdicts(context, [move(name) for name in everything], refused)
        for name, right in zip(everything, taken, strict=True):
            since = found[name][target]
            if right and since is None:
                found[name][target] = version
            assert right or since is None, (name, context, "was taken by an earlier version")
    return found


def uses(refused: Refused, statements: list[str]) -> dict[str, list[str]]:
    """By statement, a string for each context."""
    found: dict[str, list[str]] = {statement: [] for statement in statements}
    everything = [statement.replace("{}", name) for statement in statements for name in REPRESENTATIVES]
    width = len(REPRESENTATIVES)
    for context in CONTEXTS:
        taken = verdicts(context, everything, refused)
        for number, statement in enumerate(statements):
            row = taken[number * width : (number + 1) * width]
            found[statement].append("".join(".x"[not right] for right in row))
    return found


def write(gates: dict[str, dict[str, Version | None]], uses: dict[str, list[str]]) -> str:
    """The table as text."""
    alike: dict[tuple[tuple[str, Version | None], ...], list[str]] = {}
    for name, since in gates.items():
        alike.setdefault(tuple(since.items()), []).append(name)
    lines = ["# gates: registers | version: targets"]
    for since, registers in alike.items():
        by_version: dict[str, list[str]] = {}
        for target, version in since:
            word = "never" if version is None else f"{version[0]}.{version[1]}"
            by_version.setdefault(word, []).append(target[3:])
        parts = [f"{version}: {' '.join(targets)}" for version, targets in by_version.items()]
        lines.append(f"{' '.join(registers)} | {' ; '.join(parts)}")
    where = " ".join(f"{major}.{minor}/{target}" for (major, minor), target in CONTEXTS)
    lines.append(f"# uses: statement | {where} | {' '.join(REPRESENTATIVES)}")
    lines += [f"{statement} | {' '.join(row)}" for statement, row in uses.items()]
    return "\n".join(lines) + "\n"


def read() -> tuple[dict[str, dict[str, Version | None]], dict[str, list[str]]]:
    """What `write` wrote."""
    first, second = TABLE.read_text().split("# uses")
    found: dict[str, dict[str, Version | None]] = {}
    for row in first.splitlines()[1:]:
        registers, parts = row.split(" | ")
        since: dict[str, Version | None] = {}
        for part in parts.split(" ; "):
            word, _, targets = part.partition(": ")
            major, _, minor = word.partition(".")
            version = None if word == "never" else (int(major), int(minor))
            since.update({f"sm_{target}": version for target in targets.split()})
        found.update(dict.fromkeys(registers.split(), since))
    rows = (row.rsplit(" | ", 1) for row in second.splitlines()[1:])
    return found, {statement: row.split() for statement, row in rows}
