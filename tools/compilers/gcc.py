"""GCC's nvptx back end, used through offloading (Debian's package gcc-offload-nvptx)."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from compilers.nvidia import CompileError

SAVED = "x.so.xnvptx-none.mkoffload.o"
"""What GCC's assembler made of the device's part: PTX still, with every symbol declared."""


def nvptx(source: str, target: str, options: tuple[str, ...] = ()) -> str:
    """PTX of the offloaded part of C; OSError where the compiler is not installed."""
    offload = " ".join(("-save-temps", "-lm", f"-misa={target}", *options))
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "x.c").write_text(source)
        # Without a path to ptxas, which would be asked about targets that it has not known for long.
        command = ["/usr/bin/gcc", "-fopenmp", "-shared", "-fPIC", "-save-temps", *options, "x.c", "-o", "x.so", "-lm"]
        command += ["-foffload=nvptx-none", f"-foffload-options=nvptx-none={offload}"]
        run = subprocess.run(command, cwd=folder, env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True)
        made = Path(folder) / SAVED
        if "nvptx-none/mkoffload" in run.stderr or (not run.returncode and not made.exists()):  # for the host alone
            raise OSError("gcc has no offload compiler for nvptx-none")
        if run.returncode:
            raise CompileError(run.stderr)
        return made.read_text()
