"""Sums with fewer operations, and in the order that memory likes."""
