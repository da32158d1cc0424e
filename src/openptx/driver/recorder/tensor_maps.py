"""Tensor maps from the real driver: a recording contains our equivalents in their place."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from openptx.driver.calls import Failure
from openptx.driver.recorder.wrappers import Passage, around
from openptx.driver.tensor_maps import tiled

if TYPE_CHECKING:
    from openptx.driver.recorder.session import Session

SIZE = 128


@around("cuTensorMapEncodeTiled")
def encode_tiled(session: Session, call: Passage, out: int, *given: int) -> None:
    if call() == 0:
        try:
            session.tensor_maps[ctypes.string_at(out, SIZE)] = tiled(*given)
        except Failure as failure:
            session.warn_once(
                f"recordings hold a tensor map as the driver made it, which means nothing here: {failure.why}"
            )
