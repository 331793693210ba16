"""How Sphinx makes the site of the pages in this folder; `make docs` calls it."""

from typing import Any

import daad

project, author, copyright = "daad", "The daad authors", "The daad authors"
version = release = daad.__version__
extensions = ["myst_nb", "sphinx.ext.autodoc"]
exclude_patterns = ["*.json"]
nb_execution_mode = "off"  # `make tutorials` runs the notebooks
html_theme = "furo"
html_title = "daad"
html_static_path, html_css_files, html_js_files = ["static"], ["tables.css"], ["accessible.js"]
html_show_sphinx = False
myst_heading_anchors = 3
myst_links_external_new_tab = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"


def as_written(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Docstrings are made for a terminal, with columns that line up: the site shows them as they are."""
    first, *rest = lines or [""]
    lines[:] = [first, "", "::", "", *(f"    {line}" for line in rest), ""] if any(rest) else [first]


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", as_written)
