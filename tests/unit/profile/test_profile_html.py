"""The HTML report without a browser: self-contained, no text of the kernel as markup; and notebooks."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reports import DATA, HEAD, HOSTILE, hostile, long, matmul

import openptx
from openptx.cli import main
from openptx.profile.render.html.page import SCRIPTS, page
from openptx.source import File


class Elements(HTMLParser):
    """The tags of a document with their attributes, and the text of its scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] in ("script", "style") and data.strip():
            self.texts.append(data)


def data_of(text: str) -> Any:
    """What the page draws."""
    found = re.search(r'id="data">([A-Za-z0-9+/=]+)<', text)
    assert found is not None
    return json.loads(gzip.decompress(base64.b64decode(found[1])))


def test_the_page_has_the_profile_as_json() -> None:
    found = matmul("conflicts")
    data = data_of(found.to_html())
    assert data["profile"] == json.loads(json.dumps(found.as_json()))
    (part,) = data["ptx"]
    assert (part["function"], part["lines"][0].split("(")[0]) == (
        "matmul_conflicts",
        ".visible .entry matmul_conflicts",
    )
    assert data["sources"]["matmul.cu"][16].strip() == "sum += rows[y][k] * columns[x][k];"


def test_the_page_is_the_same_each_time() -> None:
    assert matmul("padded").to_html() == matmul("padded").to_html()


def test_the_page_loads_nothing() -> None:
    text = matmul("conflicts").to_html()
    elements = Elements(text)
    assert [(tag, name) for tag, names in elements.tags for name in names if name in ("src", "href", "srcset")] == []
    assert set(re.findall(r"https?://[^\s\"']+", text)) == {"http://www.w3.org/2000/svg"}  # a namespace
    assert not re.search(r"@import|url\(|fetch\(|XMLHttpRequest|innerHTML|document\.write|eval\(", text)


def test_the_policy_allows_this_script_and_style_alone() -> None:
    elements = Elements(matmul("conflicts").to_html())
    (policy,) = (
        names["content"]
        for tag, names in elements.tags
        if tag == "meta" and "Content-Security-Policy" in names.values()
    )
    style, _, script = elements.texts
    allowed = [f"'sha256-{base64.b64encode(hashlib.sha256(t.encode()).digest()).decode()}'" for t in (style, script)]
    assert policy == f"default-src 'none'; style-src {allowed[0]}; script-src {allowed[1]}"


def test_hostile_text_is_data(tmp_path: Path) -> None:
    text = hostile(tmp_path).to_html()
    assert "owned" not in text
    plain = Elements(matmul("padded").to_html())
    assert [tag for tag, _ in Elements(text).tags] == [tag for tag, _ in plain.tags]
    assert HOSTILE in json.dumps(data_of(text)["sources"], ensure_ascii=False).replace('\\"', '"')


def test_reports_of_thousands_of_lines_are_small() -> None:
    assert len(long(5000).to_html().encode()) < 2_000_000


def test_all_scripts_are_in_the_page() -> None:
    folder = Path(page.__code__.co_filename).parent / "script"
    assert {path.stem for path in folder.glob("*.js")} == set(SCRIPTS)


def test_files_that_are_no_source_are_not_shown(tmp_path: Path) -> None:
    """PTX may name any file, and reports are passed on."""
    (tmp_path / "secret.key").write_text("secret\n", "utf-8")
    body = '.visible .entry k() {\n .loc 1 1 1\n ret;\n}\n.file 1 "secret.key"\n'
    found = openptx.profile(openptx.load(File(str(tmp_path / "k.ptx"), HEAD + body))["k"], 1, 32)
    assert data_of(found.to_html())["sources"] == {"secret.key": None}


def test_devices_are_not_read() -> None:
    """`/dev/zero` never ends."""
    body = '.visible .entry k() {\n .loc 1 1 1\n ret;\n}\n.file 1 "/dev/zero"\n'
    found = openptx.profile(openptx.load(HEAD + body)["k"], 1, 32)
    assert [line.text for line in found.lines] == [None]


def test_the_command_writes_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case, out = str(DATA / "cases" / "hist256_sm80"), tmp_path / "report.html"
    assert main(["profile", case, "--output-format", "html", "--output", str(out)]) == 0
    assert capsys.readouterr().out == ""
    assert data_of(out.read_text("utf-8"))["profile"]["kernel"] == "hist256"
    assert main(["profile", case, "--output-format", "html"]) == 0
    assert capsys.readouterr().out == out.read_text("utf-8")
    assert main(["profile", case, "-o", str(tmp_path / "none" / "report.html")]) == 2


STOPS = """.visible .entry k(.param .u64 p) {
    .reg .b64 a; .reg .b32 i;
    ld.param.u64 a, [p];
    mov.u32 i, 1;
    st.global.u32 [a], i;
    ret;
}
"""


def test_a_partial_profile_has_a_report() -> None:
    found = openptx.profile(openptx.load(HEAD + STOPS)["k"], 1, 32, (0,))
    data = data_of(found.to_html())["profile"]
    assert (data["ended"], data["fault"]["location"]["row"]) == ("fault", 8)
    assert data["notes"] == ["the kernel was stopped by a fault: the counters are of what came before it"]


# Notebooks.


def tags_of(text: str) -> set[str]:
    return {tag for tag, _ in Elements(text).tags}


def test_profiles_in_a_notebook(tmp_path: Path) -> None:
    text = matmul("conflicts")._repr_html_()
    assert "32 wavefronts per request, 1 would do" in text
    assert tags_of(text) <= {"div", "b", "code", "table", "thead", "tbody", "tr", "th", "td", "ol", "li", "br", "small"}
    assert "style" not in text
    assert "<em>the kernel was stopped" in openptx.profile(openptx.load(HEAD + STOPS)["k"], 1, 32, (0,))._repr_html_()
    assert tags_of(hostile(tmp_path)._repr_html_()) <= {"div", "b", "code"}


def test_modules_and_kernels_in_a_notebook() -> None:
    module = openptx.load(File(HOSTILE, HEAD + STOPS))
    assert tags_of(module._repr_html_()) == {"div", "b", "ul", "li", "code"}
    text = module["k"]._repr_html_()
    assert "<td>p</td><td>.u64</td><td>0</td><td>8</td>" in text
    assert "no kernels" in openptx.load(HEAD)._repr_html_()


def test_diagnostics_in_a_notebook() -> None:
    found = openptx.check(HEAD + f".visible .entry k() {{ bra nowhere; // {HOSTILE}\n}}\n", filename=HOSTILE)
    assert isinstance(found, list)
    for text in (found._repr_html_(), found[0]._repr_html_()):  # pyright: ignore
        assert tags_of(text) == {"pre"}
        assert "nowhere" in text
    assert openptx.check(HEAD)._repr_html_() == "<em>no findings</em>"  # pyright: ignore
    many = openptx.check(HEAD + "".join(f".visible .entry k{i}() {{ bra n{i}; }}\n" for i in range(50)))
    assert "Found 50 errors" in many._repr_html_()  # pyright: ignore


def test_arrays_of_other_sizes_have_an_example_of_each_access() -> None:
    """Every access has a request of 32 lanes, None for those that take no part."""
    body = (
        ".visible .entry k(.param .u64 y) {\n .reg .b64 q; .reg .b32 i;\n ld.param.u64 q, [y];\n mov.u32 i, %tid.x;\n"
        " mad.wide.u32 q, i, 8, q;\n st.global.u32 [q], i;\n ret;\n}\n"
    )
    y = np.zeros(40, np.uint64)
    found = openptx.profile(openptx.load(HEAD + body)["k"], 1, 40, (y,)).as_json()
    (memory,) = found["counters"]["memory"]
    assert memory["example"]["offsets"] == [8 * lane for lane in range(32)]
    assert (memory["example"]["taken"], memory["example"]["ideal"], memory["example"]["size"]) == (8, 4, 4)
