"""Two products of a matrix and a vector."""


def kernel(alpha, beta, A, B, x):
    return alpha * (A @ x) + beta * (B @ x)
