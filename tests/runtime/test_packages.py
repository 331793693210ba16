"""Every module of daad belongs to a declared package, and every declared package exists."""

from pathlib import Path

import pytest

from daad.runtime import packages
from daad.runtime.packages import HOME, PACKAGES, Package, modules, package_of

FOLDERS = sorted({path.relative_to(HOME).parts[0] for path in Path(HOME).glob("*/**/*.py")})


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_a_declared_package_exists(package: Package) -> None:
    place = Path(HOME, package.name)
    assert place.with_suffix(".py").is_file() or any(place.rglob("*.py"))


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_is_declared(folder: str) -> None:
    assert folder in {package.name for package in PACKAGES}


def test_a_folder_that_is_gone_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "PACKAGES", (Package("gone", roles=("runs",)),))
    for path in modules("runs"):
        assert not Path(path).exists()  # whoever reads it fails
    assert modules("runs")


def test_files_of_others_belong_to_none() -> None:
    assert package_of(__file__) is None
    assert package_of(f"{HOME}/pipeline.py") == Package("pipeline", "differentiating", roles=("derives",))
