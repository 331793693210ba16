"""Fourier transforms: NumPy's values, shapes and dtypes for lengths of all kinds, and gradients against differences."""

from __future__ import annotations

import pytest

from tests.frontend.numpy.expressions import rows
from tests.frontend.numpy.test_complex import check, check_slopes, is_active

ROWS = rows(
    """
    np.fft.fft(x); np.fft.fft(z); np.fft.ifft(z); np.fft.rfft(x); np.fft.rfft(w.real); np.fft.irfft(z);
    np.fft.irfft(z, 9); np.fft.irfft(z, 5); np.fft.fft(z, 3); np.fft.fft(z, 8); np.fft.ifft(z, 7);
    np.fft.fft(z, norm='ortho'); np.fft.ifft(z, norm='ortho'); np.fft.ifft(z, norm='forward');
    np.fft.fft(z, norm='forward'); np.fft.rfft(x, 8); np.fft.rfft(x, 6, norm='ortho');
    np.fft.irfft(z, 8, norm='ortho'); np.fft.irfft(z, norm='forward'); np.fft.fft(A); np.fft.fft(A, axis=0);
    np.fft.ifft(A, axis=0); np.fft.fft2(A); np.fft.ifft2(A); np.fft.fftn(A); np.fft.fftn(p); np.fft.ifftn(p);
    np.fft.fftn(p, axes=(0, 2)); np.fft.fft2(A, s=(2, 5)); np.fft.rfft2(a); np.fft.irfft2(A);
    np.fft.irfft2(A, s=(3, 4)); np.fft.rfftn(p); np.fft.irfftn(p + 1j); np.fft.rfft(a, axis=0);
    np.fft.irfft(A, axis=0); np.fft.irfft(A, 5, axis=0); np.fft.fftshift(z); np.fft.ifftshift(z); np.fft.fftshift(A);
    np.fft.fftshift(A, axes=1); np.fft.fftshift(x); np.fft.fftfreq(5) * z; np.fft.fftfreq(5, 0.1) * z;
    np.fft.fftfreq(5, s) * z; np.fft.rfftfreq(8, d=s) * z; np.fft.fft(i); np.fft.fft(m); np.fft.fft(x[:1]);
    np.fft.rfft(x[:1]); np.fft.rfft(x[:2]); np.fft.irfft(z[:2]); np.fft.ifft(np.fft.fft(z) * w); np.fft.fft(f);
    np.fft.fft(h); np.fft.irfft(h); np.fft.fft(x, out=np.zeros(5, complex)); np.fft.fft(z * np.exp(1j * x));
    np.fft.fftfreq(n) * z[:3]; np.fft.fft(np.tile(z, 4) * np.arange(20)); np.fft.fft(np.resize(z, 64));
    np.fft.fft(np.resize(z, 60)); np.fft.fft(np.resize(z, 128)); np.fft.ifft(np.resize(z, 256));
    np.fft.rfft(np.resize(x, 256)); np.fft.irfft(np.resize(z, 129)); np.fft.fft(np.resize(z, 17));
    np.fft.fft(np.resize(z, 34)); np.fft.rfft(np.resize(x, 62)); np.fft.fft(np.resize(z, 210));
    np.fft.fft(np.resize(z, 143)); np.fft.fft(np.resize(z, (32, 16)), axis=0); np.fft.fft(np.resize(z, (3, 64)));
    np.fft.ifft(np.resize(z, (3, 64, 2)), axis=1); np.fft.irfft(np.resize(z, 97), 193);
    np.fft.fft(np.resize(z, 101)); np.fft.fft2(np.resize(z, (16, 64)))
    """
)

TRANSFORMS = rows(
    """
    fft.fft(z); fft.fft(x); fft.ifft(z, 8); fft.rfft(x, norm='ortho'); fft.irfft(z, 7); fft.fft2(A);
    fft.ifftn(p * 1j); fft.rfftn(p); fft.irfft2(A); fft.fftfreq(5) * z; fft.fftshift(z); fft.fft(x, workers=2);
    fft.fft(f); fft.dct(x); fft.dct(x, 1); fft.dct(x, 3); fft.idct(x); fft.idct(x, 3); fft.idct(x, 1);
    fft.dct(x, norm='ortho'); fft.idct(x, norm='ortho'); fft.dct(x, 3, norm='ortho'); fft.idct(x, 3, norm='ortho');
    fft.dct(x, norm='forward'); fft.idct(x, norm='forward'); fft.dst(x); fft.dst(x, 1); fft.dst(x, 3); fft.idst(x);
    fft.idst(x, 1); fft.idst(x, 3); fft.dst(x, norm='ortho'); fft.idst(x, norm='ortho'); fft.dst(x, 3, norm='ortho');
    fft.idst(x, 3, norm='ortho'); fft.dct(x, norm='forward', type=1); fft.idct(x, norm='forward', type=1);
    fft.dst(x,1,norm='forward'); fft.dct(a); fft.dct(a, axis=0); fft.dct(a, n=6); fft.dct(a, n=2); fft.dctn(a);
    fft.idctn(a, norm='ortho'); fft.dctn(p, axes=(0, 2)); fft.dstn(a); fft.idstn(a); fft.dct(a, 3);
    fft.idct(a[:, :3]); fft.dct(f)
    """
)


@pytest.mark.parametrize("expression", [*ROWS, *TRANSFORMS])
def test_values(expression: str) -> None:
    check(expression)


@pytest.mark.slow
@pytest.mark.parametrize("row", [row for row in (*ROWS, *TRANSFORMS) if is_active(row)])
def test_gradient_matches_differences(row: str) -> None:
    check_slopes(row)
