"""Layers of neural networks: images are (number, height, width, channels), weights (height, width, from, to)."""

import numpy as np


def relu(x):
    return np.maximum(x, 0)


def softmax(x):
    raised = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return raised / np.sum(raised, axis=-1, keepdims=True)


def convolve(images, weights):
    number, height, width, _ = images.shape
    size, _, _, channels = weights.shape
    result = np.empty((number, height - size + 1, width - size + 1, channels), dtype=images.dtype)
    for i in range(height - size + 1):
        for j in range(width - size + 1):
            window = images[:, i : i + size, j : j + size, :, np.newaxis]
            result[:, i, j] = np.sum(window * weights, axis=(1, 2, 3))
    return result


def halve(images):
    number, height, width, channels = images.shape
    result = np.empty((number, height // 2, width // 2, channels), dtype=images.dtype)
    for i in range(height // 2):
        for j in range(width // 2):
            result[:, i, j] = np.max(images[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2], axis=(1, 2))
    return result


def standardise(x):
    centred = x - np.mean(x, axis=0)
    return centred / np.sqrt(np.std(x, axis=0) + 1e-5)


def random_weights(rng, *shape):
    """Normal, such that a layer's output is about as large as its input (He et al. 2015)."""
    inputs = np.prod(shape[:-1])
    return rng.standard_normal(shape, dtype=np.float32) * np.float32(np.sqrt(2.0 / inputs))
