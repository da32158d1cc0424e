"""The declarations compared with NVIDIA's assembler, if it is installed: forms, operand types, gates."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import sysconfig
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest
from statements import DECLARATIONS, statements

from openptx.isa.notation import resolve
from openptx.isa.notation.gates import Gate
from openptx.isa.targets import NEWEST, TARGETS, Target, gates, satisfied, unmet

pytestmark = pytest.mark.sweep

Version = tuple[int, int]
ASKED = ("sm_100a", "sm_120a", "sm_90a", "sm_103a", "sm_107a", "sm_110a")
VERSIONS: tuple[Version, ...] = (
    *((6, minor) for minor in range(3, 6)),
    *((7, minor) for minor in range(9)),
    *((8, minor) for minor in range(9)),
    *((9, minor) for minor in range(6)),
)
_ERROR = re.compile(r"asked.ptx, line (\d+); (error|fatal)")

# Not for us to say: textures of registers behave by their mode, `cvt` has rules of its own (`conversions.py`), and
# `.param::func` needs a variable.
LEFT_OUT = ("tex.", "tld4.", "cvt.")


@cache
def assembler() -> Path:
    path = Path(sysconfig.get_paths()["purelib"]) / "nvidia" / "cu13" / "bin" / "ptxas"
    if importlib.util.find_spec("nvidia") is None or not path.exists():
        pytest.skip("NVIDIA's assembler is not installed (pip install nvidia-cuda-nvcc)")
    return path


def refused(lines: list[str], target: Target, version: Version, folder: Path) -> set[int]:
    """The numbers of the statements that the assembler finds wrong; each is in a scope of its own.

    A syntax error ends its reading, and one in the text that it makes of an instruction does not name a line, so the
    others are asked until it takes them all.
    """
    declared = DECLARATIONS if version >= (8, 3) else re.sub(r"\.reg \.b128 [^;]*;", "", DECLARATIONS)
    head = [f".version {version[0]}.{version[1]}", f".target {target}", ".address_size 64", ".entry k()", "{", declared]
    path = folder / "asked.ptx"
    command = [assembler(), f"-arch={target.name.replace('sm_', 'compute_')}", path, "-o", "/dev/null"]
    found: set[int] = set()
    parts = [list(range(len(lines)))]
    while parts:
        asked = parts.pop()
        path.write_text("\n".join((*head, *(f"{{ {lines[i]} }}" for i in asked), "ret;", "}", "")))
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        errors = [(int(row) - len(head) - 1, kind) for row, kind in _ERROR.findall(done.stdout + done.stderr)]
        wrong = {asked[number] for number, _ in errors}
        found |= wrong
        if any(kind == "fatal" for _, kind in errors):
            parts.append([i for i in asked if i > max(wrong)])
        elif wrong:
            parts.append([i for i in asked if i not in wrong])
        elif done.returncode and len(asked) > 1:
            parts += (asked[: len(asked) // 2], asked[len(asked) // 2 :])
        elif done.returncode:
            found.update(asked)
    return found


def _known(statement: str) -> bool:
    return not statement.startswith(LEFT_OUT) and "param::func" not in statement and not statement.startswith("mov.")


@cache
def asked() -> tuple[tuple[str, str], ...]:
    """Statements, each with a target that should have it."""
    found: list[tuple[str, str]] = []
    for form, m, statement in statements():
        target = next((name for name in ASKED if not unmet(form, m, NEWEST, TARGETS[name])), None)
        if target is not None and _known(statement):
            found.append((target, statement))
    return tuple(dict.fromkeys(found))


def test_every_form_is_taken_with_operands_of_its_types(tmp_path: Path) -> None:
    wrong: list[str] = []
    for target in ASKED:
        lines = [statement for name, statement in asked() if name == target]
        wrong += [lines[i] for i in sorted(refused(lines, TARGETS[target], NEWEST, tmp_path))]
    print(f"{len(asked())} statements")
    assert wrong == []
    assert len(asked()) > 4000


def _gates(statement: str) -> list[list[Gate]]:
    """The gates of each form that has this opcode and as many operands."""
    opcode, _, rest = statement.removesuffix(";").partition(" ")
    count = len(re.sub(r"\{[^}]*\}|\[[^\]]*\]", "x", rest).split(",")) if rest else 0
    fitting = [(form, m) for form, m in resolve(opcode) if any(len(layout) == count for layout in form.layouts(m))]
    return [[gate for _, gate in gates(form, m)] for form, m in fitting]


# Where the operands' types, not their number, tell two forms apart that came at different times.
AMBIGUOUS = ("st.bulk", "cp.async.c", "tcgen05.mma.cta_group", "tcgen05.mma.sp.cta_group")


def test_gates(tmp_path: Path) -> None:
    lines = [statement for _, statement in asked() if not statement.startswith(AMBIGUOUS)]
    wanted = {statement: _gates(statement) for statement in lines}
    wrong: dict[str, list[str]] = defaultdict(list)
    count = 0
    for target in TARGETS.values():
        if target.number < 75 or target.renamed is not None:
            continue
        for version in VERSIONS:
            if version < target.since:
                continue
            # A 128-bit register, and a result thrown away, end the reading of a file that is too old for them.
            now = [
                s for s in lines if ("b128_" not in s or version >= (8, 3)) and (" _," not in s or version >= (7, 1))
            ]
            found = refused(now, target, version, tmp_path)
            count += len(now)
            for i, statement in enumerate(now):
                ours = any(all(satisfied(g, version, target) for g in each) for each in wanted[statement])
                if ours == (i in found):
                    wrong[statement].append(f"{target} {version[0]}.{version[1]}")
    print(f"{count} verdicts", file=sys.stderr)
    assert dict(wrong) == {}
