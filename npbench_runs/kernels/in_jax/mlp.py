"""A perceptron with three dense layers and softmax at the end."""

from npbench_runs.kernels.in_jax._layers import relu, softmax


def kernel(input, w1, b1, w2, b2, w3, b3):
    x = relu(input @ w1 + b1)
    x = relu(x @ w2 + b2)
    return softmax(x @ w3 + b3)
