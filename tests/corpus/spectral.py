"""Programs that work in frequency space: partial differential equations, optics, signals and images."""

from __future__ import annotations

import numpy as np
from scipy.fft import next_fast_len
from scipy.signal import butter, sosfilt, sosfreqz

from tests.corpus.case import normal, row, uniform


def korteweg_de_vries(u, steps):
    """Solitons by Runge-Kutta steps with an integrating factor (Trefethen, Spectral Methods in MATLAB, p27)."""
    n, dt = len(u), 0.4 / len(u) ** 2
    k = np.concatenate((np.arange(0, n // 2), [0], np.arange(-n // 2 + 1, 0)))
    ik3 = 1j * k**3
    v = np.fft.fft(u)
    for _ in range(steps):
        g = -0.5j * dt * k
        e = np.exp(dt * ik3 / 2)
        e2 = e**2
        a = g * np.fft.fft(np.real(np.fft.ifft(v)) ** 2)
        b = g * np.fft.fft(np.real(np.fft.ifft(e * (v + a / 2))) ** 2)
        c = g * np.fft.fft(np.real(np.fft.ifft(e * v + b / 2)) ** 2)
        d = g * np.fft.fft(np.real(np.fft.ifft(e2 * v + e * c)) ** 2)
        v = e2 * v + (e2 * a + 2 * e * (b + c) + d) / 6
    return np.sum(np.real(np.fft.ifft(v)) ** 3)


def kuramoto_sivashinsky(u, steps):
    """Exponential time differencing, its coefficients by contour integrals (Kassam and Trefethen 2005)."""
    n, h = len(u), 0.25
    k = np.concatenate((np.arange(0, n // 2), [0], np.arange(-n // 2 + 1, 0))) / 4
    linear = k**2 - k**4
    e, e2 = np.exp(h * linear), np.exp(h * linear / 2)
    points = np.exp(1j * np.pi * (np.arange(1, 9) - 0.5) / 8)
    lr = h * linear[:, None] + points[None, :]
    q = h * np.real(np.mean((np.exp(lr / 2) - 1) / lr, axis=1))
    f1 = h * np.real(np.mean((-4 - lr + np.exp(lr) * (4 - 3 * lr + lr**2)) / lr**3, axis=1))
    f2 = h * np.real(np.mean((2 + lr + np.exp(lr) * (-2 + lr)) / lr**3, axis=1))
    f3 = h * np.real(np.mean((-4 - 3 * lr - lr**2 + np.exp(lr) * (4 - lr)) / lr**3, axis=1))
    g = -0.5j * k
    v = np.fft.fft(u)
    for _ in range(steps):
        nv = g * np.fft.fft(np.real(np.fft.ifft(v)) ** 2)
        a = e2 * v + q * nv
        na = g * np.fft.fft(np.real(np.fft.ifft(a)) ** 2)
        b = e2 * v + q * na
        nb = g * np.fft.fft(np.real(np.fft.ifft(b)) ** 2)
        c = e2 * a + q * (2 * nb - nv)
        nc = g * np.fft.fft(np.real(np.fft.ifft(c)) ** 2)
        v = e * v + nv * f1 + 2 * (na + nb) * f2 + nc * f3
    return np.mean(np.real(np.fft.ifft(v)) ** 2)


def split_step_schroedinger(psi0, potential, steps):
    """Nonlinear Schroedinger equation, Strang's splitting."""
    n, dt = psi0.shape[0], 0.02
    k = 2 * np.pi * np.fft.fftfreq(n, 10.0 / n)
    kinetic = np.exp(-0.5j * dt * k**2)
    psi = psi0.astype(complex)
    for _ in range(steps):
        psi *= np.exp(-0.5j * dt * (potential + np.abs(psi) ** 2))
        psi = np.fft.ifft(kinetic * np.fft.fft(psi))
        psi *= np.exp(-0.5j * dt * (potential + np.abs(psi) ** 2))
    return np.sum(np.abs(psi) ** 2 * np.linspace(-5, 5, n) ** 2)


def burgers_dealiased(u, nu, steps):
    """Viscous Burgers equation; the upper third of the frequencies is cut off."""
    n, dt = len(u), 0.01
    k = np.fft.rfftfreq(n, 1 / n)
    keeps = k <= n / 3
    uh = np.fft.rfft(u)
    for _ in range(steps):
        speed = np.fft.irfft(np.where(keeps, uh, 0), n)
        slope = np.fft.irfft(np.where(keeps, 1j * k * uh, 0), n)
        uh = (uh - dt * np.fft.rfft(speed * slope)) / (1 + dt * nu * k**2)
    return np.sum(np.abs(uh) ** 2) / n


def navier_stokes_vorticity(w0, steps):
    """Two-dimensional turbulence by vorticity and stream function, Crank-Nicolson for the viscous term."""
    n, nu, dt = w0.shape[0], 1e-2, 0.01
    k = np.fft.fftfreq(n, 1 / n)
    kx, ky = np.meshgrid(k, k, indexing="ij")
    k2 = kx**2 + ky**2
    inverse = 1.0 / np.where(k2 == 0, 1.0, k2)
    inverse[0, 0] = 0.0
    mask = (np.abs(kx) < n / 3) & (np.abs(ky) < n / 3)
    w = np.fft.fft2(w0)
    for _ in range(steps):
        stream = w * inverse
        u = np.fft.ifft2(1j * ky * stream).real
        v = np.fft.ifft2(-1j * kx * stream).real
        wx = np.fft.ifft2(1j * kx * w).real
        wy = np.fft.ifft2(1j * ky * w).real
        advection = np.fft.fft2(u * wx + v * wy) * mask
        w = ((1 - 0.5 * dt * nu * k2) * w - dt * advection) / (1 + 0.5 * dt * nu * k2)
    return 0.5 * np.sum(np.abs(w) ** 2 * inverse) / n**4


def cahn_hilliard(c, steps):
    """Phase separation, semi-implicit."""
    n, m = c.shape
    kx, ky = 2 * np.pi * np.fft.fftfreq(n)[:, None], 2 * np.pi * np.fft.rfftfreq(m)[None, :]
    k2 = kx**2 + ky**2
    for _ in range(steps):
        g = np.fft.rfft2(c**3 - c)
        c = np.fft.irfft2((np.fft.rfft2(c) - 0.1 * k2 * g) / (1 + 0.05 * k2**2), s=(n, m))
    return np.mean(c**4)


def poisson_periodic(rho):
    """Potential and field energy of a periodic density in three dimensions."""
    k = [2 * np.pi * np.fft.fftfreq(n) for n in rho.shape]
    k2 = k[0][:, None, None] ** 2 + k[1][None, :, None] ** 2 + k[2][None, None, :] ** 2
    green = np.zeros(rho.shape)
    green[k2 > 0] = 1.0 / k2[k2 > 0]
    phi = np.fft.ifftn(np.fft.fftn(rho) * green).real
    return 0.5 * np.sum(rho * phi)


def wiener_deconvolution(image, kernel, noise):
    """An image sharpened in frequency space."""
    padded = np.zeros_like(image)
    padded[: kernel.shape[0], : kernel.shape[1]] = kernel
    h, y = np.fft.fft2(padded), np.fft.fft2(image)
    x = np.real(np.fft.ifft2(np.conj(h) * y / (np.abs(h) ** 2 + noise)))
    return np.sum((x - image) ** 2)


def phase_retrieval(amplitude, phase, measured):
    """Error of the far field's intensity of an object with a margin (Fienup 1982)."""
    field = amplitude * np.exp(1j * phase)
    far = np.fft.fftshift(np.fft.fft2(field, s=measured.shape, norm="ortho"))
    return np.sum((np.abs(far) ** 2 - measured) ** 2)


def angular_spectrum(phase, distance):
    """Light behind a phase mask, propagated as plane waves (Goodman, Fourier Optics)."""
    n, wavelength = phase.shape[0], 0.6
    f = np.fft.fftfreq(n, 0.5)
    under = 1 / wavelength**2 - f[:, None] ** 2 - f[None, :] ** 2
    transfer = np.exp(2j * np.pi * distance * np.sqrt(under + 0j))
    field = np.fft.ifft2(np.fft.fft2(np.exp(1j * phase)) * transfer)
    intensity = np.abs(field) ** 2
    return intensity[n // 2, n // 2] + np.sum(intensity[:2] ** 2)


def spectrogram_loss(signal, window, target):
    """Short-time Fourier transforms, compared by their logarithms."""
    total = 0.0
    for start in range(0, len(signal) - len(window) + 1, 4):
        spectrum = np.fft.rfft(signal[start : start + len(window)] * window)
        total += np.sum((np.log(np.abs(spectrum) ** 2 + 1e-3) - target) ** 2)
    return total


def correlation_delay(a, b):
    """Soft estimate of the delay of one signal behind another (GCC-PHAT)."""
    n = 2 * len(a)
    cross = np.fft.rfft(a, n) * np.conj(np.fft.rfft(b, n))
    correlation = np.fft.irfft(cross / (np.abs(cross) + 1e-2), n)
    weights = np.exp(4 * correlation) / np.sum(np.exp(4 * correlation))
    return np.sum(weights * np.fft.fftfreq(n, 1 / n) ** 2)


def stockham(x, y):
    """A transform written as a program of its own: butterflies between halves."""
    z = x + 1j * y
    n, half, stride = len(x), len(x) // 2, 1
    while half >= 1:
        w = np.exp(-1j * np.pi * np.arange(half) / half)[:, None]
        pairs = z.reshape(2, half, stride)
        z = np.stack([pairs[0] + pairs[1], (pairs[0] - pairs[1]) * w], axis=1).reshape(n)
        half, stride = half // 2, stride * 2
    return np.sum(np.abs(z) ** 2 * np.arange(n))


def envelope(x):
    """The amplitude of an analytic signal (Hilbert's transform)."""
    n = len(x)
    h = np.zeros(n)
    h[0] = h[n // 2] = 1
    h[1 : n // 2] = 2
    analytic = np.fft.ifft(np.fft.fft(x) * h)
    frequency = np.angle(analytic[1:] * np.conj(analytic[:-1]))
    return np.sum(np.abs(analytic) * np.arange(n)) + np.sum(frequency**2)


def continued_filter(y, b, a):
    """A difference equation goes on where a signal has ended; the leading coefficient is exactly 1."""
    from scipy import signal

    return np.sum(signal.lfiltic(b, a, y[-3:][::-1], y[:2]) * [1.0, 0.3, 0.7]) + np.sum(signal.lfiltic(b, a, [y[0]]))


def banks_of_filters(x):
    total, bands = 0.0, np.linspace(0, 1, 4)[1:-1]
    for band in bands[bands < 0.9]:
        sections = butter(2, [band / 1.1, band * 1.1], "bandpass", output="sos")
        _, response = sosfreqz(sections, worN=len(x))
        total += np.sum(np.abs(response * x) ** 2) + np.sum(sosfilt(sections, x) ** 2)
    return total


def lengths_that_are_fast(x):
    lengths = [int(next_fast_len(i)) for i in np.asarray(np.abs(x[:2]) * 4 + 12, dtype=int)]
    return np.sum(np.abs(np.fft.fft(x, lengths[0])) ** 3) + np.sum(np.full(lengths[1], x[3]))


CASES = (
    row(lengths_that_are_fast, lambda: (normal(1, 12),), "x"),
    row(banks_of_filters, lambda: (normal(1, 12),), "x"),
    row(continued_filter, lambda: (normal(1, 6), normal(2, 3), np.array([1.0, 0.3, -0.2, 0.1])), "y, b, a"),
    row(korteweg_de_vries, lambda: (normal(1, 16), 3), "u"),
    row(kuramoto_sivashinsky, lambda: (normal(1, 16), 2), "u"),
    row(split_step_schroedinger, lambda: (uniform(1, 12), normal(2, 12), 3), "psi0, potential"),
    row(burgers_dealiased, lambda: (normal(1, 18), 0.1, 3), "u, nu"),
    row(navier_stokes_vorticity, lambda: (normal(1, 6, 6), 2), "w0"),
    row(cahn_hilliard, lambda: (0.3 * normal(1, 5, 6), 3), "c"),
    row(poisson_periodic, lambda: (normal(1, 3, 4, 5),), "rho"),
    row(wiener_deconvolution, lambda: (normal(1, 6, 7), uniform(2, 2, 3), 0.3), "image, kernel, noise"),
    row(phase_retrieval, lambda: (uniform(1, 4, 4), normal(2, 4, 4), uniform(3, 6, 8)), "amplitude, phase, measured"),
    row(angular_spectrum, lambda: (normal(1, 6, 6), 0.7), "phase, distance"),
    row(spectrogram_loss, lambda: (normal(1, 20), uniform(2, 8), normal(3, 5)), "signal, window, target"),
    row(correlation_delay, lambda: (normal(1, 9), normal(2, 9)), "a, b"),
    row(stockham, lambda: (normal(1, 16), normal(2, 16)), "x, y"),
    row(envelope, lambda: (normal(1, 20),), "x"),
)
