"""A kernel whose program runs compiled by daad: where NumPy takes too long for differences, these are of it."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

from npbench_runs.kernel import Kernel


def as_compiled(kernel: Kernel) -> Kernel:
    """The same program, compiled at its first call for arguments of these kinds; it returns the output."""
    from daad.api.call.specialization import Specialised, specialise_primal
    from daad.api.subject import arguments as calls
    from daad.api.subject.reading import subject_of
    from daad.api.subject.request import Request

    known: list[Specialised] = []

    @functools.wraps(kernel.function)
    def run(*arguments: Any) -> Any:
        bound = dict(zip(kernel.parameters, arguments, strict=True))
        leaves = [value for _, value in calls.leaves(bound)]
        if not known or not known[-1].fits(leaves):
            request = Request(wrt=kernel.wrt(arguments), of=kernel.output, seed=1.0, on_inputs="keep")
            known.append(specialise_primal(subject_of(kernel.function), bound, request))
        return known[-1].call(leaves)[0]

    return replace(kernel, function=run, output=None)
