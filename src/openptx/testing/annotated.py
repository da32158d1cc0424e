"""Runs an annotated PTX file: checks its diagnostics against `//~`, and the results of its functions against `//
run:`."""

from __future__ import annotations

from functools import partial

from openptx.api import check
from openptx.check import lower, resolve
from openptx.diagnostics import Diagnostic
from openptx.errors import CheckError, Fault, InputError, Unsupported
from openptx.runtime import LoadedModule
from openptx.source import File
from openptx.syntax import parse
from openptx.syntax.tree import Function
from openptx.testing.annotations import Annotations, Run, Value, read_annotations
from openptx.testing.launching import Launch, plain
from openptx.testing.result import Mismatch
from openptx.testing.values import WIDTHS, agrees, bits_of, format_bits, is_nan_word
from openptx.testing.wrapper import PREFIX, SLOT, Formal, formals, wrapper

HEADER = ".version 9.0 .target sm_100a .address_size 64 "
"""The first line given to a file without `.version`, on the same line as its text, so that no row moves."""

SHOWN = 10
TIMEOUT = 60.0  # seconds, for each launch
QUIET_NAN = {"f16": 0x7FFF, "f32": 0x7FFFFFFF, "f64": 0x7FF8000000000000, "b32": 0x7FFFFFFF, "b64": 0x7FF8000000000000}


def run_annotated(file: File, engine: str = "auto", launch: Launch = plain) -> None:
    """Runs one file; raises `Mismatch` with all differences, `InputError` for annotations that cannot be parsed."""
    notes = read_annotations(file.text)
    if notes.empty:
        raise InputError(f"{file.name}: nothing to test: no `// run:` and no `//~`")
    if ".version" not in file.text:
        file = File(file.name, HEADER + file.text)
    found = check_diagnostics(file, notes)
    problems: list[str] = []
    gaps: list[Unsupported] = []
    if notes.runs:
        run_functions(file, notes, found, partial(launch, engine=engine, timeout=TIMEOUT), problems, gaps)
    if problems:
        more = [f"and {len(problems) - SHOWN} more"] if len(problems) > SHOWN else []
        raise Mismatch("\n".join(problems[:SHOWN] + more))
    if gaps:
        raise gaps[0]


def check_diagnostics(file: File, notes: Annotations) -> list[Diagnostic]:
    """Compares the diagnostics of the file with its `//~` comments, in both directions. Raises Mismatch if they
    differ."""
    found = check(file, profile=notes.profile)
    wanted = list(notes.diagnostics)
    problems: list[str] = []
    for diagnostic in found:
        row = diagnostic.location[0]
        for expected in wanted:
            named = expected.code in (diagnostic.code, diagnostic.name)
            if expected.row == row and named and expected.text in diagnostic.message:
                wanted.remove(expected)
                break
        else:
            problems.append(f"line {row}: not expected: {diagnostic.severity}[{diagnostic.code}] {diagnostic.message}")
    problems += [f"line {e.row}: expected {e.code} {e.text}".rstrip() for e in wanted]
    if problems:
        raise Mismatch("\n".join(problems))
    return found


def run_functions(
    file: File, notes: Annotations, found: list[Diagnostic], launch: Launch, problems: list[str],
    gaps: list[Unsupported],
) -> None:  # fmt: skip
    """Runs every `// run:` line. All runs of a function with one thread share a launch, one block each. Raises
    InputError for a function that does not exist."""
    text = without_errors(file, found)
    functions = {f.name.text: f for f in parse(File(file.name, text)).functions if f.kind == "func" and f.body}
    if missing := [run for run in notes.runs if run.function not in functions]:
        raise InputError(f"line {missing[0].row}: no function `{missing[0].function}` to run")
    used = {run.function: functions[run.function] for run in notes.runs}
    module = with_wrappers(File(file.name, text), [wrapper(function) for function in used.values()], notes.profile)
    for name, function in used.items():
        runs = [run for run in notes.runs if run.function == name]
        together = [run for run in runs if run.threads == 1 and not run.fault]
        apart = [[run] for run in runs if run not in together]
        for batch in ([together] if together else []) + apart:
            launch_batch(module, function, batch, launch, problems, gaps)


def with_wrappers(file: File, wrappers: list[str], profile: str = "ptxas") -> LoadedModule:
    """The loaded module of a file with kernels appended. CheckError only for errors in the file itself: these kernels
    have lists of parameters, which a file older than PTX 1.4 can't have."""
    resolved, found = resolve(File(file.name, "\n".join([file.text, *wrappers])), profile=profile)
    if errors := [each for each in found if each.severity == "error" and each.span[0] < len(file.text)]:
        raise CheckError(errors)
    return LoadedModule(lower(resolved))


def without_errors(file: File, found: list[Diagnostic]) -> str:
    """The text with the rows of expected errors blanked, so that the rest of it can run."""
    rows = {row for d in found if d.severity == "error" for row in range(d.location[0], d.end_location[0] + 1)}
    return "\n".join("" if row in rows else line for row, line in enumerate(file.text.split("\n"), 1))


def launch_batch(
    module: LoadedModule, function: Function, runs: list[Run], launch: Launch, problems: list[str],
    gaps: list[Unsupported],
) -> None:  # fmt: skip
    """Launches runs together; one by one when that faults, to find out which run did."""
    try:
        problems += launch_runs(module, function, runs, launch)
    except Unsupported as gap:
        gaps.append(gap)
    except Fault as fault:
        if len(runs) > 1:
            for run in runs:
                launch_batch(module, function, [run], launch, problems, gaps)
        elif runs[0].fault not in (fault.code, fault.name):
            problems.append(f"line {runs[0].row}: {fault}")
    except InputError as error:
        raise InputError(f"line {runs[0].row}: {error}") from error
    else:
        problems += [f"line {run.row}: expected fault {run.fault}, and nothing happened" for run in runs if run.fault]


def launch_runs(module: LoadedModule, function: Function, runs: list[Run], launch: Launch) -> list[str]:
    """One launch with a block for each run; returns the differences from the expected results, a line each. Raises
    InputError for a wrong number of arguments or results."""
    import numpy as np

    takes, gives = formals(function, function.parameters), formals(function, function.returns)
    for run in runs:
        if len(run.arguments) != len(takes) or (not run.fault and len(run.results) != len(gives)):
            raise InputError(f"line {run.row}: `{run.function}` takes {len(takes)} and gives {len(gives)} values")
    threads = runs[0].threads
    data = b"".join(record(run, thread, takes) for run in runs for thread in range(threads))
    source = np.frombuffer(data or bytes(SLOT), np.uint8)
    results = np.zeros((len(runs), threads, max(len(gives), 1) * SLOT), np.uint8)
    kernel = module.get_function(PREFIX + function.name.text.lstrip("%$"))
    launch(kernel, (len(runs),), (threads,), (source, results))
    problems: list[str] = []
    for run, rows in zip(runs, results, strict=True):
        if not run.fault:
            for thread, row in enumerate(rows):
                problems += compare(run, thread, gives, row.tobytes())
    return problems


def record(run: Run, thread: int, takes: list[Formal]) -> bytes:
    """The arguments of one thread, one slot each."""
    slots = zip(run.arguments, takes, strict=True)
    return b"".join(argument_bits(pick(value, thread), formal).to_bytes(SLOT, "little") for value, formal in slots)


def argument_bits(text: str, formal: Formal) -> int:
    """The bits of one argument."""
    if is_nan_word(text) and formal.type in QUIET_NAN:
        return QUIET_NAN[formal.type]
    return bits_of(text, formal.type)


def pick(value: Value, thread: int) -> str:
    """The value of one thread."""
    return value if isinstance(value, str) else value[thread]


def compare(run: Run, thread: int, gives: list[Formal], slots: bytes) -> list[str]:
    """The difference between a thread's result and the expected one."""
    problems: list[str] = []
    for number, (value, formal) in enumerate(zip(run.results, gives, strict=True)):
        got = int.from_bytes(slots[number * SLOT :][:SLOT], "little") & ((1 << WIDTHS[formal.type]) - 1)
        wanted = pick(value, thread)
        if not agrees(got, wanted, formal.type, run.tolerance):
            executor = f"thread {thread}: " if run.threads > 1 else ""
            which = f"result {number}: " if len(gives) > 1 else ""
            problems.append(f"line {run.row}: {executor}{which}{format_bits(got, formal.type)}, not {wanted}")
    return problems
