"""LeNet-5: two convolutions with maxima over 2 x 2 points, then three dense layers."""

import numpy as np

from npbench_runs.kernels._layers import convolve, halve, random_weights, relu

SIZES = {
    "tiny": {"N": 2, "H": 16, "W": 16},
    "S": {"N": 4, "H": 28, "W": 28},
    "M": {"N": 8, "H": 56, "W": 56},
    "L": {"N": 8, "H": 176, "W": 176},
    "paper": {"N": 16, "H": 256, "W": 256},
}
OUTPUT = None


def initialise(N, H, W):
    rng = np.random.default_rng(42)
    height, width = (((size - 4) // 2 - 4) // 2 for size in (H, W))
    features = 16 * height * width
    layers = (5, 5, 1, 6), (5, 5, 6, 16), (features, 120), (120, 84), (84, 10)
    parameters = []
    for shape in layers:
        parameters += [random_weights(rng, *shape), 0.1 * rng.random(shape[-1], dtype=np.float32)]
    return rng.random((N, H, W, 1), dtype=np.float32), *parameters, N, features


def kernel(input, conv1, conv1bias, conv2, conv2bias, fc1w, fc1b, fc2w, fc2b, fc3w, fc3b, N, C_before_fc1):
    x = halve(relu(convolve(input, conv1) + conv1bias))
    x = halve(relu(convolve(x, conv2) + conv2bias))
    x = x.reshape(N, C_before_fc1)
    x = relu(x @ fc1w + fc1b)
    x = relu(x @ fc2w + fc2b)
    return x @ fc3w + fc3b
