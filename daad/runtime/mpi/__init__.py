"""Programs of several ranks: what mpi4py does for compiled code."""
