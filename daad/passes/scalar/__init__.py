"""Passes on expressions."""
