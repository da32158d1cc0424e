r"""Print a completion script for a shell: it completes the commands, options and files of `openptx`.

    openptx completion bash > ~/.local/share/bash-completion/completions/openptx
    openptx completion zsh > ~/.zfunc/_openptx
    openptx completion fish > ~/.config/fish/completions/openptx.fish

For zsh, add `fpath+=~/.zfunc` to ~/.zshrc before `compinit`. The script does not start Python. Print it again after an
update of openptx.
"""

from __future__ import annotations

from argparse import Action, ArgumentParser, Namespace
from importlib import import_module
from typing import Any

from openptx.cli.commands import COMMANDS
from openptx.cli.exit_status import CLEAN
from openptx.errors import InputError

SHELLS = ("bash", "zsh", "fish")
PATHS = ("FILE", "PATH", "CASE", "FOLDER", "PROGRAM")
"""Text in a metavar that marks arguments for which files are completed."""


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `openptx completion`."""
    parser.add_argument("shell", choices=SHELLS, help="the shell")


def run(args: Namespace) -> int:
    """Print the script."""
    try:
        import shtab
    except ImportError:
        raise InputError("`openptx completion` needs shtab: pip install 'openptx[completion]'") from None
    print(shtab.complete(everything(shtab.FILE), shell=args.shell))
    return CLEAN


class CompletableParser(ArgumentParser):
    """A parser whose arguments tell shtab which of them are files."""

    files: object = None

    def add_argument(self, *names: Any, **options: Any) -> Action:
        action = super().add_argument(*names, **options)
        word = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
        if action.nargs != 0 and not action.choices and any(path in word for path in PATHS):
            setattr(action, "complete", self.files)  # noqa: B010  argparse does not declare it
        return action


def everything(files: object) -> ArgumentParser:
    """All commands as one parser; `files` is how shtab completes a path."""
    CompletableParser.files = files
    parser = CompletableParser("openptx", allow_abbrev=False)
    parser.add_argument("-V", "--version", action="store_true", help="print the version")
    commands = parser.add_subparsers()
    for name, what in COMMANDS.items():
        command = import_module(f"openptx.cli.commands.{name}")
        command.add_arguments(commands.add_parser(name, help=what, allow_abbrev=False))
    return parser
