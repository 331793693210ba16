"""Keep what DaCe writes out of the checkout: set before anything imports it."""

import os
import tempfile

os.environ.setdefault("DACE_default_build_folder", os.path.join(tempfile.mkdtemp(prefix="daad-tests-"), "dacecache"))
