"""Deriche's recursive smoothing of an image: along each axis a filter forth, one back, and their sum."""

import numpy as np

SIZES = {
    "tiny": {"W": 6, "H": 5},
    "S": {"W": 400, "H": 200},
    "M": {"W": 1500, "H": 1000},
    "L": {"W": 6000, "H": 3000},
    "paper": {"W": 7680, "H": 4320},
}
OUTPUT = None


def initialise(W, H):
    return 0.25, np.random.default_rng(42).random((W, H))


def smooth(x, alpha):
    decay = np.exp(-alpha)
    gain = (1.0 - decay) ** 2 / (1.0 + alpha * decay - np.exp(2.0 * alpha))
    b1, b2 = 2.0**-alpha, -(decay**2)
    forth, back = np.empty_like(x), np.empty_like(x)
    here, before = gain, gain * decay * (alpha - 1.0)
    forth[0] = here * x[0]
    forth[1] = here * x[1] + before * x[0] + b1 * forth[0]
    for i in range(2, x.shape[0]):
        forth[i] = here * x[i] + before * x[i - 1] + b1 * forth[i - 1] + b2 * forth[i - 2]
    after, second = gain * decay * (alpha + 1.0), gain * b2
    back[-1] = 0.0
    back[-2] = after * x[-1]
    for i in range(x.shape[0] - 3, -1, -1):
        back[i] = after * x[i + 1] + second * x[i + 2] + b1 * back[i + 1] + b2 * back[i + 2]
    return forth + back


def kernel(alpha, imgIn):
    return smooth(smooth(imgIn.T, alpha).T, alpha)
