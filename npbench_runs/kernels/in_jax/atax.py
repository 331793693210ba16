"""A' A x as two products."""


def kernel(A, x):
    return (A @ x) @ A
