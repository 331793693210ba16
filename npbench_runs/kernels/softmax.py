"""Softmax over the last axis of attention scores, the largest one subtracted before the exponential."""

import numpy as np

from npbench_runs.kernels import _layers

SIZES = {
    "tiny": {"N": 2, "H": 3, "SM": 4},
    "S": {"N": 16, "H": 16, "SM": 128},
    "M": {"N": 32, "H": 8, "SM": 256},
    "L": {"N": 64, "H": 16, "SM": 448},
    "paper": {"N": 64, "H": 16, "SM": 512},
}
OUTPUT = None


def initialise(N, H, SM):
    return (np.random.default_rng(42).random((N, H, SM, SM), dtype=np.float32),)


def kernel(x):
    return _layers.softmax(x)
