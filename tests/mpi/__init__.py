"""Programs of several processes, which pass messages by MPI."""
