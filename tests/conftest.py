"""Keep what DaCe writes out of the checkout: set before anything imports it."""

import os
import tempfile

os.environ.setdefault("DACE_default_build_folder", os.path.join(tempfile.mkdtemp(prefix="daad-tests-"), "dacecache"))


def pytest_addoption(parser) -> None:  # type: ignore[no-untyped-def]
    """Golden texts are rewritten on demand; their difference is read in review."""
    parser.addoption("--update-golden", action="store_true", help="rewrite expected texts from what was printed")
