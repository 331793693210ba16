"""Affine forms as DaCe's symbolic expressions and as code strings."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import dace
import sympy

from daad.codegen.chosen_names import Names
from daad.ir.affine import Affine


@lru_cache(maxsize=4096)
def symbol(name: str) -> Any:
    """The one DaCe symbol of a name."""
    return dace.symbol(name, dace.int64)


def symbolic(form: Affine, names: Names) -> Any:
    """An affine form for ranges and memlets."""
    if form.is_const:
        return sympy.Integer(form.const)
    terms = [sympy.Integer(c) * symbol(names[n]) for n, c in form.terms]
    return sympy.Add(*terms, sympy.Integer(form.const))


def text(form: Affine, names: Names) -> str:
    """An affine form for conditions and assignments."""
    return str(Affine.build(form.const, {names[n]: c for n, c in form.terms}))
