"""Files of images that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from openptx.driver.calls import Failure
from openptx.driver.modules.module import content
from openptx.driver.results import Result


def test_a_program_may_look_for_a_file_without_a_message(tmp_path: Path) -> None:
    for path, silent in ((tmp_path / "absent", True), (tmp_path, False)):
        with pytest.raises(Failure) as caught:
            content(str(path))
        assert (caught.value.result, caught.value.usual) == (Result.FILE_NOT_FOUND, silent)
