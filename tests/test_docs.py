"""Every Python block of the documentation runs, and prints what the text block after it says.

`pytest --update-golden` writes what the blocks print into the files; the difference is read in review.
"""

from __future__ import annotations

import contextlib
import io
import linecache
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

import daad

ROOT = Path(__file__).parent.parent
HOUSE = ("CONTRIBUTING.md", "docs/architecture.md")
PLACE = re.compile(
    r"(?<![\w/.-])(?:daad|tests|docs|examples|benchmarks|\.ci)/[\w./-]*\w|(?<=`)[\w/-]+(?:\.(?:py|md|toml)|/)(?=`)"
)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n(?P<output>.*?)^```\n)?", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_blocks_print_what_the_page_says(
    page: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is shown in a browser is written, and no browser opened."""
    monkeypatch.setattr(os, "system", lambda _: 0)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    text = page.read_text()
    printed = [(m, run_block(m["code"], f"{page.name}-{k}.py", namespace)) for k, m in enumerate(BLOCK.finditer(text))]
    if request.config.getoption("--update-golden"):
        page.write_text(updated(text, printed))
        return
    for match, output in printed:
        assert (match["output"] or "") == output, f"run 'pytest --update-golden {__file__}'"


def run_block(code: str, name: str, namespace: dict[str, Any]) -> str:
    """What a block prints; its functions have a source that can be read back."""
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, name, "exec"), namespace)
    return "".join(line.rstrip() + "\n" for line in out.getvalue().splitlines())


def updated(text: str, printed: list[tuple[re.Match[str], str]]) -> str:
    for match, output in reversed(printed):
        block = f"```python\n{match['code']}```\n" + (f"\n```text\n{output}```\n" if output else "")
        text = text[: match.start()] + block + text[match.end() :]
    return text


def test_the_reference_has_every_public_name() -> None:
    text = (ROOT / "docs" / "reference.md").read_text()
    assert [name for name in daad.__all__ if not re.search(rf"^\.\. auto\w+:: daad\.{name}$", text, re.MULTILINE)] == []


def test_the_site_has_every_page() -> None:
    text = (ROOT / "docs" / "index.md").read_text()
    listed = {line for line in text.splitlines() if re.fullmatch(r"[a-z_]+", line)}
    assert listed == {page.stem for page in PAGES[1:]} - {"index"}


def places() -> set[str]:
    """Files and folders of the repository."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout.split()
    files = [Path(name) for name in listed] or [path.relative_to(ROOT) for path in ROOT.rglob("*.*")]
    return {str(place) for file in files for place in (file, *file.parents)}


@pytest.mark.parametrize("page", HOUSE)
def test_places_that_are_named_exist(page: str) -> None:
    """From the root where a name begins with a room of it, otherwise in some room; `build/` is made."""
    named = {found.rstrip("/") for found in PLACE.findall((ROOT / page).read_text()) if not found.startswith("build/")}
    there = places()
    rooms = {place.split("/")[0] for place in there}
    assert len(named) > 10
    wrong = [
        n for n in named if n not in there and (n.split("/")[0] in rooms or not any(t.endswith(f"/{n}") for t in there))
    ]
    assert not wrong
