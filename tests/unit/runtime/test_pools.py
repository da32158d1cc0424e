"""How many ranges a grid is run in depends on the threads of a cluster's workers."""

from __future__ import annotations

import os
from concurrent.futures import Executor
from typing import Any

import pytest

from openptx.runtime.distribute import SMALL, pieces


class Client:
    """A client of dask, with two workers."""

    def nthreads(self, workers: list[str] | None = None) -> dict[str, int]:
        """The threads of each worker, or of those given."""
        return {name: count for name, count in (("a", 8), ("b", 16)) if workers is None or name in workers}


class ClientExecutor(Executor):
    """The attributes of dask's executor that are read."""

    __module__ = "distributed.cfexecutor"

    def __init__(self, **keywords: Any) -> None:
        self._client, self._kwargs = Client(), keywords


@pytest.mark.parametrize(
    ("chosen", "threads"),
    [({}, 24), ({"workers": ["b"]}, 16), ({"workers": "a"}, 8), ({"workers": []}, os.cpu_count())],
    ids=str,
)
def test_ranges_for_a_cluster_of_dask(chosen: dict[str, Any], threads: int) -> None:
    assert pieces(ClientExecutor(**chosen), SMALL + 1) == threads
