"""Extracts the facts that tests compare from NVIDIA's PTX ISA manual, without its prose, into tests/data/manual.json.

    python tools/extract_manual.py FOLDER

FOLDER holds the manual as Markdown, a page a section: INDEX.md, 9-instruction-set/9.7.1.1-....md, ...
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

TO = Path(__file__).parents[1] / "tests" / "data" / "manual.json"

Since = tuple[list[int] | None, int | None]

_SYNTAX = re.compile(
    r"^Syntax\s*$(.*?)^(?:Description|Semantics|PTX ISA Notes|Deprecation Note|Notes)\s*$", re.MULTILINE | re.DOTALL
)
_EXAMPLES = re.compile(r"^Examples?.*?$(.*?)(?=^[A-Z#][^\n;]*$|\Z)", re.MULTILINE | re.DOTALL)
_OPCODE = re.compile(r"(?:^|[;{}]|@!?[\w%]+)[ \t]*([a-z][a-z0-9]*(?:\.[\w:]+)+)(?=[ \t\n])", re.MULTILINE)
_SREG = re.compile(r"^\s*\.sreg\s+(\.v4)?\s*\.(\w+)\s+(.*?)(?:;|//|$)", re.MULTILINE)


def pages(folder: Path, pattern: str = "*.md") -> dict[str, str]:
    """The pages of a chapter by their section number, in order."""
    found = {path.name.split("-")[0]: path.read_text() for path in folder.glob(pattern)}
    return dict(sorted(found.items(), key=lambda item: [int(n) for n in item[0].split(".")]))


def examples(page: str) -> list[str]:
    """The opcodes with modifiers in the examples of a page."""
    return sorted(set(_OPCODE.findall(re.sub(r"//.*", "", "\n".join(_EXAMPLES.findall(page))))))


def since(page: str) -> Since:
    """The first version and the first target that a page names in its notes."""
    notes = page.partition("PTX ISA Notes")[2] or page.partition("Notes")[2]
    version = re.search(r"ntroduced in PTX ISA (?:version )?(\d+)\.(\d+)", notes)
    target = re.search(r"[Rr]equires? (?:target )?`sm_(\d+)`", notes)
    return [int(version[1]), int(version[2])] if version else None, int(target[1]) if target else None


def directives(chapter: dict[str, str]) -> dict[str, tuple[str, Since]]:
    """Name and first version of each directive, by section number."""
    titles = {number: re.search(r"Directives:\.(\w+)", text) for number, text in chapter.items()}
    return {number: (title[1], since(chapter[number])) for number, title in titles.items() if title}


def pragmas(chapter: dict[str, str]) -> dict[str, Since]:
    """First version of each pragma string."""
    return {name: since(text) for text in chapter.values() for name in re.findall(r'Strings:"(\w+)"', text)[:1]}


def special_registers(chapter: dict[str, str]) -> dict[str, tuple[str, bool]]:
    """Type of each special register, and whether it is a vector. `%envreg<32>` is 32 of them."""
    found: dict[str, tuple[str, bool]] = {}
    for number, text in chapter.items():
        declared = _SREG.findall(text)
        if not declared:
            raise SystemExit(f"no .sreg on page {number}")
        for vector, kind, listed in declared:
            for name in re.findall(r"%(\w+(?:<\d+>)?)(?![\w.])", listed):
                base, _, count = name.removesuffix(">").partition("<")
                for each in [f"{base}{i}" for i in range(int(count))] if count else [base]:
                    found[each] = kind, bool(vector)
    return found


def main() -> None:
    """Writes the file."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    manual = options.parse_args().folder
    instructions = pages(manual / "9-instruction-set", "9.7.*.md")
    facts = {
        "sections": re.findall(r"\[(9\.7\.\d+\.\d+)\. ([^\]]+)\]", (manual / "INDEX.md").read_text()),
        "syntax": {number: found for number, page in instructions.items() if (found := _SYNTAX.findall(page))},
        "examples": {number: found for number, page in instructions.items() if (found := examples(page))},
        "directives": directives(pages(manual / "11-directives")),
        "pragmas": pragmas(pages(manual / "12-descriptions-ofpragmastrings")),
        "special_registers": special_registers(pages(manual / "10-special-registers")),
    }
    TO.write_text(json.dumps(facts, indent=0) + "\n")
    print(f"{TO}: " + ", ".join(f"{len(part)} {name}" for name, part in facts.items()))


if __name__ == "__main__":
    main()
