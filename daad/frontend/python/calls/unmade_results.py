"""Results that cannot be computed here, of functions that do nothing else: refused where somebody looks at them.

Programs ask for eigenvalues of a feedback, say, and hand them on to callers who do not want them.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from daad.errors import Unsupported
from daad.frontend.numpy import hint_for
from daad.frontend.python.calls.static_calls import shown
from daad.frontend.python.reading.reader import Reader
from daad.frontend.staging.unread import Unmade
from daad.frontend.staging.values import is_staged


class EigResult(NamedTuple):
    """As NumPy's."""

    eigenvalues: Any
    eigenvectors: Any


RESULTS: dict[tuple[str, str], type[tuple[Any, ...]] | None] = {
    ("numpy.linalg", "eig"): EigResult,
    ("numpy.linalg", "eigvals"): None,
    ("scipy.linalg._decomp", "eig"): tuple,
    ("scipy.linalg._decomp", "eigvals"): None,
}
"""By module and name: what holds eigenvalues and eigenvectors; None: eigenvalues alone."""


def unmade(reader: Reader, node: ast.Call, function: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """What stands for the results; NotImplemented for other functions, and where options or known data ask for more."""
    key = getattr(function, "__module__", None), getattr(function, "__name__", None)
    if key not in RESULTS or keywords or len(args) != 1 or not is_staged(args):
        return NotImplemented
    refused = Unsupported(f"'{shown(node)}' is not supported.", at=reader.stage.at, hint=hint_for(function))
    holder = RESULTS[key]
    if holder is None:
        return Unmade(refused)
    parts = Unmade(refused), Unmade(refused)
    return parts if holder is tuple else EigResult(*parts)
