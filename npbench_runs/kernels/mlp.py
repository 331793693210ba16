"""A perceptron with three dense layers and softmax at the end."""

import numpy as np

from npbench_runs.kernels._layers import random_weights, relu, softmax

SIZES = {
    "tiny": {"C_in": 3, "N": 4, "S0": 5, "S1": 4, "S2": 3},
    "S": {"C_in": 3, "N": 8, "S0": 30000, "S1": 2000, "S2": 2000},
    "M": {"C_in": 3, "N": 8, "S0": 30000, "S1": 10000, "S2": 10000},
    "L": {"C_in": 3, "N": 8, "S0": 30000, "S1": 30000, "S2": 30000},
    "paper": {"C_in": 3, "N": 8, "S0": 30000, "S1": 10000, "S2": 1000},
}
OUTPUT = None


def initialise(C_in, N, S0, S1, S2):
    rng = np.random.default_rng(42)
    parameters = []
    for shape in (C_in, S0), (S0, S1), (S1, S2):
        parameters += [random_weights(rng, *shape), 0.1 * rng.random(shape[-1], dtype=np.float32)]
    return rng.random((N, C_in), dtype=np.float32), *parameters


def kernel(input, w1, b1, w2, b2, w3, b3):
    x = relu(input @ w1 + b1)
    x = relu(x @ w2 + b2)
    return softmax(x @ w3 + b3)
