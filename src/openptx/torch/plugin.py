"""A pytest plugin that makes torch's `cuda` the CPU: `pytest -p openptx.torch.plugin --torch-target sm_90`."""

from __future__ import annotations

import argparse
import os

import pytest

from openptx.torch.activation import activate
from openptx.triton import active_target

TIMEOUT = 600.0


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the plugin."""
    group = parser.getgroup("openptx")
    group.addoption("--torch-target", metavar="SM", help="the GPU that the CPU stands for (OPENPTX_DEVICE, or sm_90)")
    group.addoption("--torch-timeout", metavar="SECONDS", type=float, default=TIMEOUT, help="of one launch")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Activates the device before any conftest.py is imported, because libraries query it when they are imported."""
    activate_for(early_config.known_args_namespace)


def pytest_configure(config: pytest.Config) -> None:
    """Activates the device if the plugin is named in a conftest.py, which is imported after the hook above."""
    if active_target() is None:
        activate_for(config.option)


def activate_for(options: argparse.Namespace) -> None:
    target = options.torch_target or os.environ.get("OPENPTX_DEVICE") or "sm_90"
    activate(str(target), timeout=options.torch_timeout)
