"""`import openptx` is cheap, and has the names of the public contract."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import openptx

ROOT = Path(__file__).parents[3]
HEAVY = (
    "numpy",
    "llvmlite",
    "ml_dtypes",
    "json",
    "typing",
    "dataclasses",
    "inspect",
    "difflib",
    "subprocess",
    "ctypes",
)
"""What `openptx check` of a clean file must not wait for."""

CLEAN = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n"


def imported_by(code: str) -> set[str]:
    """The modules that a program imports, in an interpreter without site packages."""
    program = f"import sys; sys.path.insert(0, {str(ROOT / 'src')!r})\n{code}\nprint(*sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stderr.split())


def test_importing_openptx_imports_nothing_else() -> None:
    mine = {name for name in imported_by("import openptx") if name.startswith("openptx")}
    assert mine == {"openptx", "openptx.forks"}


def test_check_of_a_clean_file_imports_nothing_heavy(tmp_path: Path) -> None:
    path = tmp_path / "clean.ptx"
    path.write_text(CLEAN)
    loaded = imported_by(f"from openptx.cli import main; assert main(['check', {str(path)!r}]) == 0")
    argparse = imported_by("from argparse import ArgumentParser; ArgumentParser().add_argument('-x', help='x')")
    assert sorted(loaded & set(HEAVY) - argparse) == []
    unneeded = (
        "openptx.diagnostics.codes.forms",
        "openptx.diagnostics.render",
        "openptx.engines",
        "openptx.runtime",
        "openptx.check.flow.cfg",
        "openptx.check.forms.calls",
        "openptx.check.names.initial_values",
    )
    assert sorted(loaded & set(unneeded)) == []


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_a_launch_imports_nothing_that_it_does_not_need(engine: str) -> None:
    """OpenSSL, the formats of tensors, and starting processes: 10 ms of a program that launches one kernel."""
    program = f"import sys, openptx; openptx.load({CLEAN!r})['k'](1, 32, engine={engine!r}); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert sorted({"ml_dtypes", "_hashlib", "subprocess"} & set(loaded.stdout.split())) == []


def test_names_of_the_contract() -> None:
    for name in (
        "check",
        "parse",
        "load",
        "convert",
        "Diagnostic",
        "CheckError",
        "Fault",
        "Unsupported",
        "Bug",
        "Error",
    ):
        assert name in dir(openptx)
        assert callable(getattr(openptx, name))
    assert set(openptx.__all__) <= set(dir(openptx))


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match="no attribute `chekc`"):
        openptx.chekc  # noqa: B018


def test_check_stays_a_function_when_its_package_is_imported() -> None:
    import openptx.check as package_or_function
    from openptx.check import lower

    assert callable(lower)
    assert openptx.check is package_or_function
    assert openptx.check(CLEAN) == []


def test_check_does_not_raise_for_a_bad_program() -> None:
    found = openptx.check("this is no PTX @@ \ud800 \0", filename="bad.ptx")
    assert found
    assert {diagnostic.filename for diagnostic in found} == {"bad.ptx"}


def test_parse_gives_the_text_back() -> None:
    assert str(openptx.parse(CLEAN + "// \u65e5")) == CLEAN + "// \u65e5"


def test_kinds_of_failure_are_errors() -> None:
    kinds = (
        openptx.CheckError,
        openptx.Fault,
        openptx.Unsupported,
        openptx.Bug,
        openptx.InputError,
        openptx.ArgumentError,
    )
    assert all(issubclass(kind, openptx.Error) for kind in kinds)
    assert issubclass(openptx.ArgumentError, TypeError)
    assert issubclass(openptx.ArgumentError, ValueError)


def test_a_bug_says_version_and_how_to_report() -> None:
    text = str(openptx.Bug("no row 7"))
    assert openptx.__version__ in text
    assert "no row 7" in text
    assert "report it" in text


def test_python_dash_m() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "openptx", "--version"],
        capture_output=True, text=True, check=True, timeout=60, env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )  # fmt: skip
    assert done.stdout == f"openptx {openptx.__version__}\n"
