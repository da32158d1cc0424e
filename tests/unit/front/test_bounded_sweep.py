"""A sweep with a time limit: its order, and what it says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bounded_sweep import turns

TESTS = Path(__file__).parents[2]


def test_each_function_has_its_turn() -> None:
    names = [f"a.py::f[{i}]" for i in range(50)] + ["a.py::g", "b.py::h[x]", "b.py::h[y]"]
    order = [names[i] for i in turns(names, 7)]
    assert sorted(order) == sorted(names)
    assert {name.partition("[")[0] for name in order[:3]} == {"a.py::f", "a.py::g", "b.py::h"}
    assert [i for i, name in enumerate(order) if name.startswith("b.py")][-1] < 5
    assert order != [names[i] for i in turns(names, 8)]
    assert order == [names[i] for i in turns(names, 7)]


@pytest.mark.parametrize("workers", ["0", "2"])
def test_what_there_is_no_time_for(tmp_path: Path, workers: str) -> None:
    """An endless test is stopped, others do not begin."""
    (tmp_path / "conftest.py").write_text(
        f"import sys\nsys.path.insert(0, {str(TESTS)!r})\n"
        "from bounded_sweep import BoundedSweep\n"
        "def pytest_configure(config): config.pluginmanager.register(BoundedSweep(0.05, 1))\n"
    )
    (tmp_path / "test_short.py").write_text("def test_f(): pass\n")
    (tmp_path / "test_waits.py").write_text(
        "import time, pytest\n"
        "@pytest.mark.parametrize('i', range(500))\n"
        "def test_g(i):\n"
        "    while True: time.sleep(0.01)\n"
    )
    command = [sys.executable, "-m", "pytest", "-n", workers, "--maxschedchunk", "1", "-rs", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout
    assert "stopped after 0.15 seconds" in done.stdout
    ran = int(done.stdout.partition("seed 1: ")[2].partition(" of 501 tests in 0.05 minutes")[0])
    assert 2 <= ran < 100
