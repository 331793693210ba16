"""Sharpen a blurred, noisy photograph: least squares with smooth total variation.

The photograph is Grace Hopper's, which matplotlib ships. It is blurred with a Gaussian and disturbed with noise, then
recovered by minimising

    mean (blur(x) - seen)^2 + weight * mean sqrt(x_right^2 + x_down^2 + smoothing^2)

over every pixel of x: SciPy's L-BFGS-B with daad's gradient.

    python examples/deblur.py --picture deblurred.png
"""

import argparse

import matplotlib.cbook
import numpy as np
from scipy.optimize import minimize

import daad

SMOOTHING = 0.01  # differences well below this count quadratically: no kink at flat places


def load_photograph(stride=2):
    """Grey values from 0 to 1."""
    from PIL import Image

    with Image.open(matplotlib.cbook.get_sample_data("grace_hopper.jpg", asfileobj=False)) as image:
        grey = np.asarray(image.convert("L"), dtype=np.float64) / 255.0
    return np.ascontiguousarray(grey[::stride, ::stride])


def gaussian(radius, width):
    weights = np.exp(-0.5 * (np.arange(-radius, radius + 1) / width) ** 2)
    return weights / weights.sum()


def blur(image, kernel):
    """Rows, then columns; the result is smaller by the kernel's size less one each way."""
    rows, columns = image.shape[0] - kernel.size + 1, image.shape[1] - kernel.size + 1
    down = np.zeros((rows, image.shape[1]))
    for tap in range(kernel.size):
        down += kernel[tap] * image[tap : tap + rows, :]
    both = np.zeros((rows, columns))
    for tap in range(kernel.size):
        both += kernel[tap] * down[:, tap : tap + columns]
    return both


def objective(image, seen, kernel, weight):
    """How badly `image` explains what was seen, plus the price of its roughness."""
    residual = blur(image, kernel) - seen
    right = image[:-1, 1:] - image[:-1, :-1]
    down = image[1:, :-1] - image[:-1, :-1]
    return np.mean(residual**2) + weight * np.mean(np.sqrt(right**2 + down**2 + SMOOTHING**2))


def sharpen(seen, kernel, weight, iterations):
    """The image that minimises the objective."""
    radius = kernel.size // 2
    start = np.pad(seen, radius, mode="edge")
    fun, x0 = daad.grad(objective, wrt="image").as_scipy(start, seen, kernel, weight)
    options = {"maxiter": iterations, "ftol": 1e-12, "gtol": 1e-10}
    bounds = list(zip(fun.pack(0.0), fun.pack(1.0), strict=True))
    return fun.unpack(minimize(fun, x0, jac=True, method="L-BFGS-B", bounds=bounds, options=options).x)


def psnr(image, truth):
    """Peak signal to noise ratio in decibel."""
    return -10.0 * np.log10(np.mean((image - truth) ** 2))


def plot(truth, seen, sharp, path):
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, 3, figsize=(12, 5), layout="constrained")
    for axes, image, title in zip(
        panels, (truth, seen, sharp), ("original", "blurred, noisy", "recovered"), strict=True
    ):
        axes.imshow(image, cmap="gray", vmin=0.0, vmax=1.0)
        axes.set_title(title)
        axes.axis("off")
    figure.savefig(path, dpi=150)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--stride", type=int, default=2, help="take every n-th pixel of the photograph")
    parser.add_argument("--iterations", type=int, default=150)
    parser.add_argument("--weight", type=float, default=4e-4, help="price of roughness")
    parser.add_argument("--picture", help="write the three images to this file")
    options = parser.parse_args(arguments)

    truth = load_photograph(options.stride)
    kernel = gaussian(radius=5, width=1.8)
    seen = blur(truth, kernel) + 0.005 * np.random.default_rng(1978).standard_normal(blur(truth, kernel).shape)
    sharp = sharpen(seen, kernel, options.weight, options.iterations)[5:-5, 5:-5]
    truth = truth[5:-5, 5:-5]
    before, after = psnr(seen, truth), psnr(sharp, truth)
    print(f"{seen.shape[0]} x {seen.shape[1]} pixels: {before:.2f} dB blurred, {after:.2f} dB recovered")
    if options.picture:
        plot(truth, seen, sharp, options.picture)
    return {"before": before, "after": after}


if __name__ == "__main__":
    main()
