"""Finds recordings: files, folders of them, and archives, which are unpacked into a temporary folder."""

from __future__ import annotations

import os
import tarfile
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from openptx.errors import InputError
from openptx.recording.file import SUFFIX

ARCHIVES = (".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2")
WANTED = (SUFFIX, ".ptx")


class FoundRecording(NamedTuple):
    """A recording: its file, its name in messages, and the folder or archive under which summaries count it."""

    path: Path
    name: str
    group: str


@contextmanager
def collect_recordings(paths: Iterable[str]) -> Generator[tuple[list[FoundRecording], list[str]]]:
    """The recordings in files, folders and archives, in order, and the files that are none of these.

    A file named explicitly that ends in `.launch` is a recording, whatever its content. Raises OSError for files that
    cannot be read, InputError for a damaged archive.
    """
    with TemporaryDirectory(prefix="openptx-") as unpacked:
        found: list[FoundRecording] = []
        others: list[str] = []
        for number, name in enumerate(paths):
            path = Path(name)
            if path.is_dir():
                found += below(path, name)
                for archive in sorted(p for p in path.rglob("*.tar*") if p.is_file() and is_archive(p)):
                    found += archived(archive, Path(unpacked) / f"{number}-{archive.name}")
            elif is_archive(path):
                found += archived(path, Path(unpacked) / f"{number}-{path.name}")
            elif path.suffix == SUFFIX or not path.exists():
                found.append(FoundRecording(path, name, str(path.parent)))
            else:
                others.append(name)
        yield list(dict.fromkeys(found)), others


def is_archive(path: Path) -> bool:
    return path.name.endswith(ARCHIVES)


def below(folder: Path, name: str) -> list[FoundRecording]:
    """The recordings in a folder and the folders in it."""
    paths = sorted(path for path in folder.rglob(f"*{SUFFIX}") if path.is_file())
    return [
        FoundRecording(path, os.path.join(name, path.relative_to(folder)), path.parent.name or str(path.parent))
        for path in paths
    ]


def archived(archive: Path, into: Path) -> list[FoundRecording]:
    """The recordings in an archive, unpacked with their PTX. Raises InputError if it cannot be unpacked, OSError if it
    cannot be read."""
    try:
        with tarfile.open(archive) as stream:
            members = [member for member in stream if member.isfile() and member.name.endswith(WANTED)]
            stream.extractall(into, members, filter="data")
    except (tarfile.TarError, EOFError, ValueError) as error:
        raise InputError(f"{archive}: the archive cannot be unpacked: {error}") from error
    except OSError as error:
        if error.errno is None:  # raised by lzma and zlib for damaged data
            raise InputError(f"{archive}: the archive cannot be unpacked: {error}") from error
        raise
    return [found._replace(name=os.path.join(archive.name, found.path.relative_to(into))) for found in below(into, "")]
