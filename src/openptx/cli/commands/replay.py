"""Run launches that were recorded on a GPU, and compare every byte that they left in memory.

    openptx replay kernel.launch
    openptx replay recordings/ --engine native

Recordings are written by `openptx record`, by openptx.record, or by any program that writes the format in
docs/recordings.md. If a launch differs, the first element that does is shown, as the type that the kernel stored, with
the GPU's value and ours and the thread and statement that wrote it; for more than one launch only with --compare.
Results that depend on the order of atomic operations are reported as such. `openptx debug` and `openptx sanitize`
accept recordings, too. The exit status is 1 if a launch differs or does not end, or if --sanitize has findings.
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections import Counter
from dataclasses import replace

from openptx.cli.exit_status import ABNORMAL, CLEAN, FINDINGS
from openptx.cli.failures import render_failure
from openptx.cli.files import require_names
from openptx.cli.launch_options import CONTRACT, ENGINE, SANITIZE
from openptx.cli.terminal import Clock, progress
from openptx.diagnostics.render import render
from openptx.errors import CheckError, Fault, InputError, Unsupported
from openptx.reading import read
from openptx.recording.collection import FoundRecording, collect_recordings
from openptx.recording.file import read_recording
from openptx.recording.replaying import EQUAL, ORDER, STATUSES, UNREADABLE, Replay, replay
from openptx.rewrite import CONTRACTIONS
from openptx.source import File

GROUPS = 40
"""The number of folders with a line of their own in the summary."""


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `openptx replay`."""
    add = parser.add_argument
    add("files", metavar="FILE", nargs="+", help="a recording, a folder of them, or a tar archive")
    add("--compare", action="store_true", help="show the first difference of each launch, and the thread that wrote it")
    add("--engine", choices=("auto", "interp", "native"), default="auto", help=ENGINE)
    add("--contract", choices=CONTRACTIONS, help=CONTRACT)
    add("--target", metavar="SM", help="run for this target (default: the recorded GPU's)")
    add("--ptx", metavar="FILE", help="use this module in place of the recorded one")
    add("--sanitize", metavar="TOOLS", nargs="?", const="all", help=f"also report findings of {SANITIZE}")
    add("--timeout", metavar="SECONDS", type=float, help="stop a launch after this time (default: no limit)")
    add("--output-format", choices=("text", "json"), default="text", help="text (default) or json")


def run(args: Namespace) -> int:
    """Find the recordings, replay them one by one, print."""
    require_names(*args.files)
    with collect_recordings(args.files) as (found, others):
        for other in others:
            print(
                f"openptx: {other}: skipped: it is neither a recording (*.launch) nor an archive of recordings",
                file=sys.stderr,
            )
        if not found:
            raise InputError("no recording in " + ", ".join(args.files))
        replays = replayed(found, args)
    if args.output_format == "json":
        json.dump([result.as_json() for result in replays], sys.stdout, indent=1)
        print()
    elif len(replays) > 1:
        print(summary(found, replays))
    return status_of(replays)


def replayed(found: list[FoundRecording], args: Namespace) -> list[Replay]:
    """The result of each recording. As text it is printed at once, if there is something to report."""
    replays: list[Replay] = []
    ptx = read(args.ptx) if args.ptx is not None else None
    several = len(found) > 1
    for recording in progress(found, len(found), "launches"):
        if several:
            result = replay_of(recording, args, ptx)
        else:
            with Clock(f"replaying {recording.name}"):
                result = replay_of(recording, args, ptx)
        replays.append(result)
        if args.output_format == "text" and (not several or not result.equal or result.findings):
            print(text(result, whole=args.compare or not several))
    return replays


def replay_of(found: FoundRecording, args: Namespace, ptx: File | None) -> Replay:
    """The replay of one recording."""
    try:
        recording = read_recording(found.path, found.name, ptx)
    except (InputError, OSError) as error:
        if isinstance(error, OSError):
            error.filename = found.name
        return Replay(found.name, "", UNREADABLE, error=error)
    return replay(
        recording, engine=args.engine, contract=args.contract, target=args.target, sanitize=args.sanitize,
        timeout=args.timeout,
    )  # fmt: skip


def text(result: Replay, whole: bool) -> str:
    """A replay with its final error, and the sanitizer's findings, in full; the first difference if it is `whole`."""
    color = sys.stdout.isatty()
    lines = [str(result) if whole else str(replace(result, first=None))]
    if isinstance(result.error, (CheckError, Fault, Unsupported)):
        lines = [f"{result.name}: `{result.kernel}`: {result.status}", render_failure(result.error)]
        lines += [result.note] if result.note else []
    if result.findings:
        lines.append(render([*result.findings], "full", color=color).rstrip("\n"))
    return "\n".join(lines)


def summary(found: list[FoundRecording], replays: list[Replay]) -> str:
    """A table: launches by folder and by result."""
    counts: dict[str, Counter[str]] = {}
    for recording, result in zip(found, replays, strict=True):
        counts.setdefault(recording.group, Counter())[result.status] += 1
    columns = [status for status in STATUSES if status == EQUAL or any(count[status] for count in counts.values())]
    total = sum(counts.values(), Counter[str]())
    shown = list(counts.items())[:GROUPS]
    rows = [("", "launches", *columns)]
    rows += [(name, *numbers(count, columns)) for name, count in shown]
    rows += [("all", *numbers(total, columns))] if len(counts) > 1 else []
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [f"{row[0]:<{widths[0]}}  " + "  ".join(f"{c:>{w}}" for c, w in zip(row[1:], widths[1:], strict=True))
             for row in rows]  # fmt: skip
    if len(counts) > len(shown):
        lines.insert(-1, f"... and {len(counts) - len(shown)} more folders")
    return "\n".join(lines)


def numbers(count: Counter[str], columns: list[str]) -> list[str]:
    return [f"{count.total():,}", *(f"{count[column]:,}" for column in columns)]


def status_of(replays: list[Replay]) -> int:
    """The exit status."""
    if any(result.status == UNREADABLE for result in replays):
        return ABNORMAL
    return FINDINGS if any(result.findings or result.status not in (EQUAL, ORDER) for result in replays) else CLEAN
