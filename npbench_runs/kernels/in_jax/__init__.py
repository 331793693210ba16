"""The same algorithms in JAX: `kernel` takes the same arguments and returns the output of which the sum is the loss."""
