"""Tensors in files: they say where they are, and are loaded where `map_location` says."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch", reason="torch is not installed: make clients")
pytest.importorskip("triton", reason="Triton is not installed: make clients")

pytestmark = pytest.mark.usefixtures("cuda_is_the_cpu")

CUDA = "cuda:0"


def places(*tensors: Any) -> list[str]:
    return [str(tensor.device) for tensor in tensors]


@pytest.mark.parametrize("location", ["cuda", torch.device("cuda", 0), {"cpu": "cuda:0"}, "cpu", None])
def test_loaded_tensors(location: Any, tmp_path: Path) -> None:
    torch.save(torch.ones(3), tmp_path / "x.pt")
    expected = CUDA if location not in ("cpu", None) else "cpu"
    assert places(torch.load(tmp_path / "x.pt", map_location=location)) == [expected]


@pytest.mark.parametrize("location", [None, "cuda", "cpu", {"cuda:0": "cpu"}, lambda storage, place: storage.cuda()])
def test_files_say_where_tensors_are(location: Any, tmp_path: Path) -> None:
    torch.save([torch.ones(3, device="cuda"), torch.ones(3)], tmp_path / "x.pt")
    on_cuda, on_cpu = torch.load(tmp_path / "x.pt", map_location=location)
    moved = location in ("cpu", {"cuda:0": "cpu"})
    assert (on_cuda.is_cuda, on_cpu.is_cuda) == (not moved, callable(location) or location == "cuda")


def test_pickled_tensors_stay_where_they_are() -> None:
    assert places(*pickle.loads(pickle.dumps([torch.ones(2, device="cuda"), torch.ones(2)]))) == [CUDA, "cpu"]
