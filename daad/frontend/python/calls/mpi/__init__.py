"""mpi4py in programs: its communications, each with its adjoint, in the order in which the program has them."""
