"""The benchmark behind `daad bench`: NPBench's algorithms in NumPy and in JAX, the engines, and the harness."""
