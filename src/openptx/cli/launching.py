"""The launch that a command line describes: a PTX file with a grid, a block and arguments, a case, a recording."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import dataclass

from openptx.cli.arguments import read_argument, read_extent
from openptx.cli.files import load
from openptx.cli.launch_options import add_launch_options, pick, require_extents
from openptx.errors import InputError
from openptx.recording.file import SUFFIX, read_recording
from openptx.recording.restore import restore
from openptx.runtime import Kernel
from openptx.runtime import load as load_module
from openptx.testing.case import argument, is_case, read_case


@dataclass(frozen=True, slots=True)
class Launching:
    """A launch that a command line describes."""

    kernel: Kernel
    grid: tuple[int, ...]
    block: tuple[int, ...]
    arguments: list[object]
    shared: int
    cluster: tuple[int, ...] | None
    kept: object = None
    """Objects that must live as long as the launch."""


def add_launch_arguments(parser: ArgumentParser) -> None:
    """What is launched, and the options that describe a launch, as those of `openptx run`."""
    file = "a PTX file, - for stdin, a case folder, or a recording (*.launch)"
    parser.add_argument("file", metavar="FILE|CASE", nargs="?", help=file)
    add_launch_options(parser)


def launching(args: Namespace) -> Launching:
    """Reads the file or the case, and its arguments. Raises InputError if it is not a launch."""
    if args.file is None:
        raise InputError("nothing to launch: name a PTX file, a case folder or a recording")
    if is_case(args.file):
        refuse_options(args, "a case")
        case = read_case(args.file)
        kernel = load_module(load(f"{args.file}/kernel.ptx"), target=args.target).get_function(case.kernel)
        arguments = [argument(case, param) for param in case.params]
        return Launching(kernel, case.grid, case.block, arguments, case.shared, case.cluster)
    if args.file.endswith(SUFFIX):
        refuse_options(args, "a recording")
        return recorded(args.file, args.target)
    file = load(args.file)
    require_extents(args)
    kernel = pick(load_module(file, target=args.target), args.kernel, file.name)
    cluster = read_extent(args.cluster, "cluster") if args.cluster else None
    arguments = [read_argument(text) for text in args.arg]
    grid, block = read_extent(args.grid, "grid"), read_extent(args.block, "block")
    return Launching(kernel, grid, block, arguments, args.shared, cluster)


def refuse_options(args: Namespace, what: str) -> None:
    """InputError for options that describe a launch, if the file does so itself."""
    options = [name for name in ("kernel", "grid", "block", "cluster", "arg", "shared") if getattr(args, name)]
    if options:
        raise InputError(f"--{options[0]}: {args.file} is {what}, which has its own launch")


def recorded(path: str, target: str | None) -> Launching:
    """The launch in a recording, with its memory restored. `target` takes the place of the recorded GPU's. Raises
    InputError for a recording without PTX."""
    recording = read_recording(path)
    if recording.ptx is None:
        raise InputError(f"{path}: the recording has no PTX")
    launch = restore(recording, load_module(recording.ptx, target=target or recording.target or None).program)
    cluster = recording.cluster or None
    return Launching(
        launch.kernel, recording.grid, recording.block, [*launch.arguments], recording.shared, cluster, launch
    )
