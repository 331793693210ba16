"""In notebooks: DaCe shows nothing when it is imported.

DaCe 2.0.0b1 displays the scripts of its viewer, or fetches them, as soon as it is imported in a notebook. Where it
takes the interpreter for no notebook, they come with the picture of an SDFG, which needs them.
"""

from __future__ import annotations

import importlib.util
import os
import sys

KERNEL, PART = "ipykernel", "dace.jupyter"


def is_notebook() -> bool:
    """Whether this process may be a notebook's."""
    return KERNEL in sys.modules


def silence_dace() -> None:
    """Loads the part of DaCe that asks where it is, and lets it find no notebook."""
    if "dace" in sys.modules or PART in sys.modules:
        return
    package = importlib.util.find_spec("dace")
    if package is None or package.origin is None:
        return
    path = os.path.join(os.path.dirname(package.origin), "jupyter.py")
    spec = importlib.util.spec_from_file_location(PART, path)
    if spec is None or spec.loader is None or not os.path.isfile(path):
        return
    module = importlib.util.module_from_spec(spec)
    module.get_ipython = lambda: None  # type: ignore[attr-defined]
    sys.modules[PART] = module
    spec.loader.exec_module(module)
