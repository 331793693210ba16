"""From a Program to CUDA C++: steps, who does what, what waits for what, launches."""
