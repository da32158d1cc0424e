"""Runs tests that are files: case folders with inputs and expected outputs, and annotated PTX (docs/testing.md).

`openptx test` and the pytest plugin share one runner. Tests in Python have `assert_same_bits`, the plugin's fixtures,
and `openptx.testing.strategies` for Hypothesis.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.testing.collection import collected
    from openptx.testing.fixtures import Launcher, Loader
    from openptx.testing.same_bits import assert_same_bits

_HOMES = {
    "Launcher": "openptx.testing.fixtures",
    "Loader": "openptx.testing.fixtures",
    "assert_same_bits": "openptx.testing.same_bits",
    "collected": "openptx.testing.collection",
}
"""Imported on first use: pytest loads the plugin in every run of an environment, and these take half a second."""

__all__ = ["Launcher", "Loader", "assert_same_bits", "collected"]


def _get(name: str) -> object:
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module `openptx.testing` has no attribute `{name}`")
    return getattr(import_module(_HOMES[name]), name)


if not TYPE_CHECKING:
    __getattr__ = _get
