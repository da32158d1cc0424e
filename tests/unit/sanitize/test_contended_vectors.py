"""Vectors of happens-before against dictionaries, and what contended atomics copy of them."""

from __future__ import annotations

import random

import numpy as np
import pytest

import openptx
from openptx.array_types import Array
from openptx.device.shared_layout import SharedLayout
from openptx.engines.interp.geometry import Shape
from openptx.sanitize.races import vectors
from openptx.sanitize.races.teams import Teams
from openptx.sanitize.races.views import Views


def joined(*some: dict[int, int]) -> dict[int, int]:
    return {key: max(each.get(key, -1) for each in some) for key in set().union(*some)}


@pytest.mark.parametrize("seed", range(4))
def test_joins_are_those_of_dictionaries(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of vectors that have little more than others, of those that have nothing in common, and of collected ones."""
    monkeypatch.setattr(vectors, "STEPS", 3)
    random_, layout = random.Random(seed), SharedLayout({}, 0, 0, False)
    views = Views(Teams(Shape((8, 1, 1), (64, 1, 1), (1, 1, 1), False, layout, 0, 0, 0)))
    table, expected = views.table(24), [dict[int, int]() for _ in range(24)]
    for step in range(600):
        i, j, some = random_.randrange(24), random_.randrange(24), random_.sample(range(24), random_.randrange(6))
        kind = random_.randrange(5)
        if kind == 0:
            keys = sorted(random_.sample(range(90), random_.choice((1, 2, 3, 40))))
            new = {key: random_.choice((step, random_.randrange(step + 1))) for key in keys}
            table[i] = views.add(np.array(keys, np.int64), np.array(list(new.values()), np.int64))
            expected[i] = new
        elif kind == 1:
            more = random_.randrange(90)
            table[i] = views.join(int(table[i]), views.sorted_row([more], [step]))
            expected[i] = joined(expected[i], {more: step})
        elif kind == 2:
            table[i], expected[i] = views.join(int(table[i]), int(table[j])), joined(expected[i], expected[j])
        elif kind == 3:
            table[i], expected[i] = views.join_parts(table[some].tolist()), joined(*(expected[k] for k in some))
        elif step % 10 == 0:
            views._collection_at = -1
            views.collect()
        every = np.arange(90)
        of = np.array([expected[i].get(key, -1) for key in range(90)])
        assert (views._vectors.times(int(table[i]), every) == of).all()
        contained = all(expected[i].get(key, -1) >= time for key, time in expected[j].items())
        assert views.contains(int(table[i]), int(table[j])) == contained
        assert (int(table[i]) == int(table[j])) == (expected[i] == expected[j])


CONTENDED = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p) {
    .reg .b64 a; .reg .b32 v, i; .reg .pred q;
    ld.param.u64 a, [p]; mov.u32 i, 0;
L:  fence.sc.gpu; atom.acquire.gpu.global.add.u32 v, [a], 1;
    add.u32 i, i, 1; setp.lt.u32 q, i, 2; @q bra L;
    ret;
}
"""


def test_contended_sequentially_consistent_atomics_copy_few_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of 256 threads makes vectors with entries of all others. With all vectors kept as arrays the new ones alone
    had three times as many entries as there are threads, for each atomic operation."""
    copied, keep, merged = [0], vectors.Vectors.keep, vectors.merged

    def counted(*arrays: Array) -> tuple[Array, Array]:
        found = merged(*arrays)
        copied[0] += found[0].size
        return found

    def kept(self: vectors.Vectors, keys: Array, times: Array, parent: int = 0) -> int:
        copied[0] += keys.size
        return keep(self, keys, times, parent)

    monkeypatch.setattr(vectors, "merged", counted)
    monkeypatch.setattr(vectors.Vectors, "keep", kept)
    a = np.zeros(1, np.uint32)
    assert openptx.sanitize(openptx.load(CONTENDED)["k"], 4, 64, (a,), tools="race", engine="interp") == []
    assert a[0] == 512
    assert copied[0] < 1.5 * 512 * 256
