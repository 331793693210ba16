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


def halve(images):
    number, height, width, channels = images.shape
    even = images[:, : height // 2 * 2, : width // 2 * 2]
    return even.reshape(number, height // 2, 2, width // 2, 2, channels).max(axis=(2, 4))


def standardise(x):
    centred = x - x.mean(axis=0)
    return centred / jnp.sqrt(x.std(axis=0) + 1e-5)
