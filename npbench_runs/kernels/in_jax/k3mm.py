"""Three products in a row."""


def kernel(A, B, C, D):
    return A @ B @ C @ D
