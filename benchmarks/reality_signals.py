"""What of the programs in reality.toml is differentiated that invert pictures, scatter light, filter, hold plasmas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.reality_case import Case, bare_package, normal, stand_in


def flux_multigrid(code: Any) -> Case:
    plasma = bare_package("freegs", code, "gradshafranov", "multigrid")

    def program(current, start):  # type: ignore[no-untyped-def]
        operator = plasma.gradshafranov.GSsparse(0.1, 1.0, -1.0, 1.0)
        solve = plasma.multigrid.createVcycle(*current.shape, operator, nlevels=3, niter=3, direct=False)
        return np.sum(solve(start, current) ** 2)

    return Case(program, lambda: (normal(1, 9, 9), 0.1 * normal(2, 9, 9)), "current, start")


def coils(code: Any) -> Case:
    plasma = bare_package("freegs", code, "coil", "shaped_coil", "multi_coil")

    def program(current, radii, corners):  # type: ignore[no-untyped-def]
        single = plasma.coil.Coil(1.0, 0.5, current=current, turns=3)
        shaped = plasma.shaped_coil.ShapedCoil(list(zip(corners[0], corners[1], strict=True)), current=2 * current)
        several = plasma.multi_coil.MultiCoil([0.9, 1.1], [-0.4, -0.5], current=current)
        heights = np.array([0.1, 0.2, -0.1])
        flux = np.sum(single.psi(radii, heights)) + np.sum(shaped.psi(radii, heights))
        return 1e5 * (flux + np.sum(several.Br(radii, heights)) + np.sum(shaped.Br(radii, heights)))

    corners = np.array([[1.0, 1.2, 1.2, 1.0], [0.9, 0.9, 1.1, 1.1]])
    return Case(program, lambda: (10.0, np.array([0.6, 0.7, 0.8]), corners), "current, radii, corners")


def spheres(code: Any) -> Case:
    stand_in("numba")
    scattering = code.named("miepython")

    def program(sizes, wavelength, angles):  # type: ignore[no-untyped-def]
        extinction, _, _, asymmetry = scattering.efficiencies(1.5 - 0.1j, sizes, wavelength)
        scattered = scattering.i_unpolarized(1.4 - 0.01j, 2.0, angles)
        return np.sum(extinction) + np.sum(asymmetry) + np.sum(scattered)

    given = (np.array([0.4, 0.7, 1.1]), 0.55, np.linspace(-0.9, 0.9, 5))
    return Case(program, lambda: given, "sizes, wavelength, angles")


def projections(code: Any) -> Case:
    abel = code.named("abel")

    def program(image):  # type: ignore[no-untyped-def]
        found = abel.Transform(image, method="hansenlaw", direction="inverse", symmetry_axis=None).transform
        half = image[:4, :9]
        peeled = abel.dasch.onion_peeling_transform(half, basis_dir=None)
        direct = abel.direct.direct_transform(half, dr=0.5, direction="forward", backend="python")
        return np.sum(found**2) + np.sum(peeled**2) + np.sum(direct**2)

    return Case(program, lambda: (1.0 + 0.2 * normal(1, 9, 9),), "image")


def brain_rhythms(code: Any) -> Case:
    stand_in("pandas")
    frequencies, spectral = code.named("neurodsp.timefrequency"), code.named("neurodsp.spectral")

    def program(signal):  # type: ignore[no-untyped-def]
        amplitude = frequencies.amp_by_time(signal, 100.0, (8, 20), remove_edges=False)
        waves = frequencies.compute_wavelet_transform(signal, 100.0, freqs=[5.0, 10.0, 20.0])
        at, power = spectral.compute_spectrum(signal, 100.0, method="welch", nperseg=50)
        ratio = spectral.compute_band_ratio(at, power, (4, 8), (8, 20))
        return np.sum(amplitude**2) + np.sum(np.abs(waves) ** 2) + ratio

    return Case(program, lambda: (np.sin(0.3 * np.arange(200)) + 0.3 * normal(3, 200),), "signal")


def fluctuations(code: Any) -> Case:
    stand_in("pandas")
    aperiodic = code.named("neurodsp.aperiodic.dfa")

    def program(signal):  # type: ignore[no-untyped-def]
        detrended = aperiodic.compute_fluctuations(signal, 100.0, n_scales=5, min_scale=0.1, max_scale=0.8)[2]
        scales = {"n_scales": 4, "min_scale": 0.2, "max_scale": 0.8}
        return detrended + aperiodic.compute_fluctuations(signal, 100.0, method="rs", **scales)[2]

    return Case(program, lambda: (np.sin(0.3 * np.arange(200)) + 0.3 * normal(3, 200),), "signal")


SIGNALS: tuple[Callable[[Any], Case], ...] = (flux_multigrid, coils, spheres, projections, brain_rhythms, fluctuations)
DRIVERS: dict[str, Callable[[Any], Case]] = {one.__name__: one for one in SIGNALS}
