"""LeNet-5."""

from npbench_runs.kernels.in_jax._layers import convolve_as_product, halve, relu


def kernel(input, conv1, conv1bias, conv2, conv2bias, fc1w, fc1b, fc2w, fc2b, fc3w, fc3b, N, C_before_fc1):
    x = halve(relu(convolve_as_product(input, conv1) + conv1bias))
    x = halve(relu(convolve_as_product(x, conv2) + conv2bias))
    x = x.reshape(N, C_before_fc1)
    x = relu(x @ fc1w + fc1b)
    x = relu(x @ fc2w + fc2b)
    return x @ fc3w + fc3b
