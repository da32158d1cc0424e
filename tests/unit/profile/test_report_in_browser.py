"""The HTML report in headless Chromium: it draws, runs nothing of a kernel's text, and answers keys.

Screenshots go to the folder that OPENPTX_ARTEFACTS names, or to the test's own.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from reports import HEAD, hostile, long, matmul

import openptx

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER = next((found for name in NAMES if (found := shutil.which(name))), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="needs Chromium on the path")
OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=20000",
    "--window-size=1500,1400",
)  # fmt: skip


def browse(text: str, folder: Path, *options: str) -> str:
    """Opens a page; what `--dump-dom` prints."""
    assert BROWSER is not None
    path = folder / "report.html"
    path.write_text(text, "utf-8")
    command = [BROWSER, *OPTIONS, f"--user-data-dir={folder / 'browser'}", *options, path.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


def drawn(text: str, folder: Path) -> str:
    """The document once its script has run."""
    found = browse(text, folder, "--dump-dom")
    assert 'data-ready="yes"' in found
    return found


def shown(document: str) -> str:
    """The selected line's counters and pictures."""
    return document.split('class="details"')[1].split("</section>")[0]


def test_bank_conflicts_are_seen(tmp_path: Path) -> None:
    """Both select the line that costs most: without padding its 32 lanes wait in one bank."""
    conflicts, padded = (drawn(matmul(variant).to_html(), tmp_path) for variant in ("conflicts", "padded"))
    assert "one request that takes 32 wavefronts, 1 would do" in shown(conflicts)
    assert shown(conflicts).count('class="conflict"') == 31
    assert shown(padded).count('class="conflict"') == 0
    assert shown(padded).count('class="used"') > 0
    assert "Cure: pad the rows" in conflicts
    assert "None: memory accesses and lanes are used well." in padded


def test_what_limits_a_launch_is_drawn(tmp_path: Path) -> None:
    """Bank conflicts are most of the longest bar, and a hollow point is where the launch would be without them."""
    conflicts, padded = (
        drawn(matmul(variant).to_html(), tmp_path).split("What limits it")[1].split("</section>")[0]
        for variant in ("conflicts", "padded")
    )
    assert "bank conflicts: 253\u202f952 wavefronts" in conflicts
    assert "The longest bar is what limits the launch: shared memory." in conflicts
    assert conflicts.count('class="hollow"') == 1
    assert padded.count('class="hollow"') == 0
    assert "shared memory: 3 % of the slots" in conflicts
    assert "shared memory: 49 % of the slots" in padded


def test_a_kernel_without_memory_has_no_roofs(tmp_path: Path) -> None:
    kernel = openptx.load(f"{HEAD}.visible .entry k() {{ ret; }}")["k"]
    found = drawn(openptx.profile(kernel, 1, 32).to_html(), tmp_path)
    assert "The longest bar is what limits the launch: instructions." in found
    assert "roofline" not in found.split("What limits it")[1].split("</section>")[0]


@pytest.mark.parametrize("variant", ["conflicts", "padded"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_screenshots(variant: str, theme: str, tmp_path: Path) -> None:
    folder = Path(os.environ.get("OPENPTX_ARTEFACTS") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    out = folder / f"matmul-{variant}-{theme}.png"
    text = matmul(variant).to_html().replace('<html lang="en">', f'<html lang="en" data-theme="{theme}">')
    browse(text, tmp_path, f"--screenshot={out}")
    assert out.read_bytes().startswith(b"\x89PNG")
    assert out.stat().st_size > 50_000  # an empty page takes a tenth of it


def test_hostile_text_does_not_run(tmp_path: Path) -> None:
    found = drawn(hostile(tmp_path).to_html(), tmp_path)
    assert "<title>profile of k</title>" in found
    assert "<img" not in found
    assert "&lt;img src=x" in found


WATCH = """<script>
addEventListener("load", () => setTimeout(() => {
  const press = (key, target = document) => target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  const selected = () => document.querySelector(".line.selected .row")?.textContent;
  const said = [];
  %s
  document.title = said.join("|");
}, 500));
</script></body>"""


def told(text: str, script: str, folder: Path) -> str:
    """What a script in the page says. The page's policy, which would not let it run, is taken out."""
    watched = re.sub("<meta http-equiv[^>]*>", "", text).replace("</body>", WATCH % script)
    found = re.search("<title>(.*?)</title>", drawn(watched, folder))
    assert found is not None
    return found[1]


def test_keys(tmp_path: Path) -> None:
    """j and k go to lines that the counter is not 0 of, arrows line by line, n to the finding, t to the other theme."""
    script = """
    const panes = [...document.querySelectorAll(".pane")];
    press("n"); said.push(selected());
    panes[0].focus(); press("j"); said.push(selected());
    press("k"); said.push(selected());
    press("ArrowUp", panes[0]); said.push(selected());
    press("t"); said.push(document.documentElement.dataset.theme);
    press("t"); said.push(document.documentElement.dataset.theme);
    press("?"); said.push(document.getElementById("help").open);
    """
    assert told(matmul("conflicts").to_html(), script, tmp_path) == "17|18|17|16|dark|light|true"


def test_tables_sort_and_colours_follow_a_counter(tmp_path: Path) -> None:
    script = """
    const all = (selector, within = document) => [...within.querySelectorAll(selector)];
    const table = all("table").find((each) => each.querySelector("th")?.textContent === "access");
    const button = all("th button", table)[2];
    const column = () => all("tbody tr", table).map((row) => row.cells[2].textContent.replace(/\\D/g, "")).join(" ");
    button.click(); said.push(column());
    button.click(); said.push(column());
    const choice = document.querySelector("select");
    choice.value = "bank conflicts"; choice.dispatchEvent(new Event("change"));
    said.push(all(".heat", all(".pane")[0]).filter((each) => each.textContent).length);
    """
    assert told(matmul("conflicts").to_html(), script, tmp_path) == "16384 512 512 128|128 512 512 16384|1"


def test_thousands_of_lines_are_drawn(tmp_path: Path) -> None:
    found = drawn(long(5000).to_html(), tmp_path)
    assert found.count('role="option"') > 5000
    assert "no line information" in found


SAMPLED = """.visible .entry k(.param .u64 p) {
    .reg .b64 a; .reg .b32 i; .reg .pred c;
    mov.u32 i, %ctaid.x;
    ld.param.u64 a, [p];
    setp.lt.u32 c, i, 2;
    @c bra done;
    st.global.u32 [a], i;
done:
    ret;
}
"""


def test_samples_and_faults_are_said(tmp_path: Path) -> None:
    kernel = openptx.load(HEAD + SAMPLED)["k"]
    found = drawn(openptx.profile(kernel, 4, 32, (0,), blocks=2).to_html(), tmp_path)
    assert "a sample: 2 of 4 blocks were executed" in found
    assert "the kernel was stopped by a fault" in found
    assert "at line 10 of the PTX" in found
