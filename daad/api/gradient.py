"""The callable that `daad.grad` returns: compiled at its first call for each combination of dtypes and shapes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from daad.api.call.buffers import Into, seed_of
from daad.api.call.device_calls import on_host
from daad.api.call.planned_call import PlannedCall, plan_call
from daad.api.derivative import Derivative
from daad.api.doors.array_types import in_unit
from daad.api.doors.labelled_arguments import Stripped, labels_refused
from daad.api.nested import subject_of_gradient
from daad.api.subject.request import Request
from daad.api.subject.subject import Subject
from daad.api.subject.tangent_arguments import is_one
from daad.errors import BadArgument
from daad.ir.nodes import Program
from daad.messages.progress import shown
from daad.messages.sizes import Bytes
from daad.report.defects import guarded
from daad.report.markup import folded, sentence
from daad.report.text import Shown
from daad.report.tracebacks import end_at_the_call
from daad.runtime.at_work import at_work
from daad.runtime.lazy_import import later
from daad.runtime.optional_packages import require_installed

if TYPE_CHECKING:
    from daad.api import scipy_functions
    from daad.api import sdfg_parts as parts
    from daad.api.export import exporting
    from daad.api.interop import jax_functions, torch_functions
    from daad.report import dataflow_graph as graphs
    from daad.report import explanation as explanations
    from daad.report import memory_plan as plans
    from daad.report.explanation import Explanation
    from daad.report.memory_plan import Plan
else:
    explanations, plans = later("daad.report.explanation"), later("daad.report.memory_plan")
    parts = later("daad.api.sdfg_parts")
    scipy_functions = later("daad.api.scipy_functions")
    exporting = later("daad.api.export.exporting")
    jax_functions = later("daad.api.interop.jax_functions")
    torch_functions = later("daad.api.interop.torch_functions")
    graphs = later("daad.report.dataflow_graph")


@end_at_the_call
class Gradient(Derivative):
    """The gradient of a program, as a function of the program's own arguments; `daad.grad` makes it.

        >>> import numpy as np, daad
        >>> def energy(x):
        ...     return np.sum(np.exp(x))
        >>> gradient = daad.grad(energy)
        >>> gradient(np.zeros(2))
        array([1., 1.])
        >>> gradient
        Gradient of energy with respect to x: compiled for x: float64[2]; a call holds 32 B
        >>> print(gradient.adjoint)
        program energy_adjoint(x: float64[2], result: float64[])
          local x_bar: float64[2]
          for i in 0 .. 2:  x_bar[i] = exp(x[i])
          return x_bar

    Calling it returns one array for one name, a tuple for a sequence of names, each of the shape and dtype of the
    argument; of `daad.value_and_grad`, a pair of the value and that. Gradients are with respect to the values on entry.
    """

    _brings = ("seed", "out", "accumulate")

    def _seed(self, kwargs: Mapping[str, Any]) -> Any:
        seed, out, is_added = (self._given(name, kwargs) for name in self._brings)
        if out is not None:
            return Into.of(seed, out, bool(is_added), self._asked.request, self._subject.at)
        if is_added:
            hint = "Pass out=..., in the structure of the result."
            raise BadArgument("There is nothing that gradients could be added to.", at=self._subject.at, hint=hint)
        return seed

    def _of_labelled(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        request, at = self._asked.request, self._subject.at
        if request.also:
            raise labels_refused("Gradients of intermediates", args, kwargs, at)
        own = self._own(kwargs)
        stripped = Stripped.of(args, own, at)
        if isinstance(request.of, str) and stripped.has_units:
            raise labels_refused("Gradients of an output by name", args, kwargs, at)
        out = self._given("out", kwargs)
        if out is not None and stripped.has_units:
            raise labels_refused("Calls with 'out'", args, kwargs, at)
        unit = self._outcomes.of(self._asked.function, args, own, stripped, request.of, at)
        answer = self(*stripped.args, **{**kwargs, **stripped.kwargs})
        if out is not None:
            return answer
        chosen = tuple(self._chosen(self._bound(stripped.args, stripped.kwargs)).values())
        value, found = answer if request.value else (None, answer)
        values = chosen[0] if is_one(request.wrt) else chosen
        gradient = stripped.dressed(values, found, unit)
        return (in_unit(value, unit), gradient) if request.value else gradient

    def _key(self, bound: Mapping[str, Any], seed: Any) -> Hashable:
        return isinstance(seed, Into) and seed.is_added, super()._key(bound, seed_of(seed))

    def _request(self, seed: Any) -> Request:
        is_added = isinstance(seed, Into) and seed.is_added
        return replace(super()._request(seed_of(seed)), accumulate=is_added)

    @property
    def _kind(self) -> str:
        return "Value and gradient" if self._asked.request.value else "Gradient"

    def _as_subject(self) -> Subject:
        return subject_of_gradient(self)

    def _planned(self, *args: Any, **kwargs: Any) -> Plan:
        """The plan for these arguments; nothing is compiled."""
        with guarded(self._case(args, kwargs)), at_work(), shown(self._asked.verbose):
            return self._plan_for(self._bound(args, kwargs))

    def _plan_for(self, bound: Mapping[str, Any]) -> Plan:
        """The plan for the arguments of a call by parameter name."""
        return self._plan(plan_call(self._subject, on_host(bound), self._asked.request))

    def _plan(self, planned: PlannedCall) -> Plan:
        limit = self._asked.request.memory_limit
        return plans.Plan(
            program=planned.read.program,
            question=planned.question,
            derivation=planned.derivation,
            limit=None if limit is None else Bytes(limit),
            places=planned.read.places,
        )

    @property
    def plan(self) -> Plan:
        """What is kept, what is computed again, and what less memory would cost, for the last call's arguments."""
        return self._plan(self._current.planned)

    @property
    def adjoint(self) -> Program:
        """The adjoint alone; `print` shows its text."""
        derivation = self._current.derivation
        with guarded(self._case()):
            return Shown.of(derivation.adjoint_program)

    def to_sdfg(self, part: str = "joint", portable: bool = True) -> Any:
        """The SDFG of value and gradient, of the "primal" alone, or of the "adjoint" alone, for the last call's
        arguments.

        One that is portable needs DaCe alone: saved, it can be loaded, compiled and run without daad. Its arguments
        have the program's own names, the gradient of `k` is the argument `k_bar`; `sdfg.__doc__` says what each is, as
        do the comments at the top of its code. Without `portable`, the joint SDFG is the one that daad compiles.
        """
        with guarded(self._case()):
            if portable:
                return parts.portable_sdfg(self._current, part)
            if part != "joint":
                raise BadArgument(
                    f"What daad compiles is one SDFG, of which the {part} is no part.", hint="Leave out portable=False."
                )
            return self.sdfg

    def as_scipy(self, *args: Any, **kwargs: Any) -> tuple[scipy_functions.ScalarFunction, np.ndarray]:
        """Value and gradient as SciPy's optimisers take them: a function of one flat vector of float64, and the vector
        of these arguments. All other arguments stay as they are.

            >>> import numpy as np, daad
            >>> from scipy.optimize import minimize
            >>> def misfit(p, data):
            ...     return np.sum((p["amplitude"] * np.exp(-p["rate"] * np.arange(4.0)) - data) ** 2)
            >>> start, data = {"amplitude": 1.0, "rate": 0.1}, np.array([2.0, 1.0, 0.5, 0.25])
            >>> fun, x0 = daad.grad(misfit).as_scipy(start, data)
            >>> found = minimize(fun, x0, jac=True, method="BFGS")
            >>> {name: round(float(value), 3) for name, value in fun.unpack(found.x).items()}
            {'amplitude': 2.0, 'rate': 0.693}

        `fun.hessp` and `fun.hess` are products with the Hessian, and the Hessian; `fun.value` and `fun.jac` value and
        gradient alone; `fun.pack` makes a vector of values in the structure of `wrt`, for bounds.
        """
        with guarded(self._case(args, kwargs)):
            return scipy_functions.scalar_function(self, args, kwargs)

    def export(self, directory: str | PathLike[str], *args: Any, **kwargs: Any) -> Path:
        """Writes a folder with value and gradient as a library for C, C++ and Fortran, for the dtypes and shapes of
        these arguments: `lib`, `include`, the generated `src`, `examples`, and in `python` a module that needs NumPy
        only. Returns the folder.

        The header says what each argument is. Integers that shapes depend on, texts and objects are compiled in.
        """
        with guarded(self._case(args, kwargs)), at_work(), shown(self._asked.verbose):
            return exporting.export(self, directory, args, kwargs)

    def as_jax(self) -> jax_functions.JaxFunction:
        """The program as a function of JAX's arrays, which `jax.grad`, `jvp`, `hessian`, `jit`, `vmap` and `lax.scan`
        take: XLA calls the compiled code, without Python. It returns what the program returns, and its first and second
        derivatives are those with respect to `wrt`.
        """
        require_installed("jax", "as_jax")
        return jax_functions.JaxFunction(self)

    def as_torch(self) -> torch_functions.TorchFunction:
        """The program as a function of torch's tensors on the CPU, for `backward`, `torch.func`, `torch.compile` and
        `torch.export`: tensors are taken without a copy. It returns what the program returns, and its first and second
        derivatives are those with respect to `wrt`.
        """
        require_installed("torch", "as_torch")
        return torch_functions.TorchFunction(self)

    def graph(self, fmt: str = "dot", part: str = "ccs") -> str:
        """The dataflow as DOT text or as a picture ("svg"): of the "primal", the "adjoint", the "joint" program, or of
        the "ccs", which is the primal with all that carries no derivative in grey. Arrays and statements have the
        user's names; functions, loops and lines of the source are clusters; inputs are salmon, outputs blue, what is
        stored gold, what is made again green.
        """
        with guarded(self._case()):
            return graphs.written(self.plan._graph(part), fmt)

    def timeline(self) -> Any:
        """Memory over a call as a matplotlib figure; see `Plan.timeline`."""
        return self.plan.timeline()

    def _repr_html_(self) -> str:
        """For notebooks: what it is and, once it is compiled, the program line by line."""
        lines = folded("line by line", self.explain()._repr_html_()) if self._last is not None else ""
        return sentence(repr(self), "") + lines

    def explain(self) -> Explanation:
        """The program line by line beside its adjoint: what a line is to the gradient, what its adjoint reads and where
        that comes from, bytes and operations; the arrays that are kept or made again, and why; totals; what data decide
        about the program itself, and how they did. A text; `.as_json()` is the same for machines."""
        found, path = self.plan.explain(), self._current.path
        if not path.decisions:
            return found
        return explanations.Explanation.of(found.account, f"\n\nGuards:\n{path}")
