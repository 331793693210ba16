"""Random programs, and adjoints of others, for passes that leave results as they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from daad.ir.nodes import Program
from tests.codegen.generate import random_program
from tests.loops.programs import SHAPES, Generator
from tests.loops.test_random_programs import gradient_program


def random_cases(seeds: Iterable[int]) -> Iterator[tuple[Program, frozenset[str]]]:
    """Each with the arrays that somebody looks at."""
    for seed in seeds:
        made = random_program(seed)
        yield made, frozenset(sorted(made.arrays)[::2])
        joint = gradient_program(Generator(seed).program())
        yield joint, frozenset((*SHAPES, *joint.results))
