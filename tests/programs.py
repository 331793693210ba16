"""Gradients of corpus cases through the whole pipeline, with the interpreter in place of the C++ compiler."""

from __future__ import annotations

from typing import Any

from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted
from tests.corpus.case import Case


def interpreted(case: Case) -> Gradient:
    """The gradient of a case; nothing is compiled."""
    return Gradient(case.function, request_of(case), compiler=Interpreted)  # type: ignore[arg-type]


def compiled(case: Case) -> Gradient:
    """The gradient of a case as users get it."""
    return Gradient(case.function, request_of(case))


def request_of(case: Case, **options: Any) -> Request:
    """The question that a case stands for."""
    return Request(wrt=case.wrt, of=case.of, seed=case.seed, **{**case.options, **options})
