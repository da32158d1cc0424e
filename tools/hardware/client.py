"""A GPU in a separate process: a launch that breaks or hangs it costs only that process."""

from __future__ import annotations

import pickle
import select
import subprocess
import sys
from pathlib import Path
from typing import Any

from hardware.requests import Elsewhere, Request

START, ANSWER = 60.0, 20.0  # seconds
REFUSED = ("cuModuleLoad", "cuModuleGetFunction", "cuFuncSetAttribute", "cuLaunchKernel", "cuArray", "cuTex", "cuSurf",
           "cuTensorMap")  # fmt: skip
"""What fails there has done nothing, and the process is as good as before."""


class Gpu:
    """`gpu.launch(request)` gives the arrays afterwards, and what the kernel printed."""

    def __init__(self, command: tuple[str, ...] = ()) -> None:
        self.command = command or (sys.executable, str(Path(__file__).with_name("server.py")))
        self.process: subprocess.Popen[bytes] | None = None
        self.device: tuple[str, int, str] | None = None

    def start(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.process = process
        self.device = self.read(process, START)
        return process

    def stop(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait()
        self.process = None

    def read(self, process: subprocess.Popen[bytes], seconds: float) -> Any:
        assert process.stdout
        ready, _, _ = select.select([process.stdout], [], [], seconds)
        try:
            if not ready:
                raise Elsewhere(f"no answer in {seconds:g} s")
            return pickle.load(process.stdout)
        except (EOFError, Elsewhere) as error:
            self.stop()
            raise Elsewhere(str(error) or "the process died") from None

    def launch(self, request: Request) -> tuple[list[Any], str]:
        """Elsewhere with the driver's words where the launch fails."""
        process = self.process or self.start()
        assert process.stdin
        pickle.dump(request, process.stdin)
        process.stdin.flush()
        kind, answer, printed = self.read(process, ANSWER)
        if kind == "error":
            if not answer.startswith(REFUSED):
                self.stop()
            raise Elsewhere(answer)
        return answer, printed
