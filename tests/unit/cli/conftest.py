"""Runs the command inside this process: its exit status, stdout and stderr."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from openptx.cli import main


@pytest.fixture(autouse=True)
def without_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an earlier test, or an earlier run of the tests, has found is not remembered."""
    monkeypatch.setattr("openptx.cli.verdicts.cache_folder", lambda: None)


@dataclass(frozen=True)
class Done:
    status: int
    out: str
    err: str


@pytest.fixture
def openptx(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    monkeypatch.delenv("FORCE_COLOR", raising=False)

    def run(*argv: object) -> Done:
        try:
            status = main([str(argument) for argument in argv])
        except SystemExit as stopped:  # argparse: --help and usage errors
            status = int(stopped.code or 0)
        finally:
            gc.enable()  # `check` turns collection off, since its process is over soon; this one is not
        captured = capsys.readouterr()
        return Done(status, captured.out, captured.err)

    return run
