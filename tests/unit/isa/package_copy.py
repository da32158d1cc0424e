"""A copy of the package, which the tests of the "add a ..." pages change and then run."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree

ROOT = Path(__file__).parents[3]


def blocks(page: str, language: str) -> list[str]:
    """The code blocks of a page of docs/ that are marked with this language, in their order."""
    parts = (ROOT / "docs" / page).read_text().split("```")[1::2]
    return [text for name, _, text in (part.partition("\n") for part in parts) if name == language]


@dataclass(frozen=True)
class PackageCopy:
    """`openptx` in a folder of its own, which is also the working directory of its commands."""

    folder: Path

    @classmethod
    def below(cls, folder: Path) -> PackageCopy:
        copytree(ROOT / "src" / "openptx", folder / "openptx")  # with its byte code, which stays valid
        return cls(folder)

    def insert(self, path: str, text: str, before: str) -> None:
        """Puts text into a file of the package, before the first occurrence of a line's beginning."""
        file = self.folder / "openptx" / path
        source = file.read_text()
        at = source.index(before)
        file.write_text(source[:at] + text + source[at:])

    def run(self, *command: str, status: int = 0) -> str:
        """What `python COMMAND` prints; its exit status is asserted."""
        environment = {"PYTHONPATH": str(self.folder), "PATH": ""}
        environment |= {name: value for name in ("XDG_CACHE_HOME", "OPENPTX_CACHE") if (value := os.environ.get(name))}
        done = subprocess.run(
            [sys.executable, *command], cwd=self.folder, env=environment, capture_output=True, text=True
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout + done.stderr

    def openptx(self, *command: str, status: int = 0) -> str:
        return self.run("-m", "openptx", *command, status=status)
