"""Programs as differentiable functions of JAX and torch."""
