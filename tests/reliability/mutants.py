"""How many defects the tests of the checkers put in on purpose, and how many of these change a gradient."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from tests.fuzz import test_mutations as mutations
from tests.fuzz.mutants import mutants
from tests.programs import interpreted


@dataclass
class Mutants:
    """By kind: all, those that change no number of the gradient, those that a check with differences notices."""

    tried: Counter[str] = field(default_factory=Counter)
    equivalent: Counter[str] = field(default_factory=Counter)
    noticed: Counter[str] = field(default_factory=Counter)


def count() -> Mutants:
    """Over the programs of the test."""
    found = Mutants()
    with np.errstate(all="ignore"):
        for case in mutations.CASES:
            gradient = mutations.specialised(interpreted(case), case)
            joint = gradient.derivation.joint
            right = mutations.gradients_of(gradient, joint, case)
            for mutant in mutants(joint, mutations.adjoints_of(gradient)):
                kind = mutant.what.split(" of ")[0]
                got = mutations.gradients_of(gradient, mutant.program, case)
                found.tried[kind] += 1
                if mutations.is_equivalent(got, right):
                    found.equivalent[kind] += 1
                elif mutations.notices(gradient, case, mutant.program, right):
                    found.noticed[kind] += 1
    return found
