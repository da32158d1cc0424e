"""The command `openptx`: finds the command's module, runs it, and turns every failure into a line and an exit status.

Each command is a module with `add_arguments(parser)` and `run(args) -> int`, imported only when it runs. Exit statuses:
0 clean, 1 findings, 2 abnormal (usage, input and output, our own bug), 130 interrupted.
"""

from __future__ import annotations

import sys

from openptx.cli.commands import COMMANDS
from openptx.cli.failures import run_and_report
from openptx.errors import ArgumentError

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from typing import Any


def main(argv: list[str] | None = None) -> int:
    """Run one command. Returns the exit status; only `--help` and usage errors raise `SystemExit`."""
    return run_and_report(dispatch, sys.argv[1:] if argv is None else argv, last=argv is None)


def dispatch(argv: list[str]) -> int:
    """Finds the command that the arguments name, parses the rest for it, runs it."""
    from openptx.cli.overview import formatter, overview, unknown_command, unrecognized

    name, *rest = argv or [""]
    if name not in COMMANDS:
        return overview(argv) if not name or name.startswith("-") else unknown_command(name)

    from argparse import ArgumentParser

    module = imported(f"openptx.cli.commands.{name}")
    parser = ArgumentParser(
        f"openptx {name}", description=module.__doc__, formatter_class=formatter, allow_abbrev=False
    )
    module.add_arguments(parser)
    args, unknown = parser.parse_known_args(protect_negative(rest))
    if unknown:
        parser.error(unrecognized([text.strip() for text in unknown], args, parser))
    try:
        return module.run(args)
    except ArgumentError as error:
        raise ArgumentError(with_options(str(error), vars(args))) from error


def with_options(message: str, given: dict[str, Any]) -> str:
    """A message about an argument of a call of the API, with the option that gives it on the command line."""
    name, quote, rest = message.removeprefix("`").partition("` ")
    if not quote or not message.startswith("`"):
        return message
    options = (option for option in (name, f"trace_{name}", name.removesuffix("s")) if option in given)
    option = next(options, None)
    return f"--{option.replace('_', '-')} {rest}" if option is not None else message


def imported(module: str) -> Any:
    """A command's module. Garbage collection is off while modules load, because it would cost a tenth of the time."""
    import gc
    from importlib import import_module

    gc.disable()
    try:
        return import_module(module)
    finally:
        gc.enable()


def protect_negative(argv: list[str]) -> list[str]:
    """Inserts a blank before `-inf`, `-0f3F800000` and `-1e5`, so that argparse treats them as values, not as
    options."""
    return [f" {text}" if is_negative_number(text) else text for text in argv]


def is_negative_number(text: str) -> bool:
    """Whether an argument is a signed number, in Python's or in PTX's spelling."""
    digits = text[1:].lower()
    if not text.startswith("-") or not digits:
        return False
    if digits in ("inf", "infinity", "nan"):
        return True
    return digits[0] in "0123456789." and "/" not in digits and not digits.endswith((".ptx", ".npy"))
