"""`torch.distributed` with the back end `nccl`: gloo, which torch's build for CPUs has, in its place."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any


def backends(torch: Any) -> list[tuple[Any, dict[str, Any]]]:
    """The replacements for what chooses a process group's implementation, and its timeout. `get_backend` gives the name
    that the program gave. What gloo does not do, such as averages, is its own error."""
    if not torch.distributed.is_available():
        return []
    module: Any = import_module("torch.distributed.distributed_c10d")
    names = module.Backend
    native: Callable[..., None] = module.BackendConfig.__init__

    @wraps(native)
    def begin(self: Any, backend: Any) -> None:
        native(self, backend)
        chosen: dict[str, str] = self.device_backend_map
        if names.NCCL in chosen.values():
            found = {device: names.GLOO if name == names.NCCL else name for device, name in chosen.items()}
            self.device_backend_map = {"cpu": names.GLOO, **found}

    return [
        (module.BackendConfig, {"__init__": begin}),
        (module, {"default_pg_nccl_timeout": module.default_pg_timeout}),
    ]
