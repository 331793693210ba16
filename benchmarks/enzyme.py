"""Enzyme's gradients over adjoints by hand at S and at M: the same C programs by clang 19 on another machine."""

from __future__ import annotations

from collections.abc import Mapping

ENZYME: Mapping[str, tuple[float, float]] = {
    "seidel_2d": (5.53, 6.43),
    "jacobi_2d": (4.76, 4.68),
    "heat_3d": (2.73, 3.47),
    "fdtd_2d": (9.52, 10.43),
    "syrk": (6.58, 7.67),
    "trmm": (4.2, 26.42),
    "gramschmidt": (4.12, 8.11),
    "lu": (3.76, 10.69),
    "cholesky": (3.37, 7.32),
    "durbin": (56.43, 28.18),
    "cavity_flow": (5.33, 5.14),
    "vadv": (6.09, 2.93),
    "hdiff": (2.17, 2.6),
    "adi": (32.1, 39.58),
    "deriche": (7.17, 7.62),
    "softmax": (5.49, 5.5),
}
