"""`torch.compile` where `cuda` is the CPU: compiled functions run as they are written.

Dynamo would trace the function mode that redirects to the CPU, and a graph does not know which of its tensors stand for
tensors of CUDA.
"""

from __future__ import annotations

import sys
from functools import wraps
from typing import Any


class Eager:
    """Makes compiled functions run as they are written, until `close`, in torch 2.6 and later.

    The compiler is imported by the first `torch.compile`, which takes seconds, and told then.
    """

    def __init__(self, torch: Any) -> None:
        self.torch = torch
        self.stance: Any = None
        if "torch._dynamo" in sys.modules:
            self.enter()

    def enter(self) -> None:
        set_stance = getattr(self.torch.compiler, "set_stance", None)
        if self.stance is None and set_stance is not None:
            self.stance = set_stance("force_eager")

    def replacement(self) -> dict[str, Any]:
        """`torch.compile`, which tells the compiler first."""
        original = self.torch.compile

        @wraps(original)
        def compile(*arguments: Any, **options: Any) -> Any:
            self.enter()
            return original(*arguments, **options)

        return {"compile": compile}

    def close(self) -> None:
        """From now on functions are compiled again, those too that were made meanwhile."""
        if self.stance is not None:
            self.stance.__exit__(None, None, None)
            self.stance = None
