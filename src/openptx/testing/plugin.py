"""The pytest plugin, which pytest finds by itself: case folders and annotated PTX files are tests.

`--ptx-engine` picks the engine, `--ptx-sanitize` fails cases that `openptx sanitize` complains of. A known gap
(`Unsupported`) is a skip that names it. Fixtures for tests in Python: `ptx`, `launch`, `assert_same_bits`.
`-p no:openptx.testing.plugin` turns it off. Every pytest run of an environment imports this, so it imports little.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from openptx import testing


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the plugin."""
    group = parser.getgroup("openptx")
    group.addoption("--ptx-engine", default="auto", choices=("auto", "interp", "native"), help="engine for PTX tests")
    group.addoption(
        "--ptx-sanitize", metavar="TOOLS", nargs="?", const="all", help="watch cases: all, or race,init,..."
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A `case.json` with its `kernel.ptx`, or a PTX file with annotations."""
    is_case = file_path.name == "case.json" and (file_path.parent / "kernel.ptx").is_file()
    if not is_case and file_path.suffix != ".ptx":
        return None
    return testing.collected(file_path, parent)


@pytest.fixture(scope="module")
def ptx(request: pytest.FixtureRequest) -> testing.Loader:
    """`ptx("scale.ptx")`: the module in a file beside the test, or in a text; loaded once for a test file."""
    return testing.Loader(str(request.path.parent))


@pytest.fixture
def launch(pytestconfig: pytest.Config) -> testing.Launcher:
    """`launch(kernel, grid, block, arguments)`: with the engine and the sanitizers of the command line."""
    return testing.Launcher(str(pytestconfig.getoption("--ptx-engine")), pytestconfig.getoption("--ptx-sanitize"))


@pytest.fixture
def assert_same_bits() -> Callable[..., None]:
    """`openptx.testing.assert_same_bits`."""
    return testing.assert_same_bits
