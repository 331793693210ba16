"""A bottleneck of a residual network: 1 x 1, 3 x 3 and 1 x 1 convolutions, standardised over the batch, and the input.

The images get a border of zeros before the 3 x 3 convolution, so that it leaves them as large as they were.
"""

import numpy as np

from npbench_runs.kernels._layers import convolve, random_weights, relu, standardise

SIZES = {
    "tiny": {"N": 2, "W": 4, "H": 4, "C1": 3, "C2": 2},
    "S": {"N": 8, "W": 14, "H": 14, "C1": 32, "C2": 8},
    "M": {"N": 8, "W": 28, "H": 28, "C1": 64, "C2": 16},
    "L": {"N": 8, "W": 56, "H": 56, "C1": 128, "C2": 32},
    "paper": {"N": 8, "W": 56, "H": 56, "C1": 256, "C2": 64},
}
OUTPUT = None


def initialise(N, W, H, C1, C2):
    rng = np.random.default_rng(42)
    weights = (random_weights(rng, *shape) for shape in ((1, 1, C1, C2), (3, 3, C2, C2), (1, 1, C2, C1)))
    return rng.random((N, H, W, C1), dtype=np.float32), *weights


def bordered(images):
    number, height, width, channels = images.shape
    result = np.zeros((number, height + 2, width + 2, channels), dtype=images.dtype)
    result[:, 1:-1, 1:-1] = images
    return result


def kernel(input, conv1, conv2, conv3):
    x = relu(standardise(convolve(input, conv1)))
    x = relu(standardise(convolve(bordered(x), conv2)))
    return relu(standardise(convolve(x, conv3)) + input)
