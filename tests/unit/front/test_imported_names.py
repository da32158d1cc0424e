"""Every name that modules, tests, benchmarks and tools import from the package is defined there.

Also where `late` or a function imports it at its first use.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "src" / "openptx"
MODULES = {
    ".".join(("openptx", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}
# syntax trees of all files would take 4 s
_IMPORT = re.compile(r"^[ ]*from ([\w.]+) import (?:\(([^)]*)\)|(.*))", re.MULTILINE)
_LATE = re.compile(r"\blate\(\s*[\"']([\w.]+)[\"'],\s*[\"'](\w+)[\"']")
_DEFINITION = re.compile(
    r"^(?:async +)?def +(\w+)|^(?:    )?class +(\w+)"  # functions at the top alone, so that methods do not count
    r"|^(?:    )?\(?((?:\w+,\s+)*\w+),?\)?(?: *:[^=\n]+)? += "  # also in the branches of an `if`
    r"|^(\w+): ",
    re.MULTILINE,
)


def names_of(listed: str) -> Iterator[tuple[str, str]]:
    """Each name of an import, and what it is called here."""
    for part in re.sub(r"#.*", "", listed).split(","):
        if words := part.split():
            yield words[0], words[-1]


@cache
def defined(module: str) -> frozenset[str]:
    text = MODULES[module].read_text("utf-8")
    groups = (group for match in _DEFINITION.finditer(text) for group in match.groups() if group)
    own = {name for group in groups for name in re.split(r",\s+", group)}
    given = {called for match in _IMPORT.finditer(text) for _, called in names_of(match[2] or match[3])}
    return frozenset(own | given)


def imported(text: str) -> Iterator[tuple[str, str]]:
    """Module and name of each import from the package."""
    found = [(match[1], name) for match in _IMPORT.finditer(text) for name, _ in names_of(match[2] or match[3])]
    return ((module, name) for module, name in found + _LATE.findall(text) if module.split(".")[0] == "openptx")


def missing(module: str, name: str) -> bool:
    if f"{module}.{name}" in MODULES or module == "openptx":  # its names are loaded lazily
        return False
    return module not in MODULES or name not in defined(module)


def test_what_is_missing_is_found() -> None:
    text = """
from openptx.program import Op, NoSuchName
from openptx.errors import (
    Fault,  # a comment
    NoFault as Fault2,
)
from openptx.no_module import anything
x = late("openptx.nowhere", "x")
y = late("nowhere", "y")
def f():
    from openptx.check import check, forms, no_check
"""
    found = [name for module, name in imported(text) if missing(module, name)]
    assert found == ["NoSuchName", "NoFault", "anything", "no_check", "x"]


def test_every_imported_name_is_defined() -> None:
    users = [path for folder in ("src", "tests", "tools", "bench") for path in sorted((ROOT / folder).rglob("*.py"))]
    wrong = [
        f"{path.relative_to(ROOT)} imports {name} from {module}"
        for path in users
        if path != Path(__file__)
        for module, name in imported(path.read_text("utf-8"))
        if missing(module, name)
    ]
    assert wrong == []
