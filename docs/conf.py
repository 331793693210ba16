"""How Sphinx makes the site of the pages in this folder; `make docs` calls it."""

from typing import Any, ClassVar

import click
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

import daad
from daad.cli import main

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


class Commands(SphinxDirective):
    """A section for each command of daad, with its help."""

    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        above = click.Context(main, info_name="daad", terminal_width=90)
        return [self._section(name, main.get_command(above, name), above) for name in main.list_commands(above)]

    def _section(self, name: str, command: click.Command | None, above: click.Context) -> nodes.Node:
        assert command is not None, "listed commands are there"
        text = command.get_help(click.Context(command, info_name=name, parent=above, terminal_width=90))
        section = nodes.section(ids=[f"daad-{name}"], names=[f"daad {name}"])
        section += [nodes.title(text=f"daad {name}"), nodes.literal_block(text, text, language="text")]
        return section


def setup(app: Any) -> None:
    app.add_directive("daad-commands", Commands)
    app.connect("autodoc-process-docstring", as_written)
