"""From a Program to CUDA C++, without a GPU."""
