"""One gradient over many members: sums, means, or all results."""
