"""Arrays get smaller, and lie as they are read."""
