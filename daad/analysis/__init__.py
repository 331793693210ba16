"""Facts about a Program, each worked out in one place and asked by all."""
