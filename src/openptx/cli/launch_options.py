"""Options that commands which launch a kernel share, and the kernel that they choose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from openptx.errors import InputError

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from openptx.runtime import Kernel, LoadedModule


def add_launch_options(parser: ArgumentParser) -> None:
    """The kernel, its extents and its arguments."""
    add = parser.add_argument
    add("--kernel", metavar="NAME", help="the kernel to run; needed when the file has several")
    add("--grid", metavar="X[,Y[,Z]]", help="blocks in the grid")
    add("--block", metavar="X[,Y[,Z]]", help="threads in a block")
    add("--shared", metavar="BYTES", type=int, default=0, help="dynamic shared memory of a block")
    add("--cluster", metavar="X[,Y[,Z]]", help="blocks in a cluster")
    add("--arg", metavar="VALUE", action="extend", nargs="+", default=[], help="arguments; may be given several times")


def add_limits(parser: ArgumentParser, timed: str = "stop a kernel that runs longer") -> None:
    """Options that limit a launch."""
    parser.add_argument("--timeout", metavar="SECONDS", type=float, help=timed)
    parser.add_argument("--max-instructions", metavar="N", type=int, help="stop a thread that executes more")


def pick(module: LoadedModule, name: str | None, filename: str) -> Kernel:
    """The kernel of that name, or the only one. Raises InputError if there is none or several."""
    names: list[str] = list(module.kernels)
    if not names:
        raise InputError(f"{filename}: no kernel in it")
    if name is None and len(names) > 1:
        raise InputError(f"{filename}: which kernel? --kernel {' or '.join(names)}")
    if name is not None and name not in names:
        from difflib import get_close_matches

        near = get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]}?" if near else f"it has {' '.join(names)}"
        raise InputError(f"{filename}: no kernel `{name}`; {hint}")
    return module.get_function(name or names[0])
