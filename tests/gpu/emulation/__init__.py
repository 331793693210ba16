"""CUDA on a CPU: what is generated for GPUs runs as it is, in shuffled orders, and each access to memory is seen."""
