"""What pip installs is all that daad reads: modules, which are also read as source, and the files that are listed."""

import re
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def tracked(folder: str) -> list[Path]:
    listed = subprocess.run(["git", "ls-files", folder], cwd=ROOT, capture_output=True, text=True)
    names = listed.stdout.splitlines() or [str(path.relative_to(ROOT)) for path in (ROOT / folder).rglob("*.py")]
    return [Path(name) for name in names]


def test_every_file_belongs_to_a_package_that_is_installed() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    data = settings["package-data"]
    for package in (include.rstrip("*") for include in settings["packages"]["find"]["include"]):
        files = tracked(package)
        assert files
        assert {path.parent / "__init__.py" for path in files} <= set(files)
        others = {path.relative_to(package).as_posix() for path in files if path.suffix != ".py"}
        assert others <= set(data.get(package, ()))


def test_every_tag_has_its_section_in_the_changelog() -> None:
    tags = subprocess.run(["git", "tag", "--list", "v*"], cwd=ROOT, capture_output=True, text=True).stdout.split()
    sections = re.findall(r"^## \[?([0-9.]+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert {tag[1:] for tag in tags} <= set(sections)
