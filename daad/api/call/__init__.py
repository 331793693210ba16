"""One call of a gradient: from arguments to compiled code, and from what it leaves to results."""
