"""Two products in a row."""


def kernel(alpha, beta, A, B, C, D):
    return (alpha * A) @ B @ C + beta * D
