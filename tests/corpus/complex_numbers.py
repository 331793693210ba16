"""Programs on complex numbers: views of parts, updates in place, loops, branches, masks, lists, small matrices."""

from __future__ import annotations

import cmath

import numpy as np

from tests.corpus.case import row

FOURIER = np.exp(-2j * np.pi * np.outer(np.arange(5), np.arange(5)) / 5) * (1 + np.arange(5))
PLACES = np.array([0, 2])
SIGMA_X = np.array([[0, 1], [1, 0]], dtype=complex)
SIGMA_Y = np.array([[0, -1j], [1j, 0]])
SIGMA_Z = np.diag([1.0, -1.0]).astype(complex)


def carried_by_a_loop(x, y):
    z, total = x + 1j * y, 0.0
    for k in range(3):
        z = z * z / 4 + x
        total = total + z[k]
    return np.abs(total)


def parts_are_views(x, y):
    z = np.zeros(5, dtype=complex)
    z.real = x
    z.imag[1:] = y[1:]
    real = z.real
    real *= 2.0
    every_other = z[::2]
    every_other += 1j * z[1:4]
    return np.sum(np.abs(z) ** 2 * np.arange(5))


def swapped_in_a_loop(x, y):
    a, b = x + 1j * y, y - 2j * x
    for _ in range(3):
        a, b = b, a * b * 0.3
    return np.sum(a.real * b.imag)


def chosen_by_a_branch(x, y):
    z = x[0] + 1j * y[0]
    if abs(z) > 0.5:
        z = z * z
    else:
        z = 2.0 * x[1]
    w = np.conj(z) if x[0] > 0 else z
    return (w * z * 1j + w).real


def arrays_chosen_by_an_expression(x, y):
    z = x + 1j * y
    w = np.exp(z) if y[1] > x[1] else z * 2
    return np.sum((w * z).imag) + (z[1] if x[0] > y[0] else 1j).imag


def real_on_one_side_of_a_branch(x, y):
    total = 0
    for k in range(5):
        if x[k] > 0:
            total = total + y[k] * 1j
        else:
            total = total + x[k]
    return abs(total)


def iterated_under_a_mask(x, y):
    c = x + 1j * y
    z, count = np.zeros_like(c), np.zeros(c.shape)
    for _ in range(6):
        mask = np.abs(z) <= 2.0
        z[mask] = z[mask] ** 2 + c[mask]
        count[mask] += 1
    return np.sum(z.real * count) + np.sum(z.imag)


def escape_time(x, y):
    c, z, count = complex(x[0], y[0]), 0j, 0
    while abs(z) < 3.0 and count < 10:
        z = z * z + c
        count += 1
    return abs(z)


def updates_in_place(x, y):
    z = x + 1j * y
    z[1:] -= z[:-1]
    z *= np.conj(z[::-1])
    z /= 2 + x
    z **= 2
    z[0] = 1 + 2j
    z[1] += x[2]
    z[PLACES] *= 1j
    return np.sum((z * np.arange(1, 6)).imag)


def outputs_given(x, y):
    z = x + 1j * y
    np.multiply(z, 1j, out=z)
    np.exp(z, out=z)
    w = np.empty_like(z)
    np.add(z, x, out=w)
    np.conjugate(w, out=w)
    return np.sum((w * z).real * np.arange(5))


def functions_and_containers(x, y):
    def both(z, factor=1j):
        return factor * z, z.conj()

    p, q = both(x + 1j * y)
    items = [p, q, p * q]
    named = {"last": items[2]}
    return sum([v.sum() for v in items]).real + named["last"].imag[2]


def rows_of_a_matrix(x, y):
    a, total = np.outer(x, y) + 1j * np.outer(y, x), 0
    for each in a:
        total += each @ each.conj() * 1j + each[0]
    for k, v in enumerate(a[0]):
        total += k * v
    return total.imag + total.real


def history_in_a_list(x, y):
    history, z = [], x + 1j * y
    for _ in range(4):
        z = z * (0.5 + 0.2j)
        history.append(z)
    return np.sum(np.abs(np.array(history)) ** 2) + np.sum(np.stack(history).imag)


def history_in_an_array(x, y):
    h = np.zeros((4, 5), dtype=np.complex128)
    h[0] = x
    for t in range(3):
        h[t + 1] = h[t] * np.exp(1j * y) + t
    return np.sum(h.real * h.imag)


def joined_in_lists(x, y):
    z = np.exp(1j * x) * y
    first, second, third = (z,) + tuple([part * (1j * y) for part in (z, x)])  # noqa: RUF005
    pair = [z] * 2 + [third]
    pair += [second]
    return np.sum(np.abs(first + 2.0 * second) ** 2) + np.sum(pair[1].real * pair[2].imag) * len(pair)


def scattered(x, y):
    z, places = np.zeros(4, complex), np.array([0, 1, 1, 3, 0])
    np.add.at(z, places, x * 1j + y)
    z[places] += x
    return np.abs(z).sum()


def sums_and_products_of_numbers(x, y):
    total, product = 0j, 1.0
    for k in range(5):
        total += x[k] * np.exp(1j * y[k])
        product *= x[k] + 1j * y[k]
    return abs(total) + product.imag


def two_names_of_one_array(x, y):
    z = x + 1j * y
    w, imaginary = z, z.imag
    z[2:] *= 2j
    u = z.copy()
    u[0] = 0
    return np.sum(w.real * imaginary) + np.sum(u.real * w.real)


def values_made_before_a_write(x, y):
    z = x + 1j * y
    w, v = 1j * z, z.conj()
    z[0] = 7
    z.real[1:] = z.imag[1:]
    v[2] = 0
    return np.sum(w.real * np.arange(5)) + np.sum((z * w * v).imag)


def slices_overlap(x, y):
    z = np.zeros((2, 5), complex)
    z[0] = x
    z[1].imag = y
    turned = z.T
    turned[2] = [1j, 2]
    z[:, 1:4] = z[:, 0:3]
    return np.sum((z[0] * z[1] * np.arange(5)).imag)


def reshaped_views(x, y):
    z = x + 1j * y
    column = z.reshape(5, 1)
    column *= 2j
    line = z[None]
    line[0, 1:3] += z[2:4]
    return np.sum(np.abs(z) ** 2 * np.arange(5)) + z[1].imag


def parts_are_apart_in_memory(x, y):
    """A part's elements do not follow each other: `ravel` copies a part, and not the whole."""
    z = np.zeros((2, 5), dtype=complex)
    z[0], z[1] = x, 1j * y
    alone, whole = z.real.ravel(), z.ravel()
    alone += 5.0 * x[0]
    whole[3] *= 2.0
    column = z.imag.reshape(10, 1)
    column[7] += y[1]
    return np.sum(np.abs(z) ** 2 * np.arange(5)) + np.sum(alone)


def names_and_views_in_a_loop(x, y):
    z = x + 1j * y
    for k in range(4):
        w = z
        z = z[::-1] * 1j
        w[k] = w[k + 1]
        z[0] += w[1]
    return np.sum((z * np.arange(5)).real)


def elements_are_numbers(x, y):
    z = x + 1j * y
    a = z[1]
    z[1] = a * a
    b = z[1]
    z[1] -= 3 * a
    return (a * b * z[1]).imag


def written_by_a_function(x, y):
    def shifted(q):
        q[0] = q[1] * 2
        return q.sum()

    z = x + 1j * y
    total = shifted(z) + shifted(z[1:])
    return (total * z[0]).imag


def broken_off(x, y):
    z, count = x + 1j * y, 0
    for k in range(5):
        z, count = z * z * 0.5, k
        if np.abs(z).max() < 0.05:
            break
    return np.sum(z.real) + count


def slots_of_containers(x, y):
    state, items = {"psi": x + 1j * y}, [x * 1j, y * 1.0]
    for k in range(3):
        state["psi"] = state["psi"] * np.exp(1j * y)
        state["psi"][k] *= 0.5
    for _ in range(2):
        items[0] = items[0] + items[1] * 1j
    return np.sum(state["psi"].imag) + np.sum(np.abs(items[0]))


def constant_matrix(x, y):
    return np.sum(np.abs(FOURIER @ (x + 1j * y)) ** 2) + (FOURIER[0] * x).imag.sum() + (FOURIER[1, 2] * x[0]).real


def modulus_of_zero(x, y):
    z = (x - x) + 0j * y
    return np.sum(np.abs(z) ** 2) + np.sum(np.abs(z)) + np.sum(x * y)


def contour_integral(x, y):
    a, p = np.outer(x, y) + np.eye(5) * (2 + 1j), np.zeros((5, 5), complex)
    for z in (1j, 1 + 2j, -0.5j):
        t = a * z - np.outer(y, y)
        p += np.linalg.inv(t) @ a
        p[0] += np.linalg.solve(t, x + 0j)
    return np.sum(np.abs(p))


def self_energies(x, y):
    green = np.zeros((3, 2, 2), complex)
    for i in range(3):
        for a in range(2):
            for b in range(2):
                green[i, a, b] = x[a + i] * y[b] + 1j * (a - b) * x[i]
    sigma = np.zeros((2, 2), complex)
    for i in range(3):
        sigma += green[i] @ np.conj(green[i].T) * 0.1
        sigma[0, 0] += green[i, 1, 1] * 1j
    return np.abs(sigma).sum()


def roots_of_real_numbers(x, y):
    z = np.where(x > 0, np.sqrt(x + 0j), 1j * y)
    z = np.where(np.abs(z) > 10, 1 / z, z)
    return np.sum(np.angle(z) + np.abs(z)) + cmath.sqrt(x[1]).imag + cmath.phase(z[0] * z[2])


def frequency_response(x, y):
    omega = np.linspace(0.1, 3.0, 7)
    s = 1j * omega
    resonance = 1.0 / (s * s + np.abs(x[0]) * s + 1.0 + y[0] ** 2)
    low = np.abs(resonance * (1.0 + s * y[1]) / (1.0 + s * np.abs(x[2])))
    return np.sum(20.0 * np.log10(low))


def thin_film(x, y):
    """Reflection of light by layers: characteristic matrices (Macleod)."""
    total = 0.0
    for wavelength in (0.4, 0.55, 0.7):
        m = np.eye(2, dtype=complex)
        for k in range(3):
            index = 1.5 + 0.1 * x[k] - 0.01j
            phase = 2 * np.pi * index * (0.1 + 0.02 * y[k]) / wavelength
            layer = np.array([[np.cos(phase), 1j * np.sin(phase) / index], [1j * index * np.sin(phase), np.cos(phase)]])
            m = m @ layer
        b, c = m @ np.array([1.0, 1.52])
        r = (b - c) / (b + c)
        total += np.abs(r) ** 2
    return total


def qubit_rotations(x, y):
    """A parametrised circuit of one qubit, and what is measured of it."""
    psi = np.array([1.0, 0.0], dtype=complex)
    for k in range(5):
        turn = np.cos(x[k] / 2) * np.eye(2) - 1j * np.sin(x[k] / 2) * (SIGMA_X + k * SIGMA_Y) / np.sqrt(1.0 + k * k)
        phase = np.diag(np.exp(1j * np.array([-1.0, 1.0]) * y[k] / 2))
        psi = phase @ (turn @ psi)
    return np.vdot(psi, SIGMA_Z @ psi).real + np.vdot(psi, SIGMA_X @ psi).real


def two_level_master_equation(x, y):
    """A driven and damped two-level system by Runge-Kutta steps of its density matrix (Lindblad)."""
    lower = np.array([[0, 1], [0, 0]], dtype=complex)

    def slope(rho):
        h = 0.5 * (x[0] * SIGMA_X + y[0] * SIGMA_Z)
        gain = lower @ rho @ lower.conj().T
        loss = lower.conj().T @ lower
        return -1j * (h @ rho - rho @ h) + np.abs(x[1]) * (gain - 0.5 * (loss @ rho + rho @ loss))

    rho = np.array([[0.2, 0.1j], [-0.1j, 0.8]])
    for _ in range(4):
        k1 = slope(rho)
        k2 = slope(rho + 0.05 * k1)
        k3 = slope(rho + 0.05 * k2)
        k4 = slope(rho + 0.1 * k3)
        rho = rho + 0.1 / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return np.trace(rho @ SIGMA_Z).real + np.abs(rho[0, 1]) ** 2


def beamformer(x, y):
    """Power of an array of antennas in some directions."""
    angles = np.linspace(-1.0, 1.0, 6)
    steering = np.exp(-1j * np.pi * np.outer(np.sin(angles), np.arange(5)))
    weights = x * np.exp(1j * y)
    power = np.abs(steering @ weights) ** 2
    return np.einsum("i,i->", power, np.cos(angles)) / np.vdot(weights, weights).real


def _operands() -> tuple[np.ndarray, np.ndarray]:
    return np.array([0.3, -0.7, 0.9, 0.4, -0.2]), np.array([0.8, 0.5, -0.6, 0.2, 1.1])


def on_the_axes(x, y):
    z = x + 1j * y
    return np.sum(np.sqrt(z).real) + np.sum(np.arcsin(1.0 - z).imag) + np.sum(np.arccosh(z).real)


CASES = [
    row(function, _operands, "x, y")
    for function in (
        carried_by_a_loop,
        joined_in_lists,
        parts_are_views,
        swapped_in_a_loop,
        chosen_by_a_branch,
        arrays_chosen_by_an_expression,
        real_on_one_side_of_a_branch,
        iterated_under_a_mask,
        escape_time,
        updates_in_place,
        outputs_given,
        functions_and_containers,
        rows_of_a_matrix,
        history_in_a_list,
        history_in_an_array,
        scattered,
        sums_and_products_of_numbers,
        two_names_of_one_array,
        values_made_before_a_write,
        slices_overlap,
        reshaped_views,
        parts_are_apart_in_memory,
        names_and_views_in_a_loop,
        elements_are_numbers,
        written_by_a_function,
        broken_off,
        slots_of_containers,
        constant_matrix,
        modulus_of_zero,
        contour_integral,
        self_energies,
        roots_of_real_numbers,
        frequency_response,
        thin_film,
        qubit_rotations,
        two_level_master_equation,
        beamformer,
    )
]


def beyond_the_real_domain(x, y):
    total = np.sum(np.abs(np.emath.sqrt(x) * y)) + np.sum(np.abs(np.emath.arccos(3.0 * x)))
    total += np.sum(np.abs(np.emath.arctanh(2.1 * y))) + np.sum(np.emath.log(x * x + 1.0)) + np.emath.power(2.0, x[1])
    a, b = np.broadcast_arrays((x + 1j * y)[:, None], y)
    return total + np.sum(np.abs(np.emath.arcsin(a) * b) ** 2) + abs(cmath.asin(a[0, 0]) * cmath.atanh(a[1, 1]))


CASES.append(row(beyond_the_real_domain, lambda: (np.array([0.3, 0.7, -0.4]), np.array([0.5, -0.2, 0.8])), "x, y"))
CASES.append(row(on_the_axes, lambda: (np.array([0.0, 0.5, -0.7, 0.0]), np.array([0.8, -0.6, 1.1, -0.4])), "x, y"))


def at_one_frequency(a, omega):
    point = np.asarray(omega)
    response = np.linalg.solve(point * np.eye(2) - a, np.ones(2)) if point.ndim == 0 else np.ones(2)
    return np.sum(np.abs(response) ** 2)


CASES.append(row(at_one_frequency, lambda: (np.array([[0.3, 1.0], [-1.0, -0.5]]), 1.5j), "a"))
