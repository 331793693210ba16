"""Layers of neural networks; images are (number, height, width, channels), weights (height, width, from, to)."""

import jax
import jax.numpy as jnp
from jax import lax


def relu(x):
    return jnp.maximum(x, 0)


def softmax(x):
    return jax.nn.softmax(x)


def convolve(images, weights):
    return lax.conv_general_dilated(images, weights, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def convolve_as_product(images, weights):
    """The windows are the columns of a matrix: on CPUs faster than XLA's convolution where there are few channels."""
    size, _, _, channels = weights.shape
    number, height, width = images.shape[0], images.shape[1] - size + 1, images.shape[2] - size + 1
    windows = [images[:, i : i + height, j : j + width] for i in range(size) for j in range(size)]
    columns = jnp.stack(windows).transpose(0, 4, 1, 2, 3).reshape(-1, number * height * width)
    result = weights.reshape(-1, channels).T @ columns
    return result.reshape(channels, number, height, width).transpose(1, 2, 3, 0)


def halve(images):
    number, height, width, channels = images.shape
    even = images[:, : height // 2 * 2, : width // 2 * 2]
    return even.reshape(number, height // 2, 2, width // 2, 2, channels).max(axis=(2, 4))


def standardise(x):
    centred = x - x.mean(axis=0)
    return centred / jnp.sqrt(x.std(axis=0) + 1e-5)
