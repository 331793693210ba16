"""Links between pages lead somewhere: to a file of the repository, and to a heading of it."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]+`(?!\])")
LINK = re.compile(r"\]\(([^)\s]+)\)")
LEVELS = 3
"""Headings that have anchors on the site: `myst_heading_anchors` in docs/conf.py."""


def prose(page: Path) -> str:
    return FENCED.sub("", page.read_text())


def links(page: Path) -> list[str]:
    """To files and headings."""
    found = LINK.findall(CODE.sub("", prose(page)))
    return [link for link in found if "://" not in link and not link.startswith("mailto:")]


@lru_cache
def anchors(page: Path) -> frozenset[str]:
    """Of the headings, as MyST and forges make them."""
    headings = re.findall(rf"^#{{1,{LEVELS}}} (.+)$", prose(page), re.MULTILINE)
    return frozenset(re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings)


def leads_nowhere(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    return not target.exists() or bool(anchor and anchor not in anchors(target))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    assert [link for link in links(page) if leads_nowhere(page, link)] == []


def test_a_link_to_nowhere_is_found() -> None:
    page = ROOT / "README.md"
    assert leads_nowhere(page, "docs/nothing.md")
    assert leads_nowhere(page, "docs/api.md#nothing")
    assert not leads_nowhere(page, "docs/api.md#own-rules")
