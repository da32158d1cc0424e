"""Bytes become text, or an error that says what they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from openptx.errors import InputError
from openptx.reading import decode, read


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b".version 8.0\n", ".version 8.0\n"),
        (b".version 8.0\n\0", ".version 8.0\n\0"),
        (b"\xef\xbb\xbf.version 8.0", "\ufeff.version 8.0"),
        (b"// \xe6\x97\xa5\xe6\x9c\xac", "// \u65e5\u672c"),
        (b"// caf\xe9", "// caf\udce9"),
        (b"a\r\nb", "a\r\nb"),
    ],
)
def test_text(data: bytes, text: str) -> None:
    file = decode("k.ptx", data)
    assert (file.name, file.text) == ("k.ptx", text)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"\x7fELF\x02\x01", "an ELF object"),
        (b"\x50\xed\x55\xba\x01", "a fat binary"),
        (b"BC\xc0\xde5", "LLVM bitcode"),
        (b"\x1f\x8b\x08", "compressed with gzip"),
        (b"!<arch>\n/", "a static library; `openptx extract`"),
        (b"MZ\x90\0", "a program for Windows"),
        (b"\x28\xb5\x2f\xfd", "compressed with zstd"),
        (b"\x03\x02\x23\x07\0\0\1\0", "SPIR-V"),
        (b"\x93NUMPY\1\0", "in .npy format"),
        (".version".encode("utf-16"), "UTF-16"),
    ],
)
def test_what_is_not_text(data: bytes, what: str) -> None:
    with pytest.raises(InputError, match=what) as caught:
        decode("k.ptx", data)
    assert str(caught.value).startswith("k.ptx: this is not PTX text")
    assert "\n" not in str(caught.value)


def test_reading_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "none.ptx")
