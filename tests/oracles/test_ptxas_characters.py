"""In which places the assembler rejects which characters."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from assembler import MISSING, PTXAS

sys.path.append(str(Path(__file__).parents[1] / "unit" / "syntax"))

from character_places import CHARACTERS, PLACES, refused


@pytest.mark.skipif(not PTXAS.exists(), reason=MISSING)
@pytest.mark.parametrize("place", PLACES)
def test_the_assembler_refuses_what_is_said(place: str, tmp_path: Path) -> None:
    file = tmp_path / "k.ptx"
    command = [str(PTXAS), "-arch=compute_90", str(file), "-o", str(tmp_path / "k.out")]
    for character in CHARACTERS:
        file.write_bytes(PLACES[place].replace("@", character).encode())
        done = subprocess.run(command, capture_output=True, check=False)
        assert bool(done.returncode) == refused(place, character), ascii(character)
