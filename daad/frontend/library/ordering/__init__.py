"""What is in which order: sorting, elements amid others, heaps."""
