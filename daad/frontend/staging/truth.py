"""Truth values: static where possible, otherwise a scalar expression, and what it says about indices."""

from __future__ import annotations

from typing import Any

from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ArrayValue, Complex, affine_of, cast, form_of
from daad.ir.affine import Affine
from daad.ir.constructors import const
from daad.ir.nodes import Const, Expr, IndexValue, Op
from daad.ir.walk import loads


def truth(stage: Stage, value: Any) -> bool | Expr:
    """`bool(value)`."""
    if isinstance(value, Complex):
        parts = [truth(stage, part) for part in value.parts]
        if all(isinstance(part, bool) for part in parts) or True in parts:
            return True in parts
        left, right = (Const(part, "bool") if isinstance(part, bool) else part for part in parts)
        return Op("logical_or", (left, right), "bool")
    if not isinstance(value, ArrayValue):
        stage.look_into(value)
        return bool(value)
    form = affine_of(value)
    if form is not None:
        if stage.provable(form - 1) or stage.provable(-form - 1):
            return True
        if all(name in stage.integers for name in form.names):
            stage.pin(form)
    if any(stage.known(extent) != 1 for extent in value.shape):
        stage.refuse(
            "The truth value of an array with more than one element is ambiguous.", "Use 'np.any' or 'np.all'."
        )
    element = cast_to_bool(value.element((Affine(0),) * value.ndim))
    return bool(element.value) if isinstance(element, Const) else element


def cast_to_bool(expr: Expr) -> Expr:
    """The truth of a number."""
    if expr.dtype == "bool":
        return expr
    return cast(expr, "bool") if isinstance(expr, Const) else Op("not_equal", (expr, const(0, expr.dtype)), "bool")


def facts_of(stage: Stage, condition: Expr, holds: bool) -> list[Affine]:
    """Affine forms that are >= 0 here when the condition holds, or when it does not."""
    if not isinstance(condition, Op):
        return []
    if condition.name == "logical_not":
        return facts_of(stage, condition.args[0], not holds)
    if condition.name == "logical_and" and holds:
        return [fact for arg in condition.args for fact in facts_of(stage, arg, True)]
    if condition.name == "logical_or" and not holds:
        return [fact for arg in condition.args for fact in facts_of(stage, arg, False)]
    if condition.name == "where":
        return _facts_of_where(stage, condition, holds)
    if len(condition.args) != 2:
        return []
    a, b = map(form_of, condition.args)
    return [] if a is None or b is None else _compared(stage, condition.name, a, b, holds)


def _facts_of_where(stage: Stage, condition: Op, holds: bool) -> list[Affine]:
    """`a and b` is `b if a else False`, `a or b` is `True if a else b`."""
    test, then, orelse = condition.args
    if holds and isinstance(orelse, Const) and not orelse.value:
        return [*facts_of(stage, test, True), *facts_of(stage, then, True)]
    if not holds and isinstance(then, Const) and then.value:
        return [*facts_of(stage, test, False), *facts_of(stage, orelse, False)]
    return []


def _compared(stage: Stage, name: str, a: Affine, b: Affine, holds: bool) -> list[Affine]:
    if not holds:
        name = OPPOSITE.get(name, name)
    if name in TURNED:
        a, b, name = b, a, TURNED[name]
    if name == "less":
        return [b - a - 1]
    if name == "less_equal":
        return [b - a]
    if name == "equal":
        return [a - b, b - a]
    return _distinct(stage, a, b) if name == "not_equal" else []


def _distinct(stage: Stage, a: Affine, b: Affine) -> list[Affine]:
    """What is not equal and not less is greater."""
    return [larger - smaller - 1 for larger, smaller in ((a, b), (b, a)) if stage.provable(larger - smaller)]


TURNED = {"greater": "less", "greater_equal": "less_equal"}
"""What holds of two numbers the other way round."""
OPPOSITE = {
    "less": "greater_equal",
    "less_equal": "greater",
    "greater": "less_equal",
    "greater_equal": "less",
    "equal": "not_equal",
    "not_equal": "equal",
}


def is_static_but_for_loops(stage: Stage, condition: Expr) -> Affine | None:
    """A form that names the loop variables which the condition depends on, when it depends on nothing else."""
    if any(True for _ in loads(condition)):
        return None
    names = {name for form in _forms(condition) for name in form.names}
    variables = [v for v in stage.loop_variables if v in names]
    return Affine.of(variables[-1]) if variables else None


def _forms(expr: Expr) -> list[Affine]:
    if isinstance(expr, IndexValue):
        return [expr.form]
    return [form for arg in expr.args for form in _forms(arg)] if isinstance(expr, Op) else []
