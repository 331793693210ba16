"""Statistics: of ranks, in bins."""
