"""A bottleneck of a residual network."""

import jax.numpy as jnp

from npbench_runs.kernels.in_jax._layers import convolve, relu, standardise


def kernel(input, conv1, conv2, conv3):
    x = relu(standardise(convolve(input, conv1)))
    x = jnp.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    x = relu(standardise(convolve(x, conv2)))
    return relu(standardise(convolve(x, conv3)) + input)
