"""Results that are made where somebody looks at them, of functions that do nothing else.

Programs ask for eigenvalues of a feedback, say, and hand them on to callers who do not want them: whether they are real
is then nothing that data would have to decide.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from daad.frontend.library.spectral.general_eigen import EigResult
from daad.frontend.python.reading.reader import Reader
from daad.frontend.staging.unread import Unmade
from daad.frontend.staging.values import is_staged
from daad.ir.pinning import NeedsResult

RESULTS: dict[tuple[str, str], type[tuple[Any, ...]] | None] = {
    ("numpy.linalg", "eig"): EigResult,
    ("numpy.linalg", "eigvals"): None,
    ("scipy.linalg._decomp", "eig"): tuple,
    ("scipy.linalg._decomp", "eigvals"): None,
}
"""By module and name: what holds eigenvalues and eigenvectors; None: eigenvalues alone."""


def unmade(reader: Reader, node: ast.Call, function: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """What stands for the results until somebody looks at them; NotImplemented for other functions, and where options
    or known data ask for more."""
    key = getattr(function, "__module__", None), getattr(function, "__name__", None)
    if key not in RESULTS or keywords or len(args) != 1 or not is_staged(args) or id(node) in reader.wanted:
        return NotImplemented

    def make() -> NoReturn:
        reader.wanted.add(id(node))
        raise NeedsResult

    holder = RESULTS[key]
    if holder is None:
        return Unmade(make)
    parts = Unmade(make), Unmade(make)
    return parts if holder is tuple else EigResult(*parts)
