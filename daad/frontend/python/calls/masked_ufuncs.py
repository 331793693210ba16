"""`np.power(x, y, where=…)` without `out`: what is not computed is undefined, so the mask has to hold everywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from daad.frontend.numpy import FUNCTIONS
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.speculation import assumed
from daad.frontend.staging.values import is_staged


def everywhere(stage: Stage, function: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords without a mask that holds everywhere, in this call if data decide that."""
    rest = {name: value for name, value in keywords.items() if name != "where"}
    is_masked = isinstance(function, np.ufunc) and len(args) <= function.nin and keywords.get("out") is None
    if not is_masked or keywords.get("where", True) is True:
        return dict(keywords)
    holds = FUNCTIONS[np.all](stage, (keywords["where"],), {})
    return rest if (assumed(stage, holds, "The mask of a function") if is_staged(holds) else holds) else dict(keywords)
