"""A pytest plugin that makes torch's `cuda` the CPU: `pytest -p openptx.torch.plugin --torch-target sm_90`."""

from __future__ import annotations

import os

import pytest

from openptx.torch.activation import activate

TIMEOUT = 600.0


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the plugin."""
    group = parser.getgroup("openptx")
    group.addoption("--torch-target", metavar="SM", help="the GPU that the CPU stands for (OPENPTX_DEVICE, or sm_90)")
    group.addoption("--torch-timeout", metavar="SECONDS", type=float, default=TIMEOUT, help="of one launch")


def pytest_configure(config: pytest.Config) -> None:
    """Activates the device before any test file is imported: test files ask for it at import."""
    target = config.getoption("--torch-target") or os.environ.get("OPENPTX_DEVICE") or "sm_90"
    activate(str(target), timeout=config.getoption("--torch-timeout"))
