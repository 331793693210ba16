"""Why JAX is faster, for the kernels on which it is; the report shows these beside the ratio."""

from __future__ import annotations

from collections.abc import Mapping

REASONS: Mapping[str, str] = {}
