"""Options shared by the commands that launch a kernel, and the choice of the kernel."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from openptx.errors import InputError
from openptx.keywords import nearest

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from openptx.runtime import Kernel, LoadedModule


def add_launch_options(parser: ArgumentParser) -> None:
    """The kernel, its target, its extents and its arguments."""
    add = parser.add_argument
    add("--kernel", metavar="NAME", help="the kernel to run; required if the file has more than one")
    add("--grid", metavar="X[,Y[,Z]]", help="number of blocks in the grid")
    add("--block", metavar="X[,Y[,Z]]", help="number of threads in a block")
    add("--shared", metavar="BYTES", type=int, default=0, help="dynamic shared memory per block (default: 0)")
    add("--cluster", metavar="X[,Y[,Z]]", help="number of blocks in a cluster (default: the kernel's own, or none)")
    add("--target", metavar="SM", help="the target for which it runs, such as sm_90a (default: the file's .target)")
    add("--arg", metavar="VALUE", action="extend", nargs="+", default=[], help="the kernel's arguments, in order")


ENGINE = "auto (default): interp until machine code is ready; interp: the interpreter; native: machine code"
PROFILE = "check as NVIDIA's assembler does (ptxas, the default), or by the PTX manual (isa)"
CONTRACT = "fuse multiplications and additions as ptxas does (default), or not"
SANITIZE = "`openptx sanitize`; TOOLS are some of race,init,sync,mem (default: all)"
"""The help of `--engine`, `--profile`, `--contract` and `--sanitize`."""


def add_limits(parser: ArgumentParser, timed: str = "stop the kernel with a fault after this time") -> None:
    """Options that limit a launch."""
    limit = "stop the kernel with a fault after N instructions"
    parser.add_argument("--timeout", metavar="SECONDS", type=float, help=f"{timed} (default: no limit)")
    parser.add_argument("--max-instructions", metavar="N", type=int, help=f"{limit} (default: no limit)")


def require_extents(args: Namespace) -> None:
    """Raises InputError if the size of the launch is missing."""
    if not (args.grid and args.block):
        raise InputError("a launch needs --grid and --block, such as --grid 4 --block 256")


def pick(module: LoadedModule, name: str | None, filename: str) -> Kernel:
    """The kernel of that name, in the PTX or in C++, or the only one. Raises InputError if there is none or several."""
    from openptx.runtime.cxx_names import find_kernel, qualified  # needs the runtime, which most commands do not

    names: list[str] = list(module.kernels)
    if not names:
        raise InputError(f"{filename}: no kernel in it")
    plain = list(map(qualified, names))
    shown = [short if plain.count(short) == 1 else full for short, full in zip(plain, names, strict=True)]
    if name is None and len(names) > 1:
        raise InputError(f"{filename}: which kernel? --kernel {' or '.join(map(shlex.quote, shown))}")
    found = name if name is None or name in names else find_kernel(name, names)
    if found is None and name is not None:
        near = nearest(name, [*names, *shown])
        hint = f"did you mean {near}?" if near else f"it has {' '.join(shown)}"
        raise InputError(f"{filename}: no kernel `{name}`; {hint}")
    return module.get_function(found or names[0])
