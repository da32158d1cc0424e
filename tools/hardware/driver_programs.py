"""Runs programs of tests/unit/driver/programs on NVIDIA's driver, and lists calls and assertions that differ.

    PYTHONPATH=src python tools/hardware/driver_programs.py tests/unit/driver/programs/launched_graphs.py ...

They hold our driver to what these programs say; on a computer with a GPU this shows where NVIDIA's says something else.
A wrong result does not end a program here: its statements are executed one by one. Where programs look into our
driver, they find a stand-in. Launches in the default stream are waited for, as ours are done when they return. A
program that goes on with a handle that it did not get may crash in NVIDIA's driver, so each runs in its own process.
"""

from __future__ import annotations

import ast
import faulthandler
import operator
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

SECONDS = 30
STREAMS = {"cuGraphLaunch": 1, "cuLaunchKernel": 8}
"""Where the stream stands among what a launch is given."""
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "Eq": operator.eq, "NotEq": operator.ne, "Lt": operator.lt, "Gt": operator.gt, "LtE": operator.le,
    "GtE": operator.ge, "Is": operator.is_, "IsNot": operator.is_not, "In": lambda a, b: a in b,
    "NotIn": lambda a, b: a not in b,
}  # fmt: skip


def lines_of(path: str) -> str:
    """The lines of the program that are being executed, the outermost last."""
    frame, found = sys._getframe(2), list[str]()
    while frame is not None:
        if frame.f_code.co_filename == path:
            found.append(str(frame.f_lineno))
        frame = frame.f_back
    return "/".join(found)


class Assertions(ast.NodeTransformer):
    """Assertions become calls of `__check__` with what is compared."""

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        test = node.test
        sides, name = [test], ""
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            sides, name = [test.left, test.comparators[0]], type(test.ops[0]).__name__
        function = ast.parse(f"__check__(lambda: (), {name!r}, {ast.unparse(test)!r}, {node.lineno})").body[0]
        assert isinstance(function, ast.Expr)
        assert isinstance(function.value, ast.Call)
        given = function.value.args[0]
        assert isinstance(given, ast.Lambda)
        given.body = ast.Tuple(sides, ast.Load())
        return ast.copy_location(function, node)


def run(path: Path) -> None:
    """Executes one program in this process."""
    faulthandler.enable()
    sys.path.insert(0, str(path.parent))
    import driver_calls

    if not hasattr(driver_calls.CUDA, "openptx_driver_ready"):  # NVIDIA's
        sys.modules["openptx.driver.objects"] = types.SimpleNamespace(driver=MagicMock())  # type: ignore[assignment]

    def note(where: object, text: str) -> None:
        print(f"{path.stem}:{where}: {text}", flush=True)

    def call(name: str, *arguments: Any, result: int = 0) -> None:
        try:
            found = getattr(driver_calls.CUDA, name)(*arguments)
        except AttributeError as missing:
            note(lines_of(str(path)), str(missing))
            return
        if name in STREAMS and not getattr(arguments[STREAMS[name]], "value", arguments[STREAMS[name]]):
            driver_calls.CUDA.cuCtxSynchronize()
        if found != result:
            note(lines_of(str(path)), f"{name} returned {found}, not {result}")

    def check(sides: Callable[[], tuple[Any, ...]], name: str, text: str, line: int) -> None:
        try:
            found = sides()
            if not (COMPARISONS[name](*found) if name else found[0]):
                note(line, f"not so: {text}" + (f": {found[0]!s:.200} and {found[1]!s:.200}" if name else ""))
        except Exception as error:
            note(line, f"{type(error).__name__}: {error} in {text}")

    driver_calls.call = call
    tree = ast.fix_missing_locations(Assertions().visit(ast.parse(path.read_text("utf-8"))))
    space: dict[str, Any] = {"__name__": "__main__", "__file__": str(path), "__check__": check}
    for statement in tree.body:
        try:
            exec(compile(ast.Module([statement], []), str(path), "exec"), space)
        except Exception as error:
            note(statement.lineno, f"{type(error).__name__}: {error!s:.200}")


def main(arguments: list[str]) -> None:
    if arguments[0] == "--one":
        run(Path(arguments[1]).resolve())
        return
    for path in arguments:
        command = [sys.executable, __file__, "--one", path]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
            print(done.stdout, end="")
            if done.returncode:
                print(f"{path}: ended with {done.returncode}\n{done.stderr[-600:]}")
        except subprocess.TimeoutExpired as late:
            print(f"{path}: over {SECONDS} s\n{(late.stdout or b'').decode()}")


if __name__ == "__main__":
    main(sys.argv[1:] or sys.exit(__doc__))
