"""Which programs of the corpus a question is asked of by default, and which with the marker slow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from zlib import crc32

import pytest

from tests.corpus import ALL, Case

PLAIN = tuple(case for case in ALL if not case.name.startswith("dace"))

LENGTHY = frozenset(
    {
        "complex_numbers.contour_integral",
        "complex_numbers.qubit_rotations",
        "complex_numbers.two_level_master_equation",
        "decisions.adaptive_quadrature",
        "dtypes.trips_that_wrap",
        "eigenvalues.matrix_norms",
        "eigenvalues.polar_factors",
        "eigenvalues.principal_components",
        "eigenvalues.propagated",
        "eigenvalues.schroedinger",
        "eigenvalues.whitening",
        "fields.lattice_boltzmann",
        "fields.shallow_water",
        "lists.updated_after_the_loop",
        "lists.what_is_updated_itself",
        "loops.hundreds_of_statements",
        "particles.nbody_leapfrog",
        "particles.spring_network",
        "published.linked_cells",
        "published.shock_tube",
        "published.superpixels",
        "solvers.jacobi_rotation_sweep",
        "spectral.angular_spectrum",
        "spectral.burgers_dealiased",
        "spectral.cahn_hilliard",
        "spectral.envelope",
        "spectral.korteweg_de_vries",
        "spectral.kuramoto_sivashinsky",
        "spectral.wiener_deconvolution",
        "statistics.gaussian_mixture",
        "statistics.hidden_markov_forward",
        "statistics.kalman_filter",
        "statistics.kalman_filter_of_matrices",
        "statistics.robust_location",
        "tables.items_of_an_array",
        "tables.names",
        "tables.sizes",
        "whiles.long_with_changing_shapes",
        "whiles.many_small_steps",
        "whiles.shrunk",
    }
)
"""Each takes seconds where others take tenths of one."""


def one_in(count: int, question: str, cases: Iterable[Case] = ALL, always: Sequence[str] = ()) -> list[Any]:
    """Parameters of a test: about one of so many cases by default, others for another question.

    A case is chosen by its name, so that a new one moves no others; the `LENGTHY` ones only where they are `always`.
    """
    cases = list(cases)
    default = {case.name for case in chosen(count, question, cases)}.union(always)
    return [pytest.param(c, id=c.name, marks=[] if c.name in default else pytest.mark.slow) for c in cases]


def chosen(count: int, question: str, cases: Iterable[Case] = ALL) -> list[Case]:
    """About one of so many cases, none of them `LENGTHY`."""
    return [c for c in cases if c.name not in LENGTHY and crc32(f"{question} {c.name}".encode()) % count == 0]
