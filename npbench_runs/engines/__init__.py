"""The engines that `daad bench` compares."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from npbench_runs.engines.by_daad import DAAD
from npbench_runs.engines.by_daad_primal import PRIMAL
from npbench_runs.engines.by_dace import DACE
from npbench_runs.engines.by_jax import JAX
from npbench_runs.engines.by_numpy import NUMPY
from npbench_runs.engines.engine import Engine

ENGINES: Mapping[str, Engine] = {"daad": DAAD, "primal": PRIMAL, "jax": JAX, "dace": DACE, "numpy": NUMPY}


def engine(name: str) -> Engine:
    """An engine of the table, or any other by `module:attribute`."""
    module, _, attribute = name.partition(":")
    return getattr(importlib.import_module(module), attribute) if attribute else ENGINES[name]
