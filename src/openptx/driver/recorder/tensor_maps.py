"""Tensor maps from the real driver: a recording contains our equivalents in their place."""

from __future__ import annotations

import ctypes

from openptx.driver.calls import Failure
from openptx.driver.recorder.session import Session
from openptx.driver.recorder.wrappers import Passage, around
from openptx.driver.tensor_maps.tiled import tiled

SIZE = 128


@around("cuTensorMapEncodeTiled")
def encode_tiled(session: Session, call: Passage, out: int, *parameters: int) -> None:
    if call() == 0:
        try:
            session.tensor_maps[ctypes.string_at(out, SIZE)] = tiled(*parameters)
        except Failure as failure:
            session.warn_once(f"recordings contain a tensor map that OpenPTX does not support: {failure.why}")
