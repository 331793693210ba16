"""Versions are those that Python's own tool finds."""

from importlib import metadata

import pytest

from daad.runtime.package_versions import version


@pytest.mark.parametrize("name", ["dace", "scipy-openblas32", "scipy_openblas32", "pulp", "highspy", "NumPy", "daad"])
def test_versions_are_those_of_the_metadata(name):
    assert version(name) == metadata.version(name)


def test_what_is_not_installed_has_none():
    with pytest.raises(metadata.PackageNotFoundError):
        version("no-such-package")


def test_the_first_place_of_the_path_counts(tmp_path, monkeypatch):
    (tmp_path / "dace-9.9.dist-info").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    assert version("dace") == "9.9"
