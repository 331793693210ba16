"""Image and signal processing: filters, morphology, transforms, by slices and by loops."""

from __future__ import annotations

import numpy as np

from tests.corpus.case import normal, row, spread, uniform


def sobel(image):
    """Gradient magnitude by slices."""
    gx = image[:-2, 2:] + 2 * image[1:-1, 2:] + image[2:, 2:] - image[:-2, :-2] - 2 * image[1:-1, :-2] - image[2:, :-2]
    gy = image[2:, :-2] + 2 * image[2:, 1:-1] + image[2:, 2:] - image[:-2, :-2] - 2 * image[:-2, 1:-1] - image[:-2, 2:]
    edges = np.zeros_like(image)
    edges[1:-1, 1:-1] = np.sqrt(gx**2 + gy**2 + 1e-3)
    return np.sum(edges)


def convolve_by_loops(image, kernel):
    """Valid convolution, four loops."""
    height, width = image.shape
    size = kernel.shape[0]
    out = np.zeros((height - size + 1, width - size + 1))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            for di in range(size):
                for dj in range(size):
                    out[i, j] += image[i + di, j + dj] * kernel[size - 1 - di, size - 1 - dj]
    return np.sum(out**2)


def convolve_by_windows(image, kernel):
    """Same-size convolution on a padded image, one window at a time."""
    k = kernel.shape[0] // 2
    padded = np.zeros((image.shape[0] + 2 * k, image.shape[1] + 2 * k))
    padded[k:-k, k:-k] = image
    out = np.empty(image.shape)
    for y in range(image.shape[0]):
        for x in range(image.shape[1]):
            window = padded[y : y + 2 * k + 1, x : x + 2 * k + 1]
            out[y, x] = np.sum(window * kernel)
    return np.sum(out * out)


def convolve_channels(images, weights, bias):
    """A convolution layer: batch, height, width, channels."""
    K = weights.shape[0]
    N, H, W, _ = images.shape
    out = np.empty((N, H - K + 1, W - K + 1, weights.shape[3]))
    for i in range(out.shape[1]):
        for j in range(out.shape[2]):
            patch = images[:, i : i + K, j : j + K, :, np.newaxis]
            out[:, i, j, :] = np.sum(patch * weights[np.newaxis, :, :, :], axis=(1, 2, 3))
    return np.sum(np.maximum(out + bias, 0.0) ** 2)


def max_pooling(image):
    """Two by two, stride two, by loops."""
    out = np.empty((image.shape[0] // 2, image.shape[1] // 2))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = np.max(image[2 * i : 2 * i + 2, 2 * j : 2 * j + 2])
    return np.sum(out**2)


def pooling_by_reshape(image):
    """Two by two means and maxima of blocks."""
    h, w = image.shape
    blocks = image.reshape(h // 2, 2, w // 2, 2)
    return np.sum(blocks.max(axis=(1, 3)) ** 2) + np.sum(blocks.mean(axis=(1, 3)) ** 3)


def bilateral_filter(image, sigma_space, sigma_range):
    """Weights by distance and by difference of intensity."""
    radius = 1
    h, w = image.shape
    out = np.zeros((h, w))
    for y in range(radius, h - radius):
        for x in range(radius, w - radius):
            weight_sum = 0.0
            value = 0.0
            for dy in range(-radius, radius + 1):
                for dx in range(-radius, radius + 1):
                    near = np.exp(-(dx**2 + dy**2) / (2 * sigma_space**2))
                    alike = np.exp(-((image[y + dy, x + dx] - image[y, x]) ** 2) / (2 * sigma_range**2))
                    weight_sum += near * alike
                    value += near * alike * image[y + dy, x + dx]
            out[y, x] = value / weight_sum
    return np.sum(out**2)


def gaussian_blur_separable(image, sigma):
    """Rows, then columns, with a kernel computed from sigma."""
    offsets = np.arange(-2, 3)
    kernel = np.exp(-(offsets**2) / (2.0 * sigma**2))
    kernel = kernel / kernel.sum()
    padded = np.zeros((image.shape[0] + 4, image.shape[1] + 4))
    padded[2:-2, 2:-2] = image
    rows = np.zeros_like(padded)
    for k in range(5):
        rows[:, 2:-2] += kernel[k] * padded[:, k : k + image.shape[1]]
    out = np.zeros_like(image)
    for k in range(5):
        out += kernel[k] * rows[k : k + image.shape[0], 2:-2]
    return np.sum((out - image) ** 2)


def total_variation_denoising(noisy, weight, steps):
    """Gradient flow of smoothed total variation."""
    u = noisy.copy()
    for _ in range(steps):
        dx = np.zeros_like(u)
        dy = np.zeros_like(u)
        dx[:, :-1] = u[:, 1:] - u[:, :-1]
        dy[:-1, :] = u[1:, :] - u[:-1, :]
        norm = np.sqrt(dx**2 + dy**2 + 0.05)
        px, py = dx / norm, dy / norm
        divergence = px.copy()
        divergence[:, 1:] -= px[:, :-1]
        divergence += py
        divergence[1:, :] -= py[:-1, :]
        u = u + 0.1 * (weight * divergence - (u - noisy))
    return np.sum((u - noisy) ** 2) + np.sum(u**3)


def perona_malik(image, kappa, steps):
    """Anisotropic diffusion with four directional differences in a list."""
    for _ in range(steps):
        centre = image[1:-1, 1:-1]
        differences = [
            image[:-2, 1:-1] - centre,
            image[2:, 1:-1] - centre,
            image[1:-1, :-2] - centre,
            image[1:-1, 2:] - centre,
        ]
        image = image.copy()
        image[1:-1, 1:-1] = centre + 0.2 * sum(d * np.exp(-((d / kappa) ** 2)) for d in differences)
    return np.sum(image**2)


def bilinear_warp(image, shift_y, shift_x):
    """Shift by fractions of a pixel; the integer parts index, the fractions weigh."""
    h, w = image.shape
    out = np.zeros((h - 2, w - 2))
    for i in range(h - 2):
        for j in range(w - 2):
            y = i + shift_y
            x = j + shift_x
            y0 = int(np.floor(y))
            x0 = int(np.floor(x))
            fy, fx = y - y0, x - x0
            top = (1 - fx) * image[y0, x0] + fx * image[y0, x0 + 1]
            bottom = (1 - fx) * image[y0 + 1, x0] + fx * image[y0 + 1, x0 + 1]
            out[i, j] = (1 - fy) * top + fy * bottom
    return np.sum(out**2)


def harris_corners(image, k):
    """Structure tensor, box-summed, and its response."""
    ix = 0.5 * (image[1:-1, 2:] - image[1:-1, :-2])
    iy = 0.5 * (image[2:, 1:-1] - image[:-2, 1:-1])

    def box(a):
        s = np.zeros((a.shape[0] - 2, a.shape[1] - 2))
        for i in range(3):
            for j in range(3):
                s += a[i : i + s.shape[0], j : j + s.shape[1]]
        return s

    sxx, syy, sxy = box(ix * ix), box(iy * iy), box(ix * iy)
    response = sxx * syy - sxy**2 - k * (sxx + syy) ** 2
    return np.sum(response)


def gamma_and_contrast(image, gamma, low, high):
    """Stretch, clip, gamma curve, luminance of three channels."""
    stretched = np.clip((image - low) / (high - low), 0.02, 0.98)
    luminance = stretched**gamma @ np.array([0.299, 0.587, 0.114])
    return np.var(luminance) + np.mean(luminance)


def recursive_filter(signal, a, b):
    """Forward and backward exponential smoothing of every row."""
    out = np.empty_like(signal)
    back = np.empty_like(signal)
    out[:, 0] = b * signal[:, 0]
    for j in range(1, signal.shape[1]):
        out[:, j] = b * signal[:, j] + a * out[:, j - 1]
    back[:, -1] = out[:, -1]
    for j in range(signal.shape[1] - 2, -1, -1):
        back[:, j] = b * out[:, j] + a * back[:, j + 1]
    return np.sum(back**2)


def discrete_cosine(signal, quantum):
    """A cosine transform by a double loop, soft thresholding, and back."""
    n = len(signal)
    coefficients = np.zeros(n)
    for k in range(n):
        for i in range(n):
            coefficients[k] += signal[i] * np.cos(np.pi * (2 * i + 1) * k / (2 * n))
    shrunk = np.sign(coefficients) * np.maximum(np.abs(coefficients) - quantum, 0.0)
    basis = np.cos(np.pi * np.outer(2 * np.arange(n) + 1, np.arange(n)) / (2 * n))
    return np.sum((basis @ shrunk - signal) ** 2)


def haar_wavelet(signal, levels):
    """In-place pyramid with sizes that halve."""
    n = len(signal)
    for level in range(levels):
        half = n // 2 ** (level + 1)
        even = signal[0 : 2 * half : 2].copy()
        odd = signal[1 : 2 * half : 2].copy()
        signal[:half] = (even + odd) / np.sqrt(2)
        signal[half : 2 * half] = (even - odd) / np.sqrt(2)
    return np.sum(signal**4)


def normalised_correlation(image, template):
    """Template matching score at every place."""
    th, tw = template.shape
    t = template - template.mean()
    scores = np.zeros((image.shape[0] - th + 1, image.shape[1] - tw + 1))
    for i in range(scores.shape[0]):
        for j in range(scores.shape[1]):
            patch = image[i : i + th, j : j + tw]
            p = patch - np.mean(patch)
            scores[i, j] = np.sum(p * t) / np.sqrt(np.sum(p**2) * np.sum(t**2))
    return np.sum(scores**2)


def soft_histogram(values, centres, width):
    """Counts with Gaussian bins, and their entropy."""
    membership = np.exp(-0.5 * ((values[:, None] - centres[None, :]) / width) ** 2)
    membership /= membership.sum(axis=1, keepdims=True)
    p = membership.mean(axis=0)
    return -np.sum(p * np.log(p))


def picture():
    return normal(1, 6, 6)


CASES = (
    row(sobel, lambda: (normal(1, 5, 6),), "image"),
    *(
        row(f, lambda: (normal(1, 5, 6), normal(2, 3, 3)), "image, kernel")
        for f in (convolve_by_loops, convolve_by_windows)
    ),
    row(
        convolve_channels,
        lambda: (normal(1, 2, 4, 5, 2), normal(2, 2, 2, 2, 3), normal(3, 3)),
        "images, weights, bias",
    ),
    *(row(f, lambda: (spread(1, 4, 6),), "image") for f in (max_pooling, pooling_by_reshape)),
    row(bilateral_filter, lambda: (normal(1, 4, 5), 1.2, 0.7), "image, sigma_space, sigma_range"),
    row(gaussian_blur_separable, lambda: (normal(1, 5, 6), 1.1), "image, sigma"),
    row(total_variation_denoising, lambda: (normal(1, 5, 5), 0.4, 3), "noisy, weight"),
    row(perona_malik, lambda: (normal(1, 5, 5), 1.3, 3), "image, kappa"),
    row(bilinear_warp, lambda: (normal(1, 5, 6), 0.3, 0.6), "image, shift_y, shift_x"),
    row(harris_corners, lambda: (picture(), 0.05), "image, k"),
    row(
        gamma_and_contrast, lambda: (uniform(1, 3, 4, 3, low=0.1, high=0.9), 1.8, 0.15, 0.8), "image, gamma, low, high"
    ),
    row(recursive_filter, lambda: (normal(1, 3, 6), 0.6, 0.4), "signal, a, b"),
    row(discrete_cosine, lambda: (normal(1, 7), 0.3), "signal, quantum"),
    row(haar_wavelet, lambda: (normal(1, 8), 3), "signal"),
    row(normalised_correlation, lambda: (normal(1, 5, 5), normal(2, 3, 3)), "image, template"),
    row(soft_histogram, lambda: (normal(1, 9), np.linspace(-1.5, 1.5, 4), 0.8), "values, centres, width"),
)
