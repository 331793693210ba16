"""A convolutional layer: images and kernels with channels last, stride one, no padding, and a bias per channel."""

import numpy as np

from npbench_runs.kernels._layers import convolve

SIZES = {
    "tiny": {"N": 2, "C_in": 2, "C_out": 3, "K": 2, "H": 5, "W": 4},
    "S": {"N": 8, "C_in": 3, "C_out": 16, "K": 2, "H": 32, "W": 32},
    "M": {"N": 8, "C_in": 3, "C_out": 8, "K": 5, "H": 64, "W": 64},
    "L": {"N": 8, "C_in": 3, "C_out": 8, "K": 10, "H": 128, "W": 128},
    "paper": {"N": 8, "C_in": 3, "C_out": 16, "K": 20, "H": 256, "W": 256},
}
OUTPUT = None


def initialise(N, C_in, C_out, K, H, W):
    rng = np.random.default_rng(42)
    shapes = (N, H, W, C_in), (K, K, C_in, C_out), (C_out,)
    return tuple(rng.random(shape, dtype=np.float32) for shape in shapes)


def kernel(input, weights, bias):
    return convolve(input, weights) + bias
