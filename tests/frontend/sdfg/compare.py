"""The lift against plain NumPy, by the interpreter."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

import dace
import numpy as np

from daad.frontend.sdfg import Lifted, lift
from daad.frontend.sdfg.parse import parameter_names, signature_of
from daad.ir.interpreter import run


def check_lift(
    program: Any,
    reference: Callable[..., Any],
    arguments: tuple[Any, ...],
    keywords: Mapping[str, Any] | None = None,
    rtol: float = 1e-12,
) -> Lifted:
    """The interpreted Program leaves the arguments and the results as the reference does."""
    lifted = lift(program, copy.deepcopy(arguments), keywords or {})
    values = _with_defaults(program, arguments, keywords or {})
    bound = {p.array: values[p.name] for p in lifted.parameters if p.array is not None}
    final = run(lifted.program, {**bound, **lifted.constants})
    expected = copy.deepcopy(arguments)
    returned = reference(*expected)
    for parameter, value in zip(lifted.parameters, expected, strict=False):
        if isinstance(value, np.ndarray):
            assert parameter.array is not None, f"'{parameter.name}' is an array"
            np.testing.assert_allclose(final[parameter.array], value, rtol=rtol, atol=rtol, err_msg=parameter.name)
    returned = () if returned is None else returned if isinstance(returned, tuple) else (returned,)
    assert len(returned) == len(lifted.results)
    for name, value in zip(lifted.results, returned, strict=True):
        assert final[name].size == np.size(value), f"'{name}' has shape {final[name].shape}"
        np.testing.assert_allclose(final[name].reshape(np.shape(value)), value, rtol=rtol, atol=rtol, err_msg=name)
    return lifted


def _with_defaults(program: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(program, dace.SDFG):
        return {**dict(zip(parameter_names(program), arguments, strict=False)), **keywords}
    signature = signature_of(program)
    bound = signature.bind(*arguments, **{k: v for k, v in keywords.items() if k in signature.parameters})
    bound.apply_defaults()
    return dict(bound.arguments)
