"""A misspelt keyword, or one of another library, is refused with a hint."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import openptx

TEXT = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n"


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        ({"shared": 4}, "`kernel` takes no `shared=`: write `shared_mem=`, in bytes"),
        ({"smem": 4}, "write `shared_mem=`"),
        ({"shard_mem": 4}, "did you mean `shared_mem=`?"),
        ({"clusters": 2}, "did you mean `cluster=`?"),
        ({"time_out": 2}, "did you mean `timeout=`?"),
        ({"stream": None}, "there are no streams"),
        ({"x": 1}, "it takes args, block"),
    ],
)
def test_launches(options: dict[str, object], hint: str) -> None:
    with pytest.raises(openptx.ArgumentError) as found:
        openptx.load(TEXT)["k"](1, 1, **options)
    assert hint in str(found.value)
    assert isinstance(found.value, TypeError)


def test_other_functions() -> None:
    for call, hint in (
        (lambda: openptx.check(TEXT, arch="sm_90"), 'write `target=`, such as "sm_90a"'),
        (lambda: openptx.check(TEXT, ingore=["PTX"]), "did you mean `ignore=`?"),
        (lambda: openptx.load(TEXT, arch="sm_90"), "write `target=`"),
        (lambda: openptx.parse(TEXT, file_name="x"), "did you mean `filename=`?"),
        (lambda: openptx.convert(np.zeros(2), "e4m3", round="rn"), "write `rounding=`"),
        (lambda: openptx.convert(np.zeros(2), "e4m3", saturate=True), "`satfinite=`"),
    ):
        with pytest.raises(openptx.ArgumentError) as found:
            call()
        assert hint in str(found.value)


def test_signatures_are_those_of_the_functions() -> None:
    assert "shared_mem" in inspect.signature(openptx.Kernel.__call__).parameters
    assert list(inspect.signature(openptx.check).parameters)[:2] == ["source", "filename"]
