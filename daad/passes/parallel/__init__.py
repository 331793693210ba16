"""Loops whose iterations may run at the same time."""
