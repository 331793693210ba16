"""Gradients of arguments together with those of intermediate values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

from daad.api.call.device_calls import through_host
from daad.api.gradient import Gradient
from daad.api.subject.intermediates import marked, marked_request, values_of
from daad.api.subject.local_variables import opened_in
from daad.api.subject.request import Request
from daad.api.subject.tangent_arguments import is_one
from daad.codegen.compilation import compile_program
from daad.errors import BadArgument
from daad.report.tracebacks import end_at_the_call


@end_at_the_call
class InteriorGradient(Gradient):
    """A gradient that brings those of intermediate values along, in a dict behind the others."""

    def __init__(self, function: Any, request: Request, verbose: int = 0, compiler: Any = compile_program) -> None:
        if request.on_inputs != "keep":
            raise BadArgument("With 'also', arguments stay as they are.", hint="Leave out on_inputs='primal'.")
        self._wanted, self._values = (function, request), values_of(request.also)
        made = marked(function, self._values, request)
        super().__init__(made, marked_request(request, self._values), verbose, compiler)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (*self._wanted, self._asked.verbose, self._asked.compiler)

    def _with(self, **changes: Any) -> Self:
        function, request = self._wanted
        return type(self)(function, replace(request, **changes), self._asked.verbose, self._asked.compiler)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._given("out", kwargs) is not None:
            raise BadArgument("With 'also', gradients are arrays of their own.", hint="Leave out 'out' or 'also'.")
        return through_host(self._whole, args, kwargs) if self._is_for_gpu else self._whole(*args, **kwargs)

    def _whole(self, *args: Any, **kwargs: Any) -> Any:
        while True:
            found = super().__call__(*args, **kwargs)
            if self._request_is_met(args, kwargs, found):
                return self._structured(found)

    def _request_is_met(self, args: Any, kwargs: Mapping[str, Any], found: Any) -> bool:
        """Whether the last writes were those that were marked: data decide how many there are."""
        _, counts = found[0][1] if self._asked.request.value else found[1]
        own = self._own(kwargs)
        is_met: bool = opened_in(self._asked.function).correct(args, own, counts)  # type: ignore[union-attr]
        return is_met

    def _structured(self, found: Any) -> Any:
        request = self._wanted[1]
        gradients = found[1] if request.value else found[0]
        aux = (found[0][1] if request.value else found[1])[0]
        count = len(self._values)
        inner = dict(zip([value.key for value in self._values], gradients[-count:], strict=True))
        whole = (*gradients[:-count], inner)
        assert len(whole) > 1 or not is_one(request.wrt), "something is asked for beside the intermediate values"
        if not request.value:
            return (whole, aux) if request.has_aux else whole
        return ((found[0][0], aux) if request.has_aux else found[0][0]), whole
