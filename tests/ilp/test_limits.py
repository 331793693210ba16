"""Memory limits: plans from the largest to the smallest give the same gradient and hold what they say."""

from __future__ import annotations

import numpy as np
import pytest

import daad
from daad.api.gradient import Gradient
from daad.codegen.interpreted import Interpreted
from tests import programs
from tests.corpus.case import Case
from tests.corpus.selection import PLAIN, one_in


def limited(case: Case, limit: int | None) -> Gradient:
    request = programs.request_of(case, memory_limit=limit)
    return Gradient(case.function, request, compiler=Interpreted)  # type: ignore[arg-type]


@pytest.mark.parametrize("case", one_in(40, "limits", PLAIN))
def test_every_plan_gives_the_gradient_within_its_limit(case: Case) -> None:
    free = limited(case, None)
    wanted = free(*case.arguments())
    with pytest.raises(daad.MemoryLimitTooSmall) as refusal:
        limited(case, 1).compile(*case.arguments())
    least, most = refusal.value.minimum, free.plan.nbytes
    for limit in {least, (least + most) // 2}:
        gradient = limited(case, limit)
        for one, other in zip(gradient(*case.arguments()), wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12 * np.max(np.abs(other), initial=0.0))
        assert gradient.memory.modelled <= limit
