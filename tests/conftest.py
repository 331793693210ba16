"""Keep what DaCe writes out of the checkout, and bytecode between the many processes of the tests: set before anything
is imported."""

import os
import signal
import sys
import tempfile

sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

os.environ.setdefault("DACE_default_build_folder", os.path.join(tempfile.mkdtemp(prefix="daad-tests-"), "dacecache"))

# Shells start what runs in the background without Ctrl-C, and programs that tests interrupt would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser) -> None:  # type: ignore[no-untyped-def]
    """Golden texts are rewritten on demand; their difference is read in review."""
    parser.addoption("--update-golden", action="store_true", help="rewrite expected texts from what was printed")
