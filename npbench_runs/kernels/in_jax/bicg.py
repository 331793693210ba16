"""The first of the two products, A' r."""


def kernel(A, p, r):
    return r @ A
