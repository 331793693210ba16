"""Products with the Jacobian of a program: tangents pushed forward, seeds pulled back."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

from daad.api.call.buffers import copied_into, summed
from daad.api.call.device_calls import taken_over
from daad.api.derivative import Derivative
from daad.api.doors.labelled_arguments import is_labelled, labels_refused
from daad.api.doors.labelled_products import Labelled, LabelledPullback
from daad.api.subject.request import Request
from daad.api.subject.tangent_arguments import Given, leading
from daad.errors import BadArgument
from daad.report.tracebacks import end_at_the_call


@end_at_the_call
class Tangent(Derivative):
    """The tangent of a program, as a function of its own arguments and of `tangent`; `daad.jvp` makes it.

        >>> import numpy as np, daad
        >>> def energy(x):
        ...     return np.sum(x * x)
        >>> y, dy = daad.jvp(energy)(np.array([1.0, 2.0]), tangent=np.array([1.0, 0.0]))
        >>> print(y, dy)
        5.0 2.0

    The tangent has the structure of `wrt`, with None where it is zero; what comes back has that of the outputs. `out`
    are the caller's own arrays for it, to which it is added with `accumulate=True`.
    """

    _brings = ("tangent",)
    _prefix = "jvp"

    @property
    def _kind(self) -> str:
        return "Tangent"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if "out" not in kwargs and "accumulate" not in kwargs:
            return super().__call__(*args, **kwargs)
        brought = {name for name in ("out", "accumulate") if name in kwargs and not self._subject.takes(name)}
        if not brought:
            return super().__call__(*args, **kwargs)
        if is_labelled(args, kwargs):
            raise labels_refused("Calls with 'out'", args, kwargs, self._subject.at)
        found = super().__call__(*args, **{name: kwargs[name] for name in kwargs if name not in brought})
        return self._into(kwargs.get("out"), found, "accumulate" in brought and kwargs["accumulate"])

    def _into(self, out: Any, found: Any, is_added: bool) -> Any:
        """The result in the caller's own arrays; a tangent may be added to what is there, a value is not."""
        at, has_value = self._subject.at, self._asked.request.value
        if is_added and has_value:
            found = found[0], summed(None if out is None else out[1], found[1], at)
        elif is_added:
            found = summed(out, found, at)
        return found if out is None else copied_into(out, found, at)

    def _of_labelled(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        if self._seed(kwargs).count is not None:
            raise labels_refused("Several tangents at once", args, kwargs, self._subject.at)
        labelled = Labelled.of(self, self._outcomes, args, kwargs)
        tangent, stripped = labelled.tangent(kwargs["tangent"]), labelled.stripped
        answer = self(*stripped.args, **stripped.kwargs, tangent=tangent)
        if not self._asked.request.value:
            return labelled.output(answer)
        return labelled.output(answer[0]), labelled.output(answer[1])

    def many(self, *args: Any, tangents: Any, **kwargs: Any) -> Any:
        """Several tangents at once: arrays have a leading axis for them, and so have the tangents of the outputs."""
        tangents = taken_over("tangents", tangents) if self._is_for_gpu else tangents
        count = leading(tangents, "tangents", self._subject.at)
        return self(*args, **kwargs, tangent=Given(tangents, count, "tangent", self._subject.at))

    def _key(self, bound: Mapping[str, Any], seed: Any) -> Hashable:
        return seed.count, super()._key(bound, seed)

    def _request(self, seed: Any) -> Request:
        return replace(self._asked.request, seed=seed, seed_at_call=True, batch=seed.count)

    def _seed(self, kwargs: Mapping[str, Any]) -> Any:
        if "tangent" not in kwargs:
            raise BadArgument(
                f"The call of the tangent of '{self._subject.name}' brings no tangent.",
                at=self._subject.at,
                hint="Pass it as tangent=..., in the structure of 'wrt'.",
            )
        given = taken_over("tangent", kwargs["tangent"]) if self._is_for_gpu else kwargs["tangent"]
        return given if isinstance(given, Given) else Given(given, at=self._subject.at)


@end_at_the_call
class GaussNewton(Tangent):
    """The transposed Jacobian times the Jacobian times a tangent, as a function of the program's own arguments and of
    `tangent`; `daad.gauss_newton_product` makes it.

        >>> import numpy as np, daad
        >>> daad.gauss_newton_product(lambda x: 3.0 * x)(np.array([1.0, 2.0]), tangent=np.array([1.0, 0.0]))
        array([9., 0.])
    """

    _prefix = "gauss_newton"

    def _of_labelled(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        raise labels_refused("Gauss-Newton products", args, kwargs, self._subject.at)

    @property
    def _kind(self) -> str:
        return "Gauss-Newton product"


@end_at_the_call
class Vjp(Derivative):
    """The program with its pullback, as a function of the program's own arguments; `daad.vjp` makes it.

        >>> import numpy as np, daad
        >>> def square(x):
        ...     return x * x
        >>> y, pull = daad.vjp(square)(np.array([1.0, 2.0]))
        >>> print(y, pull(np.array([1.0, 0.5])))
        [1. 4.] [2. 2.]

    A pullback takes seeds in the structure of the outputs and gives gradients in that of `wrt`.
    """

    _prefix = "vjp"

    def _of_labelled(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        labelled = Labelled.of(self, self._outcomes, args, kwargs)
        value, pull = self(*labelled.stripped.args, **labelled.stripped.kwargs)
        return labelled.output(value), LabelledPullback(pull, labelled)

    @property
    def _kind(self) -> str:
        return "Pullback"

    def _seed(self, kwargs: Mapping[str, Any]) -> Any:
        return None
