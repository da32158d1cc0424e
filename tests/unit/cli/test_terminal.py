"""Progress bar, colours and widths, which appear on a terminal only."""

from __future__ import annotations

import io
from types import SimpleNamespace

import pytest

from openptx.cli import terminal
from openptx.diagnostics.terminal import has_color


class Screen(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """A clock that is half a second later whenever it is read."""
    times = iter(range(10_000))
    monkeypatch.setattr(terminal.time, "monotonic", lambda: next(times) / 2)


@pytest.fixture
def screen(monkeypatch):
    stream = Screen()
    monkeypatch.setattr(terminal, "sys", SimpleNamespace(stderr=stream))  # pytest puts sys.stderr back before each call
    monkeypatch.setenv("TERM", "xterm")
    return stream


def test_a_bar_appears_after_a_second_and_goes_away(clock, screen):
    assert list(terminal.progress(iter("abcdef"), 6, "files")) == list("abcdef")
    pictures = screen.getvalue().split("\r\x1b[K")
    assert pictures[0] == pictures[-1] == ""
    assert pictures[2] == "[####################....................] 3/6 files"
    assert [picture.split("] ")[1] for picture in pictures[1:-1]] == [f"{count}/6 files" for count in (2, 3, 4, 5)]


def test_the_bar_goes_away_when_the_work_is_interrupted(clock, screen):
    work = terminal.progress(iter("abcdef"), 6, "files")
    for _ in range(5):
        next(work)
    work.close()
    assert screen.getvalue().endswith("\r\x1b[K")


def test_quick_work_has_no_bar(screen):
    assert list(terminal.progress(iter("abcdef"), 6, "files")) == list("abcdef")
    assert screen.getvalue() == ""


@pytest.mark.parametrize("term", ["dumb", None])
def test_a_pipe_has_no_bar(clock, monkeypatch, term):
    stream = Screen() if term else io.StringIO()
    monkeypatch.setattr(terminal, "sys", SimpleNamespace(stderr=stream))
    monkeypatch.setenv("TERM", term or "xterm")
    assert list(terminal.progress(iter("abcdef"), 6, "files")) == list("abcdef")
    assert stream.getvalue() == ""


def test_the_bar_fits_a_narrow_terminal(clock, screen, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    list(terminal.progress(iter(range(20)), 20, "a long name of what is being done"))
    assert all(len(picture) <= 40 for picture in screen.getvalue().split("\r\x1b[K"))


@pytest.mark.parametrize(
    ("environment", "tty", "color"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
        ({"TERM": "dumb"}, True, False),
    ],
)
def test_colour(monkeypatch, environment, tty, color):
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert has_color(Screen() if tty else io.StringIO()) is color


def test_width(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "97")
    assert terminal.width_of(Screen()) == 97
    assert terminal.width_of(io.StringIO()) == 140


def test_a_clock_runs_while_something_does_and_goes_away(screen, monkeypatch):
    monkeypatch.setattr(terminal, "DELAY", 0.01)

    def interrupted():
        terminal.time.sleep(0.2)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), terminal.Clock("running `f`"):
        interrupted()
    first, *pictures, last = screen.getvalue().split("\r\x1b[K")
    assert (first, last, set(pictures)) == ("", "", {"running `f`: 0 s"})


def test_a_pipe_has_no_clock(screen, monkeypatch):
    monkeypatch.setattr(terminal, "DELAY", 0.01)
    monkeypatch.setattr(screen, "isatty", lambda: False)
    with terminal.Clock("running `f`"):
        terminal.time.sleep(0.05)
    assert screen.getvalue() == ""
