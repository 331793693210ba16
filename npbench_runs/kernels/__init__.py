"""The algorithms, one module each: `SIZES`, `OUTPUT`, `initialise(**sizes)` and `kernel`; `in_jax/` mirrors them."""
