"""Keep what DaCe writes out of the checkout, and bytecode between the many processes of the tests: set before anything
is imported."""

import os
import signal
import sys
import tempfile
from pathlib import Path

import pytest

sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

os.environ.setdefault("DACE_default_build_folder", os.path.join(tempfile.mkdtemp(prefix="daad-tests-"), "dacecache"))

# Shells start what runs in the background without Ctrl-C, and programs that tests interrupt would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser) -> None:  # type: ignore[no-untyped-def]
    """Golden texts are rewritten on demand; their difference is read in review."""
    parser.addoption("--update-golden", action="store_true", help="rewrite expected texts from what was printed")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Rows of tables that take more than about half a second are slow: `make test-long` asks them."""
    long = frozenset(Path(__file__).with_name("long_rows.txt").read_text().splitlines())
    for item in items:
        if item.nodeid in long:
            item.add_marker(pytest.mark.slow)
