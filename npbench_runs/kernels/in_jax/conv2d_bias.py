"""A convolutional layer with a bias."""

from npbench_runs.kernels.in_jax._layers import convolve


def kernel(input, weights, bias):
    return convolve(input, weights) + bias
